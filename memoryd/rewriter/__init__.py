"""The optional language model: asks any OpenAI-compatible endpoint for a shorter wording of what a merge already says.

Purpose       denser wording; off unless `[rewriter] url` is set. Its answer is a proposal: who asks must verify it.
Entry point   `Rewriter`
May import    screening, config, model, errors; no other room.
"""

from memoryd.rewriter.client import Rewriter

__all__ = ["Rewriter"]
