"""Install the tools that cmgit is measured beside: `python bench/peers_install.py [--only KEY …] [--again]`.

Each goes into a folder of its own under `~/.cache/cmgit-bench` (or `--cache`), at the version pinned in `PINNED`.
Nothing else of the machine is touched, no install script of a package is run. What cannot be installed is
written down with its reason, and `make bench` says it. Licences differ: jcodemunch-mcp's is for non-commercial use.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

LIMIT = 900


@dataclass(frozen=True)
class Pin:
    """A package of a registry. registry: npm or pypi; program: the file that is run, below its folder."""

    registry: str
    package: str
    version: str
    program: str
    licence: str


def npm_binary(folder: str) -> str:
    """npm's name for this machine's platform in a package that ships one binary for each."""
    system = {"linux": "linux", "darwin": "darwin", "win32": "win32"}.get(sys.platform, sys.platform)
    machine = {"x86_64": "x64", "AMD64": "x64", "aarch64": "arm64", "arm64": "arm64"}.get(platform.machine(), "x64")
    return folder.format(platform=f"{system}-{machine}")


PINNED = {
    "codegraph": Pin("npm", "@colbymchenry/codegraph", "1.6.1", "node_modules/.bin/codegraph", "MIT"),
    "semble": Pin("pypi", "semble[mcp]", "0.7.0", "bin/semble", "MIT"),
    "jcodemunch": Pin(
        "pypi", "jcodemunch-mcp", "1.108.399", "bin/jcodemunch-mcp", "its own, free for non-commercial use"
    ),
    "probe": Pin("npm pack", "@probelabs/probe", "0.6.0-rc325", "bin/probe", "Apache-2.0"),
    "aider": Pin("pypi", "aider-chat", "0.86.2", "bin/aider", "Apache-2.0"),
    "ripgrep": Pin(
        "npm", "@vscode/ripgrep", "1.18.0", npm_binary("node_modules/@vscode/ripgrep-{platform}/bin/rg"), "MIT"
    ),
    "scip-typescript": Pin(
        "npm", "@sourcegraph/scip-typescript", "0.4.0", "node_modules/.bin/scip-typescript", "Apache-2.0"
    ),
}
PROBE_TARGETS = {
    ("linux", "x86_64"): "x86_64-unknown-linux-musl",
    ("linux", "aarch64"): "aarch64-unknown-linux-musl",
    ("darwin", "x86_64"): "x86_64-apple-darwin",
    ("darwin", "arm64"): "aarch64-apple-darwin",
}


def default_cache() -> Path:
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "cmgit-bench"


def command(*args: str, cwd: Path) -> None:
    done = subprocess.run(args, check=False, cwd=cwd, capture_output=True, text=True, timeout=LIMIT)
    if done.returncode:
        lines = [line for line in (done.stderr or done.stdout).splitlines() if line.strip() and "WARNING" not in line]
        telling = [line for line in lines if "rror" in line] or lines
        raise RuntimeError(f"{' '.join(args[:3])}: {' / '.join(telling[:2])[:300]}")


def by_npm(folder: Path, pin: Pin) -> None:
    if shutil.which("npm") is None:
        raise RuntimeError("npm is not on the PATH")
    (folder / "package.json").write_text("{}\n")
    args = ("--no-audit", "--no-fund", "--ignore-scripts", "--save-exact")
    command("npm", "install", *args, f"{pin.package}@{pin.version}", cwd=folder)


def by_pip(folder: Path, pin: Pin) -> None:
    command(sys.executable, "-m", "venv", str(folder), cwd=folder)
    pip = (str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    command(*pip, f"{pin.package}=={pin.version}", cwd=folder)


def by_npm_pack(folder: Path, pin: Pin) -> None:
    """The package ships the binaries; installed the ordinary way it wants a git repository as a dependency."""
    target = PROBE_TARGETS.get((sys.platform, platform.machine()))
    if target is None or shutil.which("npm") is None:
        raise RuntimeError("no binary for this platform in the package" if target is None else "npm is not on the PATH")
    command("npm", "pack", "--silent", f"{pin.package}@{pin.version}", cwd=folder)
    package = next(folder.glob("*.tgz"))
    with tarfile.open(package) as outer:
        name = next(name for name in outer.getnames() if name.endswith(f"{target}.tar.gz"))
        packed = outer.extractfile(name)
        with tarfile.open(fileobj=packed) as inner:
            member = next(
                member for member in inner.getmembers() if member.isfile() and Path(member.name).name == "probe"
            )
            data = inner.extractfile(member)
            assert data is not None
            (folder / "bin").mkdir(exist_ok=True)
            (folder / "bin" / "probe").write_bytes(data.read())
    (folder / "bin" / "probe").chmod(0o755)
    package.unlink()


def static_model(folder: Path) -> None:
    """semble's default model lies on a hub; this one is made from the model that cmgit uses, the documented way."""
    script = str(Path(__file__).with_name("peers_model.py"))
    command(sys.executable, script, "embed", str(folder / "static-minilm"), cwd=folder)
    command(str(folder / "bin" / "python"), script, "save", str(folder / "static-minilm"), cwd=folder)


HOW: dict[str, Callable[[Path, Pin], None]] = {"npm": by_npm, "pypi": by_pip, "npm pack": by_npm_pack}


def install(cache: Path, key: str, *, again: bool) -> str:
    """Gives the reason when it cannot be installed, else nothing."""
    pin, folder = PINNED[key], cache / key
    stamp = folder / ".installed"
    if not again and stamp.exists() and stamp.read_text() == pin.version:
        return ""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        HOW[pin.registry](folder, pin)
        if key == "semble":
            static_model(folder)
    except (RuntimeError, OSError, StopIteration, subprocess.TimeoutExpired, tarfile.TarError) as error:
        return str(error) or type(error).__name__
    if not (folder / pin.program).exists():
        return f"the package has no {pin.program}"
    stamp.write_text(pin.version)
    return ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cache", type=Path, default=default_cache())
    parser.add_argument("--only", nargs="+", choices=sorted(PINNED), default=list(PINNED))
    parser.add_argument("--again", action="store_true", help="install anew what is there")
    args = parser.parse_args()
    args.cache.mkdir(parents=True, exist_ok=True)
    told = args.cache / "failed.json"
    failed: dict[str, str] = json.loads(told.read_text()) if told.exists() else {}
    for key in args.only:
        pin = PINNED[key]
        print(f"{key}: {pin.package} {pin.version} ({pin.registry}, licence {pin.licence}) …", flush=True)
        reason = install(args.cache, key, again=args.again)
        failed.pop(key, None)
        if reason:
            failed[key] = reason
        print(f"  not installed: {reason}" if reason else f"  in {args.cache / key}", flush=True)
        told.write_text(json.dumps(failed, indent=1))


if __name__ == "__main__":
    main()
