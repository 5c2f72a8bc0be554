"""What a prompt names outright is a root, whatever else resembles its words."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from cmgit.core.config import Config
from cmgit.core.records import ItemRole
from cmgit.retrieve.focus import find_focus
from cmgit.retrieve.prompt import read_prompt
from cmgit.retrieve.rank import rank
from cmgit.retrieve.retrieve import retrieve, search
from cmgit.retrieve.silence import silence
from cmgit.view.view import View

ViewOf = Callable[[Mapping[str, str | bytes]], View]

LOCALES = {
    "locales/index.js": "export const locales = {}\n"
    + "".join(
        f"Object.defineProperty(locales, '{code}', {{ get: function () {{ return {code}_js_1.default }} }}) // works\n"
        for code in ("de", "fr", "it", "ur")
    ),
    "locales/ur.js": "export function ur(issue) {\n  return messages[issue.code]\n}\n",
    "src/view.js": "export class View {\n  lookup(name) {\n    return this.table[name]\n  }\n}\n" + "// pad\n" * 800,
    "src/registry.js": "export class Registry {\n  lookup(view) {\n    return view.lookup(view.name)\n  }\n}\n",
}


@pytest.mark.parametrize(
    ("prompt", "path", "qualname"),
    [
        ("change how `ur` works and keep its callers right", "locales/ur.js", "ur"),
        ("why does View.lookup miss names of the registry view?", "src/view.js", "View.lookup"),
        ("crash in src/view.js:3, the registry lookup of a view", "src/view.js", "View.lookup"),
    ],
)
def test_what_is_named_outright_is_the_first_root(view_of: ViewOf, prompt: str, path: str, qualname: str) -> None:
    view = view_of(LOCALES)
    best = view.unit(search(view, prompt, 3)[0].unit)
    assert (best.path, best.qualname) == (path, qualname)
    first = retrieve(view, prompt, Config()).items[0]
    assert first.path == path
    assert first.role in (ItemRole.ROOT, ItemRole.WHOLE_FILE)


@pytest.mark.parametrize("prompt", ["исправь traverse чтобы не зацикливался", "修复 traverse 函数的死循环"])
def test_a_bare_name_in_a_text_of_another_script_opens_the_gate_where_the_code_has_it(
    view_of: ViewOf, prompt: str
) -> None:
    files = {
        "src/walk.js": "export function traverse(node) {\n  for (const child of node.children) traverse(child)\n}\n"
    }
    for view, speaks in (
        (view_of(files), True),
        (view_of({"src/a.js": "export function other() { return 1 }\n"}), False),
    ):
        asked = read_prompt(prompt)
        focus = find_focus(view, asked)
        assert bool(focus.units) == speaks
        if speaks:
            assert not silence(asked, focus, rank(view, asked, focus, None, 10))
            assert view.unit(search(view, prompt, 1)[0].unit).name == "traverse"


@pytest.mark.parametrize(
    "prompt",
    [
        "запусти tests и сделай commit в git",
        "почему в README нет docker",
        "use traverse here",
        "один two three four five six",
    ],
)
def test_words_about_the_work_tools_and_mixed_texts_name_nothing(prompt: str) -> None:
    assert not read_prompt(prompt).names
