from __future__ import annotations

import random
from pathlib import Path

import pytest

from cmgit.core.records import path_bytes
from cmgit.git.attributes import read_attributes
from tests.conftest import GitRepo


def by_git(repo: GitRepo, paths: list[str]) -> list[tuple[str, str]]:
    """What the real git says: (linguist-generated, linguist-vendored) for each path."""
    asked = b"".join(path_bytes(path) + b"\0" for path in paths)
    names = ("linguist-generated", "linguist-vendored")
    fields = repo.git("check-attr", "-z", "--stdin", *names, stdin=asked).decode(errors="surrogateescape").split("\0")
    values = fields[2::3]
    return list(zip(values[0::2], values[1::2], strict=True))


def as_git_says(value: bool | None) -> set[str]:
    return {None: {"unspecified"}, True: {"set", "true", "yes", "0", ""}, False: {"unset", "false"}}[value]


def differing(repo: GitRepo, files: dict[str, bytes], paths: list[str]) -> list[str]:
    for old in repo.path.rglob(".gitattributes"):
        old.unlink()
    repo.write(files)
    attributes = read_attributes(files)
    wrong = []
    for path, (generated, vendored) in zip(paths, by_git(repo, paths), strict=True):
        ours = (attributes.generated(path), attributes.vendored(path))
        if generated not in as_git_says(ours[0]) or vendored not in as_git_says(ours[1]):
            wrong.append(f"{path!r}: {ours}, git says {(generated, vendored)}")
    return wrong


PATHS = [
    "a.js",
    "A.js",
    "dist/a.js",
    "dist/deep/er/b.min.js",
    "lib/dist/a.js",
    "src/gen/api.ts",
    "src/gen/inner/api.ts",
    "src/a b.ts",
    "src/x[1].ts",
    "src/[id].tsx",
    "src/#hash.ts",
    "src/!bang.ts",
    "vendor/jquery.js",
    "third_party/vendor/x.js",
    "src/é.ts",
    'src/q"uote.ts',
    "gen",
    "src/gen.ts/x.ts",
    "-dash.ts",
    "src/back\\slash.ts",
    "a/b/c/d.ts",
    "a/c/d.ts",
    "a/x/d.ts",
    "src/\udcff.ts",
    "*.js",
]


@pytest.mark.parametrize(
    "lines",
    [
        "*.js linguist-generated",
        "dist/** linguist-generated=true\n/dist/a.js -linguist-generated",
        "dist/ linguist-generated\ndist linguist-vendored",
        "/dist/* linguist-generated=false linguist-vendored",
        "**/gen/** linguist-generated\nsrc/gen/api.ts !linguist-generated",
        "gen linguist-generated\n/gen -linguist-generated",
        "src/**/api.ts linguist-generated",
        "a/**/d.ts linguist-generated\na/*/d.ts -linguist-generated",
        "a/**d.ts linguist-generated\na**/d.ts linguist-vendored\n**d.ts linguist-vendored=false",
        '"src/a b.ts" linguist-generated\nsrc/a\\ b.ts linguist-vendored\n"src/\\303\\251.ts" linguist-vendored',
        '"src/q\\"uote.ts" linguist-generated\nsrc/back\\\\slash.ts linguist-vendored',
        "src/x[[]1].ts linguist-generated\nsrc/\\[id].tsx linguist-vendored\nsrc/[[]id].tsx linguist-generated",
        "src/#hash.ts linguist-generated\n#hash.ts linguist-vendored\n\\#hash.ts linguist-generated=false",
        "!bang.ts linguist-generated\n\\!bang.ts linguist-vendored\nsrc/!bang.ts linguist-generated=0",
        "[a-c].js linguist-generated\n[!a-c].js linguist-vendored\n[^a].js linguist-vendored=false",
        "[[:upper:]].js linguist-generated\n[[:alpha:].js linguist-vendored\n[[:wrong:]].js linguist-vendored",
        "src/?.ts linguist-generated\nsrc/??.ts linguist-vendored",
        "  *.ts\tlinguist-generated  text  linguist-vendored=yes  \r\n",
        "\ufeff*.ts linguist-generated",
        "*.ts linguist-generated -linguist-generated linguist-vendored !linguist-vendored",
        "*.ts linguist-generated=\n*.js linguist-vendored=false",
        "*.ts xlinguist-generated linguist-generatedx --linguist-generated",
        "*.js linguist-generated " + "x" * 2100,
        "*.js linguist-generated " + "x" * 2000,
        "-dash.ts linguist-generated\n\\*.js linguist-vendored\n*.js\\ linguist-generated",
        "vendor/* linguist-vendored\n**/vendor/* linguist-generated\nthird_party/** linguist-vendored=false",
        "/** linguist-generated\n** linguist-vendored\n* -linguist-vendored\n",
        "src/gen linguist-generated\nsrc/gen/ linguist-generated\nsrc/gen/* linguist-vendored",
        "\\ linguist-generated\n[ linguist-generated\n[] linguist-generated\n[]x]*.js linguist-generated\n"
        "a[/]b linguist-vendored",
        "*.[jt]s linguist-generated\n*.[a-\\]]s linguist-vendored\nsrc[/]gen/* linguist-vendored\n",
        "a/**/**/d.ts linguist-generated\n**/**/b.min.js linguist-vendored\na/***/d.ts linguist-vendored",
    ],
)
def test_every_form_of_a_line_means_what_it_means_to_git(repo: GitRepo, lines: str) -> None:
    assert differing(repo, {".gitattributes": lines.encode()}, PATHS) == []


def test_nested_files_and_later_lines_win(repo: GitRepo) -> None:
    files = {
        ".gitattributes": b"*.ts linguist-generated\nsrc/gen/api.ts linguist-vendored\n",
        "src/.gitattributes": b"*.ts -linguist-generated\ngen/** !linguist-generated\n/gen.ts/x.ts linguist-vendored\n",
        "src/gen/.gitattributes": b"api.ts linguist-generated=true\n/inner linguist-vendored\n"
        b"inner/* linguist-vendored\n",
        "a/.gitattributes": b"b/c linguist-generated\n",
    }
    assert differing(repo, files, PATHS) == []
    attributes = read_attributes(files)
    assert attributes.generated("src/gen/api.ts") is True
    assert attributes.generated("src/a.ts") is False
    assert attributes.generated("src/gen/other.ts") is None


def test_random_patterns_mean_what_they_mean_to_git(repo: GitRepo) -> None:
    rng = random.Random(7)
    atoms = [
        "a",
        "b",
        "*",
        "**",
        "?",
        "/",
        "/",
        ".",
        "[ab]",
        "[!a]",
        "[a-c]",
        "\\a",
        "\\*",
        "**/",
        "/**",
        "a.b",
        "[]a]",
    ]
    attributes = ["linguist-generated", "-linguist-generated", "!linguist-generated", "linguist-vendored=false"]
    names = ["a", "b", "c", "a.b", "ab", "ba", "*", "]"]
    paths = sorted({"/".join(rng.choices(names, k=rng.randint(1, 4))) for _ in range(150)})
    for _ in range(60):
        files = {}
        for folder in ("", "a/", "a/b/"):
            lines = ["".join(rng.choices(atoms, k=rng.randint(1, 5))) for _ in range(rng.randint(1, 5))]
            files[f"{folder}.gitattributes"] = "\n".join(f"{line} {rng.choice(attributes)}" for line in lines).encode()
        assert differing(repo, files, paths) == [], files


def test_neither_the_user_nor_the_machine_has_a_say(repo: GitRepo, tmp_path: Path) -> None:
    files = {"src/.gitattributes": b"*.TS linguist-generated\n"}
    (tmp_path / "mine").write_text("*.ts linguist-generated\n")
    repo.git("config", "core.attributesFile", str(tmp_path / "mine"))
    repo.git("config", "core.ignoreCase", "true")
    assert read_attributes(files).generated("src/a.ts") is None
    assert read_attributes({}).vendored("src/a.ts") is None
