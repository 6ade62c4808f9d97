"""The use cases of agents' memory files: find, read, check, propose, write, keep in step with the bank.

Rule          looking never writes; writing needs an approval and goes through `writing`, the bank first, then the file.
Entry point   `overview` looks; `filing` proposes and changes; `keeping` is the night's work.
"""
