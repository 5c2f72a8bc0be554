"""What the tests of this folder share."""

from __future__ import annotations

import hashlib
from pathlib import Path


def fingerprint(folder: Path) -> dict[str, str]:
    """Everything below a folder: files with time and hash of their bytes, links with their targets."""
    found: dict[str, str] = {}
    for path in sorted(folder.rglob("*")):
        if path.is_symlink():
            found[str(path)] = f"link {path.readlink()}"
        elif path.is_dir():
            found[str(path)] = "folder"
        else:
            found[str(path)] = f"{path.stat().st_mtime_ns} {hashlib.sha256(path.read_bytes()).hexdigest()}"
    return found
