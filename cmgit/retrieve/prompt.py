"""What a prompt says: its names, paths, places and literal strings, and the text that is left to search with.

Nothing here looks at a repository. There is no gate by language: a prompt without one English word is read like any
other (colbymchenry/codegraph#994).
"""

from __future__ import annotations

import re
from functools import lru_cache

from cmgit.core.errors import UsageError
from cmgit.core.patterns import lazy
from cmgit.core.record import record
from cmgit.retrieve.boilerplate import is_idle, without_boilerplate
from cmgit.words.split import is_stop_word, unescape

HEAD_CHARACTERS = 48_000
TAIL_CHARACTERS = 16_000
MOST_NAMES = 64
MOST_PATHS = 64
SHORTEST_RUN = 500
QUERY_CHARACTERS = 1_200

SOURCE_SUFFIX = r"\.(?:d\.[cm]?ts|[cm]?[jt]sx?|vue|svelte|astro)"
_ID = r"(?:[^\W\d]|[$_])[\w$]*"
_FENCE = lazy(r"^[ \t]*(```+|~~~+)[^\n]*\n(.*?)(?:^[ \t]*\1`*[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)
_TICKED = lazy(r"(?<!`)`([^`\n]{1,200})`(?!`)")
_COMMENT = lazy(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_URL = lazy(r"\b(?:https?|ftp)://[^\s<>\"')\]]+", re.IGNORECASE)
_TRAILER = lazy(r"^(?:signed-off-by|co-authored-by|reviewed-by|change-id|cc)\s*:.*$", re.IGNORECASE | re.MULTILINE)
_RUN = lazy(r"[^\s\u3000-\u9fff\uac00-\ud7af]{500,}")  # data: no name or path is that long
_ISSUE = lazy(r"(?<!\w)(?:#\d+|GH-\d+|\b[0-9a-f]{40}\b)")
_HEADING = lazy(
    r"^[ \t#*>-]*(?:describe the bug|version|reproduction(?: link)?|steps to reproduce(?: the behaviou?r)?|"
    r"what is expected\??|what is actually happening\??|expected behaviou?r|actual behaviou?r|"
    r"environment(?: details)?|system info|"
    r"additional context|any additional comments\??|checklist|severity|logs|link to minimal reproduction)[ \t:*?]*$",
    re.IGNORECASE | re.MULTILINE,
)
_RANGE = r"(?:[-–]L?(\d{1,7})(?:[:,C]\d{1,6})?)?"
# `at Class.method (file:///srv/app/lib/a.js:12:7)`, `fn@http://localhost:3000/src/a.ts?t=1:12:7`, `src/a.ts:12:7`,
# `src/a.ts:12-20`, `src/a.ts#L12-L20`
_FRAME = lazy(
    rf"([^\s()'\"<>`@,;|\u3040-\u30ff\u4e00-\u9fff]*?[^\s()'\"<>`@,;:|/\\\u3040-\u30ff\u4e00-\u9fff]{SOURCE_SUFFIX})(?:\?[^\s:()]*)?(?:(?::L?|#L|\()(\d{{1,7}})(?:[:,C]\d{{1,6}})?{_RANGE}\)?)?"
    r"(?![A-Za-z0-9_\u0400-\u04ff-])",  # a Han or Kana word may follow without a space
    re.IGNORECASE,
)
_TICKED_PATH = lazy(rf"(.*?{SOURCE_SUFFIX})(?:(?::L?|#L)(\d{{1,7}})(?:[:C]\d+)?{_RANGE})?", re.IGNORECASE)
# "lines 12-20 of src/a.ts", "src/a.ts, line 12", "строки 12-20 в src/a.ts"
_LINES = r"(?:lines?|строк\w*)\s{1,3}(\d{1,7})(?:\s{0,3}(?:[-–]|to|and|through|по|до)\s{0,3}(\d{1,7}))?"
_LINES_BEFORE = lazy(rf"\b{_LINES}\s{{1,3}}(?:of|in|from|at|файла|в|из)\s{{1,3}}[`'\"@(]?$", re.IGNORECASE)
_LINES_AFTER = lazy(rf"[`'\")]?[,:]?\s{{1,3}}[(]?(?:(?:at|on|in|from|around|на|в)\s{{1,3}})?{_LINES}\b", re.IGNORECASE)
LINES_WITHIN = 48  # characters before and after a path
_IDEOGRAPH = r"[\u3040-\u30ff\u4e00-\u9fff]"
_ASCII_NAME = r"([A-Za-z_$][\w$.#]*)"
_AMONG_IDEOGRAPHS = lazy(rf"(?<={_IDEOGRAPH}){_ASCII_NAME}|{_ASCII_NAME}(?={_IDEOGRAPH})", re.ASCII)
# In a text of another script a Latin word is a name: "исправь traverse". Whether the code has it is for `focus` to say.
_OTHER_SCRIPT = lazy(r"[\u0400-\u04ff\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]{2}")
_LATIN_WORD = lazy(r"(?<![\w$.@/:-])([A-Za-z_$][A-Za-z0-9_$]{2,})(?![\w$@/:-]|\.\w)", re.ASCII)
_PATHS = lazy(r"\S*[/.][^\s.]\S*")
MOST_LATIN = 4  # words; with more of them the text is mixed, and they are its words
_TOOLS = frozenset("git npm pnpm yarn npx bun node docker github gitlab css html json yaml api url http readme".split())  # noqa: SIM905
_CALLEE = lazy(
    rf"\bat (?:async |new )?((?:{_ID}\.)*{_ID}) (?:\[as {_ID}\] )?\(|^[ \t]*((?:{_ID}\.)*{_ID})@", re.MULTILINE
)
_DOTTED = lazy(rf"{_ID}(?:(?:\.|#|::){_ID})*")
_QUOTED = lazy(r"\"([^\"\n]{3,160})\"|(?<!\w)'([^'\n]{3,160})'(?!\w)|“([^”\n]{3,160})”|«([^»\n]{3,160})»")
_TEST_WORDS = lazy(
    r"\b(?:tests?|specs?|fixtures?|mocks?)\b|\bтест\w*|测试|テスト",
    re.IGNORECASE,
)
_TESTS_ASKED = lazy(
    r"^\s*tests?(?:\([^)]*\))?!?:|\b(?:tests?|specs?) (?:for|cover|covering)\b|\bis (?:\w+ )?tested\b|"
    r"\bтест\w*|测试|テスト|"
    r"\b(?:add|write|extend|improve|run|flaky|failing|which|what|find|show|list|see)\b[^.\n]{0,30}\b(?:tests?|specs?)\b",
    re.IGNORECASE,
)
# One of these is in every match of the patterns of headings, and of tests.
_OF_HEADINGS = (
    "bug", "version", "repro", "what is", "behavio", "environment", "system info", "context", "comments", "checklist",
    "severity", "logs",
)  # fmt: skip
_OF_TESTS = ("test", "spec", "fixture", "mock", "тест", "测试", "テスト")
_TYPE = r"(?:fix(?:es|ed)?|feat|perf|refactor|chore|docs|test|types?|build|revert|style|ci|breaking)"
_SCOPE = lazy(rf"^\s*{_TYPE}\s*\(([^)\n]{{1,60}})\)!?:", re.IGNORECASE)
_PREFIX = lazy(rf"^\s*{_TYPE}\s*(?:\([^)\n]*\))?!?:", re.IGNORECASE)
MOST_ASKED = 20  # words of a question
_ASKS = lazy(
    r"^\W*(?:how|where|what|which|why|who|when|is|are|does|do|can|may|find|show|locate|explain|где|как|какой|какая|какие|"
    r"почему|зачем|что|когда|найди|покажи)\b|[?？]\s*$|在哪|哪里|哪个|如何|怎么|怎样|为什么|どこ|どう",
    re.IGNORECASE,
)
_ORDERS = lazy(
    r"^\W*(?:properly|temporarily|correctly|please|don'?t|(?:add|chang|enhanc|fix|improv|remov|updat)(?:e?d|e?s|ing)|"
    r"add|allow|avoid|bump|change|clean|correct|deny|deprecate|disable|do|drop|enable|enhance|ensure|expose|extend|fix|"
    r"guard|handle|ignore|implement|improve|introduce|make|move|optimi[sz]e|prevent|provide|reduce|refactor|remove|rename|"
    r"respect|revert|rewrite|simplify|stop|support|treat|update|use|warn|wrap)\b|"
    r"\b(?:should|must|fails?|broken|wrong|bug|instead of)\b",
    re.IGNORECASE,
)


@record
class Place:
    """A path as it was written, with `\\` as `/`; line 0 where none was given. frame: it comes from a stack trace."""

    path: str
    line: int
    frame: bool


@record
class Name:
    """An identifier, perhaps dotted (`Foo.bar`). ticked: written in back-ticks. code: from a fence or a frame."""

    text: str
    ticked: bool
    code: bool

    @property
    def last(self) -> str:
        return re.split(r"[.#]|::", self.text)[-1]


@record
class Prompt:
    """A prompt that was read.

    title: its first line. text: what is left to search with, title included, without fences. code: what stood in
    fences. literals: quoted strings. scope: of a commit message (`fix(runtime-core): …`). tests_asked: it asks for
    tests; mentions_tests: it speaks of them. idle: it says nothing about code. asks: it asks in plain words where
    or how something is done, or says in a few what it is, names nothing of the code and orders no change.
    """

    title: str
    text: str
    code: str
    names: tuple[Name, ...]
    places: tuple[Place, ...]
    literals: tuple[str, ...]
    scope: str
    tests_asked: bool
    mentions_tests: bool
    idle: bool
    asks: bool = False


def text_to_embed(prompt: Prompt) -> str:
    """What a search asks the vectors for."""
    return prompt.text[:QUERY_CHARACTERS]


def names_one_file(prompt: Prompt) -> bool:
    """Whether the direct route, which needs exactly one path, may answer at all."""
    return len({place.path for place in prompt.places}) == 1


def bounded(prompt: str) -> str:
    """A long prompt by its head and its tail: the task stands at one of the two ends."""
    if len(prompt) <= HEAD_CHARACTERS + TAIL_CHARACTERS:
        return prompt
    return prompt[:HEAD_CHARACTERS] + "\n" + prompt[-TAIL_CHARACTERS:]


@lru_cache(4)
def read_prompt(prompt: str) -> Prompt:
    """Raises UsageError when there is nothing in it."""
    text = bounded(prompt)
    text = (_RUN.sub(" ", text) if len(text) >= SHORTEST_RUN else text).replace("\0", " ").replace("\r\n", "\n").strip()
    if not prompt.strip():
        raise UsageError("The prompt is empty", "Say what you want to do: git cm retrieve 'where are slots rendered?'")
    if "<!--" in text:
        text = _COMMENT.sub(" ", text)
    if ":" in text:
        text = _TRAILER.sub(" ", text)
    fenced = "```" in text or "~~~" in text
    fences = [match[2] for match in _FENCE.finditer(text)] if fenced else []
    prose = _FENCE.sub("\n", text) if fenced else text
    code = "\n".join(fences)
    cleaned = without_boilerplate(prose) if not fences or prose.strip() else prose
    places = _places(prose + "\n" + code)
    scope = _SCOPE.match(prose) if ":" in prose else None
    no_urls = _ISSUE.sub(" ", _URL.sub(" ", cleaned) if "://" in cleaned else cleaned)
    names = _names(no_urls, code)
    bare = [] if no_urls.isascii() else [Name(word, False, False) for word in _bare_names(no_urls)]
    searched = _PREFIX.sub(" ", no_urls) if ":" in no_urls else no_urls
    searched = (_HEADING.sub(" ", searched) if _mentions(searched, _OF_HEADINGS) else searched).strip()
    of_tests = _mentions(prose, _OF_TESTS)
    tests_asked = of_tests and bool(_TESTS_ASKED.search(prose.strip().split("\n", 1)[0]))
    title = next((line for line in searched.splitlines() if line.strip()), "")
    return Prompt(
        title=title.strip(),
        text=searched,
        code=code,
        names=(*names, *(name for name in bare if name not in names)),
        places=places,
        literals=tuple(dict.fromkeys(next(filter(None, found)) for found in _quoted(no_urls)))[:32],
        scope=scope[1] if scope else "",
        tests_asked=tests_asked,
        mentions_tests=of_tests and bool(_TEST_WORDS.search(prose)),
        idle=not code.strip() and is_idle(prose),
        asks=not (code.strip() or names or tests_asked) and _asks(prose),
    )


def _asks(prose: str) -> bool:
    """Whether a short prompt looks for code and orders no change of it. What orders nothing in so many words ("cookie
    parsing") is taken for a question; a commit's prefix, an order and a complaint are not."""
    text = prose.strip()
    if "\n" in text or len(text.split()) > MOST_ASKED or _PREFIX.match(text):
        return False
    return bool(_ASKS.search(text)) or (text.isascii() and not _ORDERS.search(text))


def _mentions(text: str, words: tuple[str, ...]) -> bool:
    """Whether a pattern whose every match holds one of these words can match at all."""
    folded = text.casefold().replace("ı", "i")  # as IGNORECASE has it
    return any(word in folded for word in words)


def _quoted(text: str) -> list[tuple[str, ...]]:
    return _QUOTED.findall(text) if any(mark in text for mark in "\"'“«") else []


def _places(text: str) -> tuple[Place, ...]:
    found: dict[Place, None] = {}
    ticks = "`" in text
    told = _mentions(text, ("line", "строк"))
    for ticked in _TICKED.finditer(text) if ticks else ():
        # In back-ticks a path may hold anything: spaces, commas, brackets, any script.
        whole = _TICKED_PATH.fullmatch(ticked[1].strip())
        if whole and len(found) < MOST_PATHS:
            path = whole[1].replace("\\", "/").removeprefix("./")
            lines = _ends(whole[2], whole[3]) or (_told_lines(text, ticked) if told else ())
            found.update(dict.fromkeys(Place(path, line, False) for line in lines or (0,)))
    for line in (_TICKED.sub(_without_paths, text) if ticks else text).split("\n"):
        for match in _FRAME.finditer(line) if "." in line else ():
            path = re.sub(r"^(?:[a-z-]+:/{2,3}(?:localhost|127\.0\.0\.1)?(?::\d+)?)", "", match[1].replace("\\", "/"))
            path = path.lstrip("({'\"" if "]" in path else "([{'\"").removeprefix("./")
            frame = line.lstrip().startswith("at ") or "@" in line[: match.start()]
            lines = _ends(match[2], match[3]) or (_told_lines(line, match) if told else ())
            found.update(dict.fromkeys(Place(path, at, frame) for at in lines or (0,)))
            if len(found) >= MOST_PATHS:
                return tuple(found)
    return tuple(found)


def _ends(first: str | None, last: str | None) -> tuple[int, ...]:
    """The first and the last line of a range; the one line; nothing where none was written."""
    return tuple(dict.fromkeys(int(text) for text in (first, last) if text and int(text)))


def _told_lines(text: str, path: re.Match[str]) -> tuple[int, ...]:
    """Lines that are told in words beside a path."""
    before = _LINES_BEFORE.search(text[max(0, path.start() - LINES_WITHIN) : path.start()])
    told = before or _LINES_AFTER.match(text[path.end() : path.end() + LINES_WITHIN])
    return _ends(told[1], told[2]) if told else ()


def _without_paths(ticked: re.Match[str]) -> str:
    return " " if _TICKED_PATH.fullmatch(ticked[1].strip()) else ticked[0]


def is_distinctive(name: str) -> bool:
    """Whether a word can only be an identifier: a capital inside, `_` or `$`, or a digit between letters."""
    inner = name[1:]
    if "_" in name.strip("_") or "$" in name:
        return True
    if any(a.islower() and b.isupper() for a, b in zip(name, inner, strict=False)):
        return True
    return len(name) > 3 and name[:2].isupper() and any(letter.islower() for letter in name[2:])


def _names(prose: str, code: str) -> tuple[Name, ...]:
    found: dict[str, Name] = {}

    def add(text: str, ticked: bool, from_code: bool) -> None:
        text = unescape(text).strip(".")
        if text and len(text) <= 120 and len(found) < MOST_NAMES:
            found.setdefault(text, Name(text, ticked, from_code))

    for ticked in _TICKED.findall(prose) if "`" in prose else ():
        called = re.fullmatch(rf"(?:new |<|@|\.)?({_DOTTED.pattern})(?:\(.*\)|>|\s*/>)?;?", ticked.strip())
        if called:
            add(called[1], True, False)
        else:
            for name in _DOTTED.findall(ticked):
                if any(is_distinctive(part) for part in re.split(r"[.#]|::", name)):
                    add(name, True, False)
    both = prose + "\n" + code
    for match in _CALLEE.finditer(both) if "at " in both or "@" in both else ():
        add(match[1] or match[2], False, True)
    for name in _DOTTED.findall(prose):
        parts = re.split(r"[.#]|::", name)
        if "." in name and re.match(rf".*{SOURCE_SUFFIX}(?![A-Za-z0-9_$])", name, re.IGNORECASE):
            continue
        # A dotted name counts only where it is a qualified name of the tree, so `e.g` and `node.js` do no harm.
        if any(is_distinctive(part) for part in parts) or (len(parts) > 1 and len(parts[-1]) > 1):
            add(name, False, False)
    for called in re.findall(rf"(?<![\w$.])({_ID})\(\)", prose) if "()" in prose else ():
        add(called, False, False)
    for match in _AMONG_IDEOGRAPHS.finditer(prose) if not prose.isascii() else ():
        # Han and Kana stand beside a name without a space: the whole run is no identifier of the tree.
        text = (match[1] or match[2]).strip(".#")
        if any(is_distinctive(part) for part in re.split(r"[.#]", text)) or prose[match.end() :].startswith("()"):
            add(text, False, False)
    for name in _DOTTED.findall(code[:20_000]):
        if any(is_distinctive(part) for part in re.split(r"[.#]|::", name)):
            add(name, False, True)
    return tuple(found.values())


def _bare_names(prose: str) -> list[str]:
    """Latin words of a text in another script that are neither words about the work nor tools."""
    prose = _PATHS.sub(" ", prose)  # a file's name says nothing of the language that is spoken
    if not _OTHER_SCRIPT.search(prose):
        return []
    words = list(dict.fromkeys(_LATIN_WORD.findall(prose)))
    if len(words) > MOST_LATIN:
        return []
    return [word for word in words if not (word.lower() in _TOOLS or is_idle(word) or is_stop_word(word))]
