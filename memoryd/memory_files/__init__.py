"""Memory files: what an agent really loads of MEMORY.md and its kin, and the one safe way to change them.

Purpose       profiles of the agents, lossless parsing, budgets, the doctor, snapshots, compaction plans (all
              pure), and beside them three modules with effects: `discovery` and `reading` (read only) and `writer`.
Entry points  `checks.check_files`, `snapshots.make_snapshot`, `compaction.plan_compaction`, `writer.write_file`,
              `discovery.discover_files`.
May import    screening, config, model, errors; no other room. Evidence (merges, values, contradictions) comes in
              as plain values from the shell. Only `writer` may write a file that is not memoryd's own.
"""
