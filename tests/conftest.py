"""What every test may use: a home folder, a fixed clock, and hypothesis that is not judged by the clock of a busy machine."""

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# The quick suite tries the same examples every time; the nightly one (`poe nightly`) looks for new ones.
for name, same in (("quick", True), ("nightly", False)):
    settings.register_profile(
        name,
        deadline=None,
        max_examples=50,
        derandomize=same,
        suppress_health_check=[HealthCheck.too_slow],
    )
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """An empty folder for everything memoryd owns."""
    folder = tmp_path / "home"
    folder.mkdir(mode=0o700)
    return folder
