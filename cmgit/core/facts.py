"""Blob facts: what one blob says by itself.

Facts depend on the bytes, the language and the facts recipe, on nothing else: not on the path, the tree or the clock.
They are columns, one sequence for each field, because decoding columns is ten times faster than decoding records.
A column is any sequence of ints (`array.array` when extracted, `list` when read back); all columns of one table have
the same length. Strings are kept once in `BlobFacts.strings`, and columns hold their index there.

All offsets are byte offsets in the outer file (a Vue component's script keeps the component's offsets), end exclusive.
Lines count from 1, end inclusive. A line ends at LF, CRLF or a lone CR.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from enum import IntEnum, IntFlag

from cmgit.core.record import record

NONE = -1
"""The absent index in every column that refers to a row or a string."""


class UnitKind(IntEnum):
    FILE = 0
    FUNCTION = 1
    METHOD = 2
    CLASS = 3
    INTERFACE = 4
    TYPE = 5
    ENUM = 6
    NAMESPACE = 7
    VARIABLE = 8
    CALLBACK = 9
    BLOCK = 10

    @property
    def label(self) -> str:
        return self.name.lower()


class UnitFlag(IntFlag):
    """What a unit is beyond its kind. Kept in one integer for each unit."""

    EXPORTED = 1
    DEFAULT = 2  # the default export; `name` may be empty, the path gives one when a tree is linked
    STATIC = 4
    GETTER = 8
    SETTER = 16
    CONSTRUCTOR = 32
    ASYNC = 64
    GENERATOR = 128
    BODILESS = 256  # a signature: overload, abstract or ambient member
    COMPUTED = 512  # the name is source text in brackets: `[Symbol.iterator]`
    FIELD = 1024  # a class field or object property that holds a function
    OVERLOADED = 2048  # signatures before it belong to the same symbol and lie in its doc range
    PARTIAL = 4096  # the parser found an error inside
    ABSTRACT = 8192
    PRIVATE = 16384
    LOCAL = 32768  # declared inside a function body: not reachable from outside


class RefKind(IntEnum):
    CALL = 0
    NEW = 1
    JSX = 2
    TAG = 3
    DECORATOR = 4
    TYPE = 5
    EXTENDS = 6
    IMPLEMENTS = 7
    VALUE = 8  # read without being called: passed on, stored, compared

    @property
    def label(self) -> str:
        return self.name.lower()


class BlobStatus(IntEnum):
    """Why a blob has facts, or has none. Stored, counted in `status`, not tried again until the recipe changes."""

    PARSED = 0
    PARTIAL = 1  # syntax errors; the good units are there
    EMPTY = 2
    BINARY = 3  # a NUL byte, UTF-16, or too many bytes that are no text
    OVERSIZED = 4
    LFS_POINTER = 5
    RUNAWAY = 6  # the parser was stopped by its count; the units before that line are there
    UNREADABLE = 7  # the object is missing or damaged; tried again at the next build
    MINIFIED = 8  # a bundle by size and shape; not parsed
    CONFLICTED = 9  # conflict markers; what parses is there
    SYMLINK = 10  # never followed
    GITLINK = 11  # a submodule or nested repository; it has an index of its own

    @property
    def label(self) -> str:
        return self.name.lower().replace("_", "-")


@record
class UnitColumns:
    """Units in document order of their start (outer before inner). Row 0 is the file, for every parsed blob.

    kind: UnitKind. name, qualname: string index (`Class.member`, `outer.inner`). owner: unit row or NONE; the file is
    the owner of top-level units. start, end: bytes, decorators and `export` included, the doc comment not.
    name_start, name_line: where the declared name stands (= start where it has none).
    body_start: where the body begins (`{` or the value), for a signature; = end where there is none.
    doc_start, doc_end: the doc comment before it, both 0 where there is none. flags: UnitFlag.
    """

    kind: Sequence[int]
    name: Sequence[int]
    qualname: Sequence[int]
    owner: Sequence[int]
    start: Sequence[int]
    end: Sequence[int]
    start_line: Sequence[int]
    end_line: Sequence[int]
    name_start: Sequence[int]
    name_line: Sequence[int]
    body_start: Sequence[int]
    doc_start: Sequence[int]
    doc_end: Sequence[int]
    flags: Sequence[int]

    def __len__(self) -> int:
        return len(self.kind)


@record
class RefColumns:
    """References in document order.

    kind: RefKind. start, end: the callee expression, or for a VALUE what is read. name_start: its last identifier,
    NONE where it ends with none (`f()()`). line: of `start`.
    name: string index of the last identifier. unit: the innermost unit that it stands in. value: row of ValueColumns
    that the callee denotes, or NONE. A VALUE denotes a unit, an import or a member of one.
    """

    kind: Sequence[int]
    start: Sequence[int]
    end: Sequence[int]
    name_start: Sequence[int]
    line: Sequence[int]
    name: Sequence[int]
    unit: Sequence[int]
    value: Sequence[int]

    def __len__(self) -> int:
        return len(self.kind)


@record
class ImportColumns:
    """Imported bindings and module requests, in document order.

    kind: ImportKind. specifier: string index. imported: string index of the imported name (`default`, `*` for a
    namespace, NONE for a side-effect import). local: string index of the local name or NONE. start, end, line: the
    whole request (statement or call). type_only: 0 or 1. unit: the unit it stands in.
    """

    kind: Sequence[int]
    specifier: Sequence[int]
    imported: Sequence[int]
    local: Sequence[int]
    start: Sequence[int]
    end: Sequence[int]
    line: Sequence[int]
    type_only: Sequence[int]
    unit: Sequence[int]

    def __len__(self) -> int:
        return len(self.kind)


class ImportKind(IntEnum):
    ES = 0
    REQUIRE = 1  # `require("x")`, `import x = require("x")`
    DYNAMIC = 2  # `import("x")`
    REEXPORT = 3  # `export … from "x"`


@record
class ExportColumns:
    """What the blob offers to importers.

    name: string index of the outer name (`default`; `=` for `export =` and `module.exports = value`; `*` for
    `export * from`). value: row of ValueColumns that the name denotes, NONE for `*`. import_row: row of ImportColumns
    for a re-export, else NONE. `...` are the members of a value (`Object.assign(exports, value)`); `global NAME` and
    `script NAME` are names that a `declare global` block or a script without imports and exports declares. Conditional
    assignments give several rows of one name.
    """

    name: Sequence[int]
    value: Sequence[int]
    import_row: Sequence[int]

    def __len__(self) -> int:
        return len(self.name)


class ValueOp(IntEnum):
    """What an expression or a written type denotes, as far as the blob alone can say. Lexical scope is resolved.

    The meaning of the operands a, b and of `name` (a string index) stands beside each; an operand that is not named
    is NONE. Linking evaluates these rows across files; a row refers only to rows of the same blob. A written type is
    the row of a value of that type, so types and values share their operations. `list` is a row of `BlobFacts.args`:
    args[list] is a length, its items follow.
    """

    UNKNOWN = 0
    UNIT = 1  # a: unit row; the declared thing itself (function, class, namespace, enum, variable)
    IMPORT = 2  # a: import row
    GLOBAL = 3  # name: an identifier that no scope of the blob declares
    MEMBER = 4  # a: value; name: the property
    CALL = 5  # a: callee value; b: list of arguments or NONE; its result
    NEW = 6  # a: class value; b: list of arguments or NONE; an instance
    THIS = 7  # a: unit row of a class or constructor function; an instance of it
    STATIC_THIS = 8  # a: class unit row, inside a static member
    SUPER = 9  # a: class unit row; b: 1 inside a static member; the base
    PARAM = 10  # a: what is known of it (type, default value, context) or NONE; name
    EXPORTS = 11  # what this blob exports, as one object (`exports`, `module.exports`)
    AWAIT = 12  # a: value
    ELEMENT = 13  # a: value; one element of an array or iterable
    OBJECT = 14  # a: first row in PropColumns, b: number of rows; an object literal or a type literal
    UNION = 15  # a, b: values; either of them (conditional, `||`, several assignments, union types)
    FUNCTION = 16  # a: first row in PropColumns, b: number of rows; a function that is no unit, or a function type
    PROMISE = 17  # a: value; a promise of it
    ARRAY = 18  # a: value of an element or NONE
    TYPE_NAME = 19  # a: what the name denotes (IMPORT, UNIT, MEMBER, GLOBAL); b: list of type arguments or NONE
    INTERSECT = 20  # a, b: types
    INSTANTIATE = 21  # a: callee value; b: list of written type arguments
    TUPLE = 22  # b: list of its types
    TYPE_PARAM = 23  # a: value of its constraint or NONE; b: a number that tells it from others of its name; name
    CALLBACK_PARAM = 24  # a: value of the function that the context asks for; b: position, -2 - it for a rest parameter
    LITERAL = 25  # name: `string`, `number`, `boolean`, `RegExp`, `null`, …; `"text` for a short string's own type
    EXPECTED = 26  # a: callee value; b: argument position; what the callee declares there
    NARROWED = 27  # a: value; b: class value or NONE; `instanceof` holds here
    KEYED = 28  # a: value; `a[expr]` with an expression that is not a literal
    DECLARED = 29  # a: written type; b: initial value
    EXTENDED = 30  # a: value; b: an OBJECT whose members were assigned to it later
    GUARDED = 31  # a: value; b: callee of a call that tests it (`isFoo(x)`)
    NEW_EXPECTED = 32  # as EXPECTED, for the arguments of a construction
    GETTER = 33  # a: UNIT or FUNCTION row of an accessor; the value that it returns
    RETURNED = 34  # a: value of a function; what calling it gives
    INDEX = 36  # a: value; b: value of a key; `T[K]`
    CONDITIONAL = 37  # b: list of check, bound, and the types for yes and no; `C extends B ? Y : N`
    SIGNATURE = 35  # a: value; a member that is declared with its type (`m: typeof f`), and is not the thing itself


@record
class ValueColumns:
    op: Sequence[int]
    a: Sequence[int]
    b: Sequence[int]
    name: Sequence[int]

    def __len__(self) -> int:
        return len(self.op)


@record
class PropColumns:
    """Members: of an OBJECT or FUNCTION (which name their range of rows), and, where `unit` is not NONE, of that unit:
    class fields and methods, `this.x =`, `X.prototype.m =` and `x.m =` assignments.

    Names that no program can spell say what else is known of a unit or function: `()` result of a call, `(0)`, `(1)`…
    type of a parameter, `(...1)` the element type of a rest parameter, `(?0)` the type that a type predicate gives
    parameter 0, `<0>`, `<1>`… type parameters, `new` instance that a construct signature gives, `<` the base class or
    extended interface, `<<` an implemented interface, `[]` value of an index signature, `...` a spread object,
    `:` declared type of a variable or meaning of a type alias, `=` its value, `{}` a mark for a variable that unpacks
    its value (`const { a } = b`), `{=}` for one that may get another value. Of the file's unit, `{:}` are the object
    literals that are written for a type, as DECLARED rows.

    static: 1 for a member of the class itself.
    """

    unit: Sequence[int]
    name: Sequence[int]
    value: Sequence[int]
    static: Sequence[int]

    def __len__(self) -> int:
        return len(self.name)


@record
class BlobFacts:
    """Everything that one blob says by itself.

    language: name in `cmgit.languages`. status: why there are facts or none. errors: syntax errors counted by the
    parser. size: bytes of the blob. lines: number of lines. line_breaks are not kept: rows carry their lines.
    args: value rows, flat; a CALL's arguments are args[b+1 : b+1+args[b]].
    """

    language: str
    status: BlobStatus
    errors: int
    size: int
    lines: int
    strings: tuple[str, ...]
    units: UnitColumns
    refs: RefColumns
    imports: ImportColumns
    exports: ExportColumns
    values: ValueColumns
    props: PropColumns
    args: Sequence[int]

    def name(self, unit: int) -> str:
        return self.strings[self.units.name[unit]]

    def qualname(self, unit: int) -> str:
        return self.strings[self.units.qualname[unit]]


def empty_facts(language: str, status: BlobStatus, size: int) -> BlobFacts:
    """Facts of a blob that was not parsed: nothing but the reason."""
    return BlobFacts(
        language=language,
        status=status,
        errors=0,
        size=size,
        lines=0,
        strings=(),
        units=UnitColumns(*((),) * 14),
        refs=RefColumns(*((),) * 8),
        imports=ImportColumns(*((),) * 9),
        exports=ExportColumns(*((),) * 3),
        values=ValueColumns(*((),) * 4),
        props=PropColumns(*((),) * 4),
        args=(),
    )


CONFIG_LANGUAGE = "config"
"""The language of a file that linking reads as text: package.json, tsconfig.json, pnpm-workspace.yaml, …"""


def config_facts(text: str) -> BlobFacts:
    """Facts of a config blob: its text, so that a tree can be linked without reading git."""
    facts = empty_facts(CONFIG_LANGUAGE, BlobStatus.PARSED, len(text))
    return replace(facts, strings=(text,), exports=ExportColumns(name=(0,), value=(NONE,), import_row=(NONE,)))


def config_text(facts: BlobFacts) -> str:
    """The text that `config_facts` kept; empty for a blob that was skipped."""
    return facts.strings[facts.exports.name[0]] if facts.exports.name else ""
