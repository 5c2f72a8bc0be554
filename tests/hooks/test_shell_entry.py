"""`git-cm-hook`, the entry that starts no Python in git's way, in an installation made for the test."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import Cm, GitRepo
from tests.hooks.conftest import CODE, OFF, hook_command, log_lines, run, scripts_only, settle
from tests.hooks.test_hooks import head_is_published

ROOT = Path(__file__).parents[2]
USUAL = "/usr/local/bin:/usr/bin:/bin"


def put(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


@pytest.fixture
def bin_dir(tmp_path: Path) -> Path:
    """The folder of an installation's programs: the script, an interpreter, `git-cm`, and where the package lies."""
    prefix = tmp_path / "pre fix"
    site = prefix / f"lib/python3.{sys.version_info.minor}/site-packages"
    site.mkdir(parents=True)
    (site / "_editable_impl_cmgit.pth").write_text(str(ROOT))
    put(prefix / "bin/python3", f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    put(prefix / "bin/git-cm", f'#!/bin/sh\nshift\nexec {" ".join(hook_command())} "$@"\n')
    shutil.copy(ROOT / "hooks/git-cm-hook", prefix / "bin")
    return prefix / "bin"


def call(repo: GitRepo, program: Path, path: str = USUAL, event: str = "post-commit", **variables: str) -> None:
    env = os.environ | {"PATH": path} | variables
    done = subprocess.run([str(program), event], cwd=repo.path, env=env, capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def silent_commit(repo: GitRepo) -> None:
    repo.write({"a.ts": "export const a = 2\n"})
    repo.git(*OFF, "commit", "-qam", "two")


@pytest.mark.parametrize("form", ["itself", "link", "package", "no package"])
def test_it_has_head_published_from_wherever_it_is_installed(hooked: GitRepo, bin_dir: Path, form: str) -> None:
    site = next(bin_dir.parent.glob("lib/*/site-packages"))
    program = bin_dir / "git-cm-hook"
    if form == "link":
        program = bin_dir.parent / "linked/git-cm-hook"
        program.parent.mkdir()
        program.symlink_to("../bin/git-cm-hook")
    elif form == "package":
        (site / "_editable_impl_cmgit.pth").unlink()
        (site / "cmgit/hooks").mkdir(parents=True)
        shutil.copy(ROOT / "hooks/git-hook.sh", site / "cmgit/hooks")
    elif form == "no package":
        (site / "_editable_impl_cmgit.pth").unlink()
    silent_commit(hooked)
    call(hooked, program)
    settle(hooked.path / ".git")
    assert head_is_published(hooked), log_lines(hooked.path / ".git")


def test_it_is_silent_and_well_when_nothing_is_left_of_the_installation(hooked: GitRepo, bin_dir: Path) -> None:
    for path in (bin_dir / "git-cm", bin_dir / "python3"):
        path.unlink()
    call(hooked, bin_dir / "git-cm-hook")
    assert not (hooked.path / ".git/cm/queue/main.request").exists()


@pytest.mark.parametrize("name", ["git-cm-hook", "git-cm"])
def test_in_a_frameworks_environment_the_users_own_installation_comes_first(
    hooked: GitRepo, bin_dir: Path, tmp_path: Path, name: str
) -> None:
    put(tmp_path / "users" / name, f'#!/bin/sh\necho "$*" >>"{tmp_path}/called"\n')
    if name == "git-cm-hook":
        put(tmp_path / "users/git-cm", "#!/bin/sh\nexit 1\n")
    path = f"{bin_dir}:relative:{tmp_path}/users:{USUAL}"
    call(hooked, bin_dir / "git-cm-hook", path, PRE_COMMIT="1")
    assert (tmp_path / "called").read_text() == ("post-commit\n" if name == "git-cm-hook" else "hook post-commit\n")
    assert not (hooked.path / ".git/cm/queue/main.request").exists()


def test_without_one_the_environment_does_the_work(hooked: GitRepo, bin_dir: Path) -> None:
    silent_commit(hooked)
    call(hooked, bin_dir / "git-cm-hook", f"{bin_dir}:{USUAL}", PRE_COMMIT="1")
    settle(hooked.path / ".git")
    assert head_is_published(hooked)


def test_a_checkout_of_files_that_a_framework_reports_does_nothing(hooked: GitRepo, bin_dir: Path) -> None:
    call(hooked, bin_dir / "git-cm-hook", PRE_COMMIT="1", PRE_COMMIT_CHECKOUT_TYPE="0")
    assert not (hooked.path / ".git/cm/queue").exists()


@scripts_only
@pytest.mark.parametrize("whose", ["tracked", "global"])
def test_the_advised_line_works_where_scripts_are_not_ours_to_change(
    repo: GitRepo, cm: Cm, bin_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whose: str
) -> None:
    folder = repo.path / ".githooks" if whose == "tracked" else tmp_path / "everybody's"
    if whose == "global":
        (tmp_path / "settings").write_text(f'[core]\n\thooksPath = "{folder}"\n')
        monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "settings"))
    else:
        repo.git("config", "core.hooksPath", ".githooks")
    repo.git("config", "cm.vectors", "false")
    refused = cm(repo.path, "install", "git", "--yes")
    assert refused.code == 1
    line = next(line.strip() for line in refused.err.splitlines() if line.lstrip().startswith("!"))
    for event in ("pre-commit", "post-commit", "post-checkout", "post-merge", "post-rewrite"):
        put(folder / event, f"#!/bin/sh\nset -eu\n{line}\n")
    env = os.environ | {"PATH": f"{bin_dir}:{USUAL}"}
    repo.write({"a.ts": CODE})
    repo.git("add", ".")
    assert run(repo.path, "commit", "-qm", "zero", env=os.environ | {"PATH": USUAL}).returncode == 0  # a colleague
    assert not (repo.path / ".git/cm").exists()
    cm(repo.path, "index").ok()
    repo.write({"a.ts": "export const a = 2\n"})
    done = run(repo.path, "commit", "-qam", "one", env=env)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    settle(repo.path / ".git")
    assert head_is_published(repo)
    if whose == "global":
        other = GitRepo(tmp_path / "other")
        other.write({"a.ts": CODE})
        other.git("add", ".")
        assert run(other.path, "commit", "-qm", "one", env=env).returncode == 0
        assert not (other.path / ".git/cm").exists()
