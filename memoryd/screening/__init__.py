"""Screening: no secret and no invisible character gets past here. Pure: no files, no clock.

Entry point: `screen`, the only maker of `ScreenedText`. May import: config, model, errors.
"""

from memoryd.screening.injection import Finding, find_instructions
from memoryd.screening.shapes import TABLE_VERSION
from memoryd.screening.text import Screened, ScreenedText, screen

__all__ = ["TABLE_VERSION", "Finding", "Screened", "ScreenedText", "find_instructions", "screen"]
