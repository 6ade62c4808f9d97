"""The write gate: what of a message is worth remembering.

Entry point: `extract`. The knowledge is in the tables (families.toml, languages/*.toml); the code only
looks cues up, sums and compares. May import: memoryd.memory.sentences, screening, model.
"""

from memoryd.memory.gate.extraction import Extracted, Extraction, Rejected, extract
from memoryd.memory.gate.placement import classify_kind, propose_scope, rate_confidence

__all__ = [
    "Extracted",
    "Extraction",
    "Rejected",
    "classify_kind",
    "extract",
    "propose_scope",
    "rate_confidence",
]
