"""A line that the prompt names is shown, however large the function is that it stands in."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from cmgit.core.config import Config
from cmgit.core.records import Context
from cmgit.retrieve.retrieve import retrieve
from cmgit.view.view import View

ViewOf = Callable[[Mapping[str, str | bytes]], View]
CONFIG = Config()

STEPS = "".join(
    f"    if (request.part{i}) {{\n      sendPart{i}(request, response)\n      countPart{i}(request)\n    }}\n"
    for i in range(160)
)
HELPERS = "".join(
    f"export function dispatchHelper{i}(request) {{\n  return request.http.adapter.dispatch({i})\n}}\n"
    for i in range(30)
)
BIG = (
    "export const adapter = wrap(async function adapter(config) {\n"
    "  return wrapAsync(async function dispatchRequest(request, response) {\n"
    f"{STEPS}"
    "  })\n})\n\nfunction wrapAsync(run) {\n  return run()\n}\n" + HELPERS
)
LINE = BIG[: BIG.index("sendPart90(")].count("\n") + 1


def shown(context: Context, path: str) -> set[int]:
    return {line for item in context.items if item.path == path for line in range(item.start_line, item.end_line + 1)}


@pytest.mark.parametrize(
    "prompt",
    [
        f"src/http.js:{LINE} crashes",
        f"TypeError: x\n at dispatchRequest (/home/me/src/http.js:{LINE}:15)\n at wrapAsync (/me/src/http.js:647:5)",
        f"TypeError: request adapter\n    at dispatchRequest (src/http.js:{LINE}:15)\n    at run (other/no.js:1:1)",
    ],
)
def test_a_named_line_of_a_large_function_is_shown_with_its_statement(prompt: str, view_of: ViewOf) -> None:
    context = retrieve(view_of({"src/http.js": BIG, "src/other.js": HELPERS}), prompt, CONFIG)
    assert set(range(LINE - 3, LINE + 4)) <= shown(context, "src/http.js")
    assert context.items[0].name == "dispatchRequest"
    assert "async function dispatchRequest(request, response) {" in context.text


def test_two_named_lines_of_one_large_function_are_both_shown(view_of: ViewOf) -> None:
    frames = "".join(f"\n at dispatchRequest (src/http.js:{line}:15)" for line in (LINE, LINE + 200))
    context = retrieve(view_of({"src/http.js": BIG}), "Error: no part" + frames, CONFIG)
    assert {LINE - 1, LINE, LINE + 1, LINE + 199, LINE + 200, LINE + 201} <= shown(context, "src/http.js")


def test_a_line_of_a_large_module_is_shown(view_of: ViewOf) -> None:
    lines = [f"register({i}, loader({i * 7}))" for i in range(1_200)]
    context = retrieve(view_of({"src/setup.js": "\n".join(lines)}), "Error: no\n at src/setup.js:903:1", CONFIG)
    assert {902, 903, 904} <= shown(context, "src/setup.js")


CALLBACK = """export function watchFolder(folder, report) {
  const seen = new Set()
  folder.forEach(name => {
    seen.add(name)
    report(name.size)
  })
  return seen
}
"""


def test_for_a_callback_the_function_around_it_is_the_root(view_of: ViewOf) -> None:
    pad = "// padding\n" * 400
    context = retrieve(view_of({"src/watch.js": pad + CALLBACK}), "Error: x\n at src/watch.js:405:17", CONFIG)
    assert (context.items[0].name, context.items[0].start_line) == ("watchFolder", 401)
    assert "Call sites of watchFolder" in context.text


def test_a_callback_in_a_large_function_comes_with_the_signature_around_it(view_of: ViewOf) -> None:
    source = f"export function handleAll(request, response) {{\n{STEPS}" + CALLBACK.split("\n", 1)[1]
    line = source[: source.index("report(name")].count("\n") + 1
    context = retrieve(view_of({"src/all.js": source}), f"Error: x\n at src/all.js:{line}:17", CONFIG)
    assert {line - 2, line - 1, line, line + 1, 1} <= shown(context, "src/all.js")
