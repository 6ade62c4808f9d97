"""There is one writer: no other module of the room can change a file."""

import ast
from pathlib import Path

import memoryd.memory_files

ROOM = Path(memoryd.memory_files.__file__).parent
WRITERS = {"writer.py", "swapping.py"}
CHANGES = {
    "write_text", "write_bytes", "writelines", "rename", "unlink", "link", "symlink", "symlink_to", "hardlink_to",
    "touch", "truncate", "ftruncate", "rmdir", "mkdir", "makedirs", "removedirs", "chmod", "fchmod", "chown", "fchown",
    "pwrite", "copyfile", "copy", "move", "mknod", "mkfifo", "O_WRONLY", "O_TRUNC", "O_APPEND",
}  # fmt: skip


def used_names(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    attributes = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    return attributes | {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def opens_by_name(path: Path) -> bool:
    """Is there a call of the built-in open, or of a path's?"""
    calls = [
        node.func
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
    ]
    named = any(isinstance(call, ast.Name) and call.id == "open" for call in calls)
    return named or any(
        isinstance(call, ast.Attribute) and call.attr == "open" and ast.unparse(call.value) != "os"
        for call in calls
    )


def test_only_the_writer_changes_files() -> None:
    for path in ROOM.rglob("*.py"):
        if path.name not in WRITERS:
            assert not used_names(path) & CHANGES, path
            assert not opens_by_name(path), path


def test_only_writer_and_lock_create_files() -> None:
    creators = {path.name for path in ROOM.rglob("*.py") if "O_CREAT" in used_names(path)}

    assert creators == {"writer.py", "locks.py"}


def test_the_search_would_see_a_writer() -> None:
    assert used_names(ROOM / "writer.py") & CHANGES
