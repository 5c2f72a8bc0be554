"""The example application: its history builds alike everywhere, and every commit of it holds together."""

from __future__ import annotations

import importlib.util
import posixpath
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from cmgit.core.facts import BlobStatus
from cmgit.extract.extract import extract

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SOURCE = (".ts", ".tsx", ".js", ".vue")
REQUEST = re.compile(r"""(?:\bfrom|\bimport|\brequire\(|\bimport\()\s*["']([^"']+)["']""")
ALIASES = {"@core/": "packages/core/src/", "@web/": "packages/web/src/"}


def load_example_module(name: str) -> ModuleType:
    """A module of examples/, which is no package."""
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


sys.path.insert(0, str(EXAMPLES))  # its modules import each other, as they do when one is run
shop_repo = load_example_module("shop_repo")


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("example") / "shop"
    shop_repo.build_shop_repository(folder)
    return folder


def git(folder: Path, *args: str) -> str:
    return subprocess.run(["git", *args], cwd=folder, check=True, capture_output=True, text=True).stdout


def commits(folder: Path) -> list[str]:
    return git(folder, "rev-list", "--reverse", "HEAD").split()


def files_at(folder: Path, commit: str) -> dict[str, str]:
    paths = git(folder, "ls-tree", "-r", "-z", "--name-only", commit).split("\0")
    return {path: git(folder, "show", f"{commit}:{path}") for path in paths if path}


def requests(path: str, text: str) -> list[str]:
    """The specifiers that lead to a file of the shop, as paths without `.` and `..`."""
    found = []
    for specifier in REQUEST.findall(text):
        if specifier.startswith("."):
            found.append(posixpath.normpath(posixpath.join(posixpath.dirname(path), specifier)))
        for alias, folder in ALIASES.items():
            if specifier.startswith(alias):
                found.append(folder + specifier.removeprefix(alias))
        if specifier == "@kettle/core":
            found.append("packages/core/src/index.ts")
    return found


def test_the_last_commit_holds_the_example_folder_exactly(shop: Path) -> None:
    built = {path: (shop / path).read_bytes() for path in files_at(shop, "HEAD")}
    folder = shop_repo.SHOP
    shown = {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}
    assert built == shown


def test_the_history_is_that_of_a_small_application(shop: Path) -> None:
    sources = [path for path in files_at(shop, "HEAD") if path.endswith(SOURCE)]
    assert 25 <= len(sources) <= 40
    assert len(commits(shop)) >= 5


def test_every_earlier_version_is_used_and_differs_from_the_last(shop: Path) -> None:
    named = {(step.folder, path) for step in shop_repo.read_history() for path in step.files}
    kept = [p for p in shop_repo.HISTORY.rglob("*") if p.is_file() and p.name != "history.json"]
    for file in kept:
        folder, path = file.relative_to(shop_repo.HISTORY).as_posix().split("/", 1)
        assert (folder, path) in named
        assert file.read_bytes() != (shop_repo.SHOP / path).read_bytes(), file


def test_two_builds_have_the_same_commit_ids(shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Somebody Else")
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    again = shop_repo.build_shop_repository(tmp_path / "again")
    assert again == git(shop, "rev-parse", "HEAD").strip()
    assert git(shop, "log", "--format=%an <%ae>").splitlines()[0] == "Shop Example <shop@example.com>"


def test_every_import_of_every_commit_resolves(shop: Path) -> None:
    checked = 0
    for commit in commits(shop):
        files = files_at(shop, commit)
        for path, text in files.items():
            if not path.endswith(SOURCE) and not path.startswith("packages/server/bin/"):
                continue
            for wanted in requests(path, text):
                tries = [wanted, *(wanted + suffix for suffix in SOURCE)]
                assert any(candidate in files for candidate in tries), f"{commit}: {path} asks for {wanted}"
                checked += 1
    assert checked > 200


def test_no_file_is_longer_than_a_few_screens() -> None:
    for file in [*shop_repo.SHOP.rglob("*"), *shop_repo.HISTORY.rglob("*")]:
        if file.is_file():
            data = file.read_bytes()
            assert data.count(b"\n") <= 120, file
            assert data.endswith(b"\n"), file
            assert b"\r" not in data, file


def test_every_source_file_parses_without_an_error(shop: Path) -> None:
    languages = {".ts": "typescript", ".tsx": "tsx", ".js": "javascript", ".vue": "vue"}
    for commit in commits(shop):
        for path, text in files_at(shop, commit).items():
            language = languages.get(Path(path).suffix)
            if language is None:
                continue
            facts = extract(text.encode(), language, 1_000_000)
            assert facts.status is BlobStatus.PARSED, f"{commit}: {path} is {facts.status.label}"


def test_the_demo_finds_a_short_file_without_imports_in_any_repository(shop: Path) -> None:
    prompts = load_example_module("demo_prompts")
    units = [
        {"path": "packages/core/src/money.ts", "kind": "function"},
        {"path": "packages/core/src/cart.ts", "kind": "class"},
        {"path": "packages/server/src/store.js", "kind": "class"},
        {"path": "packages/server/src/store.js", "kind": "method"},
        {"path": "gone.js", "kind": "function"},
    ]
    found = [prompt.text for prompt in prompts.direct_prompts(shop, units)]
    assert [text.split()[4] for text in found] == ["packages/server/src/store.js", "packages/core/src/money.ts"]


def test_the_demo_asks_in_the_words_of_a_doc_comment_but_never_in_names() -> None:
    prompts = load_example_module("demo_prompts")
    source = """
    /** Takes held goods off the shelf when the order is paid. False otherwise. */
    /** Calls reserveAll for every line of the order that is given. */
    /** Too short. */
    /**
     * Prices the cart and holds the goods
     * before the order is written.
     * @param cart what to sell
     */
    """
    assert list(prompts.doc_sentences(source)) == [
        "Takes held goods off the shelf when the order is paid",
        "Prices the cart and holds the goods before the order is written",
    ]


def test_a_log_sees_progress_as_plain_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    screen = load_example_module("demo_screen")
    program = (
        "import sys; assert sys.stderr.isatty(); e = sys.stderr.write; [e(f'\\r{i}/9') for i in range(10)]; e('\\n')"
    )
    code = screen.run_on_terminal([sys.executable, "-c", program + "; print('ready'); sys.exit(3)"], tmp_path, {})
    shown = capsys.readouterr().out.splitlines()
    assert code == 3
    assert shown[-2:] == ["   9/9", "   ready"]
    assert len(shown) < 8


def test_a_shortened_context_says_what_was_cut(capsys: pytest.CaptureFixture[str]) -> None:
    screen = load_example_module("demo_screen")
    screen.show_shortened("line\n" * 40)
    assert "leaves out 10 lines here, 40 characters" in capsys.readouterr().out
