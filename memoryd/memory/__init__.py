"""The decisions, pure: values and `now` in, plans and orders out.

Purpose       what to remember (gate), what says the same (consolidation), what to forget (retention), what comes first
              (ranking). Nothing here reads a clock, a file or a database, so every decision can be tested and repeated.
Entry point   one module or sub-package a decision: `ranking`, `gate`, `consolidation`.
May import    screening, config, model, errors; never another room.
"""
