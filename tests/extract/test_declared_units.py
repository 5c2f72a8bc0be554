"""Units of sources as people write them."""

from __future__ import annotations

import subprocess
import sys

import pytest
from unit_helpers import doc_of, facts_of, flags_of, kinds_and_names, row_of, text_of

from cmgit.core.facts import NONE, BlobStatus, UnitFlag, UnitKind


def test_a_class_gives_itself_and_every_member_that_holds_code() -> None:
    facts = facts_of(
        """
export class Api<T> extends mix(Base) implements X {
  #x = 1;
  static count = 0;
  async list(): Promise<void> {}
  handler = (e: Event) => {};
  bound = (function () {}) as Handler;
  get size() { return 1 }
  set size(v) {}
  static *[Symbol.iterator]() {}
  private secret() {}
  #hidden() {}
  constructor(private a: A) { super(); }
  'quoted name'() {}
  42() {}
}
"""
    )
    assert kinds_and_names(facts) == [
        "class Api",
        "method Api.list",
        "method Api.handler",
        "method Api.bound",
        "method Api.size",
        "method Api.size",
        "method Api.[Symbol.iterator]",
        "method Api.secret",
        "method Api.#hidden",
        "method Api.constructor",
        "method Api.quoted name",
        "method Api.42",
    ]
    assert flags_of(facts, "Api") == UnitFlag.EXPORTED
    assert flags_of(facts, "Api.list") == UnitFlag.ASYNC
    assert flags_of(facts, "Api.handler") == UnitFlag.FIELD
    expected = UnitFlag.STATIC | UnitFlag.GENERATOR | UnitFlag.COMPUTED
    assert flags_of(facts, "Api.[Symbol.iterator]") == expected
    assert flags_of(facts, "Api.secret") == UnitFlag.PRIVATE
    assert flags_of(facts, "Api.#hidden") == UnitFlag.PRIVATE
    assert flags_of(facts, "Api.constructor") == UnitFlag.CONSTRUCTOR
    assert [facts.units.flags[row] for row in (5, 6)] == [UnitFlag.GETTER, UnitFlag.SETTER]


# tree-sitter-typescript#309: a method's decorators are siblings before it, a class's and a field's stand inside.
def test_a_unit_begins_at_its_first_decorator_and_its_doc_comment_stands_before() -> None:
    source = """
/** Serves users. */
@Injectable()
export class Api {
  /** Lists them. */
  @Get("/u")
  @Auth({
    role: "admin",
  })
  list() {}

  @Input() changed = () => {};

  // no decorator
  plain() {}
}
@first export class A {}
export @second class B {}
"""
    facts = facts_of(source)
    assert text_of(source, facts, "Api").startswith("@Injectable()\nexport class Api")
    assert doc_of(source, facts, "Api") == "/** Serves users. */"
    assert text_of(source, facts, "Api.list").startswith('@Get("/u")')
    assert text_of(source, facts, "Api.list").endswith("list() {}")
    assert doc_of(source, facts, "Api.list") == "/** Lists them. */"
    assert text_of(source, facts, "Api.changed").startswith("@Input() changed")
    assert text_of(source, facts, "Api.plain") == "plain() {}"
    assert doc_of(source, facts, "Api.plain") == "// no decorator"
    assert text_of(source, facts, "A") == "@first export class A {}"
    assert text_of(source, facts, "B") == "export @second class B {}"


def test_functions_bound_to_names_are_functions_wherever_they_stand() -> None:
    source = """
export const add = (a: number, b: number) => a + b;
let later = async function () {};
var a = 1, b = function* () {}, c;
const cast = ((x: any) => x) as Fn;
function outer() {
  const inner = () => {
    function deepest() {}
  };
}
if (flag) {
  function conditional() {}
}
"""
    facts = facts_of(source)
    names = [name for name in kinds_and_names(facts) if name.startswith("function")]
    assert names == [
        "function add",
        "function later",
        "function b",
        "function cast",
        "function outer",
        "function outer.inner",
        "function outer.inner.deepest",
        "function conditional",
    ]
    assert text_of(source, facts, "add") == "export const add = (a: number, b: number) => a + b;"
    assert text_of(source, facts, "b") == "b = function* () {}"
    assert flags_of(facts, "later") == UnitFlag.ASYNC
    assert flags_of(facts, "b") == UnitFlag.GENERATOR
    assert flags_of(facts, "outer.inner") == UnitFlag.LOCAL
    assert not flags_of(facts, "conditional") & UnitFlag.LOCAL


def test_a_wrapped_function_has_the_name_of_its_variable() -> None:
    facts = facts_of(
        """
export const Button = memo(forwardRef(function Inner(props, ref) { const onClick = useCallback(() => {}, []); }));
const save = debounce(async () => {}, 100);
const names = users.map((user) => user.name);
""",
        "tsx",
    )
    assert kinds_and_names(facts) == [
        "function Button",
        "function Button.onClick",
        "function save",
        "variable names",
    ]
    assert flags_of(facts, "save") == UnitFlag.ASYNC


def test_object_literals_give_their_methods_under_what_names_them() -> None:
    facts = facts_of(
        """
const api = {
  short() {},
  arrow: () => 1,
  nested: { deep: function () {} },
  "str-key": async () => {},
  get q() { return 1 },
  [computed]() {},
  data: 1,
};
function make() {
  const local = { run() {} };
  return { stop() {} };
}
use({ plugin() {} });
"""
    )
    assert kinds_and_names(facts) == [
        "variable api",
        "method api.short",
        "method api.arrow",
        "method api.nested.deep",
        "method api.str-key",
        "method api.q",
        "method api.[computed]",
        "function make",
        "variable make.local",
        "method make.local.run",
        "method make.stop",
        "block ",
        "method plugin",
    ]
    assert flags_of(facts, "api.short") == 0
    assert flags_of(facts, "make.stop") == UnitFlag.LOCAL


def test_commonjs_assignments_are_declarations() -> None:
    source = """
'use strict'
var express = require('express'), app = express();
const { join } = require("path");
/** Sets the type. */
res.contentType =
res.type = function contentType(type) {};
exports = module.exports = createApplication;
exports.named = function () {};
exports.data = { a: 1, m() {} };
exports.alias = join;
Foo.prototype.bar = function bar() { this.made = () => 1 };
Foo.prototype = { baz() {} };
obj["key"] = function () {};
obj[dynamic] = function () {};
obj[Symbol.iterator] = function* () {};
module.exports = { createApplication, helper() {}, other: shared };
function createApplication() {}
function shared() {}
"""
    facts = facts_of(source, "javascript")
    assert [name for name in kinds_and_names(facts) if not name.startswith("block")] == [
        "variable app",
        "method res.type",
        "function named",
        "variable data",
        "method data.m",
        "method Foo.bar",
        "method Foo.made",
        "method Foo.baz",
        "method obj.key",
        "method obj.[Symbol.iterator]",
        "variable ",
        "method helper",
        "function createApplication",
        "function shared",
    ]
    assert flags_of(facts, "createApplication") == UnitFlag.EXPORTED | UnitFlag.DEFAULT
    assert flags_of(facts, "named") == UnitFlag.EXPORTED
    assert flags_of(facts, "shared") == UnitFlag.EXPORTED
    assert flags_of(facts, "helper") == UnitFlag.EXPORTED
    assert flags_of(facts, "Foo.made") == UnitFlag.FIELD


def test_a_chain_of_assignments_declares_each_value_once() -> None:
    facts = facts_of(
        """
var app = exports = module.exports = { init() {} };
var foo = exports.foo = function () {};
var x = exports.y = function () {};
var bar = module.exports = function () { this.z = () => 1 };
exports = module.exports = { a() {} };
""",
        "javascript",
    )
    assert kinds_and_names(facts) == [
        "variable app",
        "method app.init",
        "function foo",
        "variable x",
        "function y",
        "function bar",
        "method bar.z",
        "variable ",
        "method a",
    ]
    assert flags_of(facts, "app") == UnitFlag.EXPORTED | UnitFlag.DEFAULT
    assert flags_of(facts, "bar") == UnitFlag.EXPORTED | UnitFlag.DEFAULT
    assert flags_of(facts, "foo") == UnitFlag.EXPORTED
    assert flags_of(facts, "y") == UnitFlag.EXPORTED
    assert flags_of(facts, "x") == 0


def test_members_that_methods_assign_to_this_belong_to_the_class() -> None:
    facts = facts_of(
        """
class Store {
  constructor() { this.now = () => 2; }
  open() { this.close = function () { this.last = () => 3; }; }
}
function Legacy() { this.run = function () {}; }
"""
    )
    names = [name for name in kinds_and_names(facts) if name.startswith("method")]
    assert names == [
        "method Store.constructor",
        "method Store.now",
        "method Store.open",
        "method Store.close",
        "method Store.last",
        "method Legacy.run",
    ]
    assert not flags_of(facts, "Store.now") & UnitFlag.LOCAL


# entireio/entire-graph#79: dropping signatures makes the typed surface unsearchable, keeping them all is five-fold.
def test_overloads_are_one_symbol_and_their_signatures_its_doc() -> None:
    source = """
// adds
export function f(a: string): void;
/** second */
export function f(a: number): void;
export function f(a: any) {}
class C {
  m(a: string): void;
  m(a: number): void;
  m(a: any) {}
  other(): void {}
}
"""
    facts = facts_of(source)
    assert kinds_and_names(facts) == ["function f", "class C", "method C.m", "method C.other"]
    assert text_of(source, facts, "f") == "export function f(a: any) {}"
    assert doc_of(source, facts, "f").startswith("// adds\nexport function f(a: string): void;\n/** second */")
    assert flags_of(facts, "f") == UnitFlag.EXPORTED | UnitFlag.OVERLOADED
    assert flags_of(facts, "C.m") == UnitFlag.OVERLOADED
    assert doc_of(source, facts, "C.m").count("m(a:") == 2


def test_declarations_without_a_body_are_units_once_and_say_so() -> None:
    facts = facts_of(
        """
declare function amb(x: string): void;
declare function amb(x: number): void;
export declare function single(): void;
declare const VERSION: string;
export declare class Box<T> { get(): T; get(key: string): T; put(value: T): void; }
declare global { interface Window { app: Box<number> } }
declare module "vue" { export interface Extra {} function bar(): void }
abstract class Shape { abstract area(): number; name(): string { return "" } }
"""
    )
    assert kinds_and_names(facts) == [
        "function amb",
        "function single",
        "variable VERSION",
        "class Box",
        "method Box.get",
        "method Box.put",
        "block global",
        "interface Window",
        "block vue",
        "interface Extra",
        "function bar",
        "class Shape",
        "method Shape.area",
        "method Shape.name",
    ]
    assert flags_of(facts, "amb") == UnitFlag.BODILESS | UnitFlag.OVERLOADED
    assert flags_of(facts, "single") == UnitFlag.BODILESS | UnitFlag.EXPORTED
    assert flags_of(facts, "Box.get") == UnitFlag.BODILESS | UnitFlag.OVERLOADED
    assert flags_of(facts, "Shape.area") == UnitFlag.BODILESS | UnitFlag.ABSTRACT
    row = row_of(facts, "single")
    assert facts.units.body_start[row] == facts.units.end[row]


def test_types_enums_and_namespaces_are_units_and_members_of_types_are_not() -> None:
    facts = facts_of(
        """
export interface I { m(): void; get x(): string; f: () => void }
type T = { a: () => void };
export const enum E { A, B }
namespace A.B { export const q = 1; export function w() {} const hidden = () => 1 }
export namespace N { namespace Inner { class K {} } }
"""
    )
    assert kinds_and_names(facts) == [
        "interface I",
        "type T",
        "enum E",
        "namespace A",
        "namespace A.B",
        "variable A.B.q",
        "function A.B.w",
        "function A.B.hidden",
        "namespace N",
        "namespace N.Inner",
        "class N.Inner.K",
    ]
    assert flags_of(facts, "A.B.w") == UnitFlag.EXPORTED
    assert flags_of(facts, "A.B.hidden") == 0
    assert facts.units.owner[row_of(facts, "A.B.w")] == row_of(facts, "A.B")


def test_callbacks_are_named_by_their_call_and_nested_ones_by_the_chain() -> None:
    source = """
app.get('/users/:id', auth, async (req, res) => { function helper() {} });
app.use(express.json());
describe("thing", () => {
  it('works', function () { const x = () => 1 });
  it.each([1, 2])(`adds ${a}`, () => {});
  beforeEach(() => {});
});
await request(app).get("/x", () => {});
"text".replace("a", () => "b");
router.post("/save", check(schema), wrap(async (req, res) => {}));
describe(Store.name, () => {});
run(later, () => {});
"""
    facts = facts_of(source, "javascript")
    assert kinds_and_names(facts) == [
        "callback app.get /users/:id",
        "function helper",
        "block ",
        "callback describe thing",
        "callback describe thing > it works",
        "function x",
        "callback describe thing > it.each adds ${a}",
        "callback get /x",
        "block ",
        "callback router.post /save",
        "callback describe Store.name",
        "block ",
    ]
    assert facts.name(row_of(facts, "describe thing > it works")) == "it works"
    assert text_of(source, facts, "app.get /users/:id").endswith("});")
    assert flags_of(facts, "app.get /users/:id") == UnitFlag.ASYNC
    assert facts.units.owner[row_of(facts, "x")] == row_of(facts, "describe thing > it works")


def test_runs_of_other_statements_are_blocks() -> None:
    source = """import a from "a";
// starts
start();
stop();

const x = 1;
for (const y of a) { y(); }
export {};
"""
    facts = facts_of(source)
    assert kinds_and_names(facts) == ["block ", "variable x", "block "]
    units = facts.units
    assert (units.start_line[1], units.end_line[1]) == (3, 4)
    assert source[units.doc_start[1] : units.doc_end[1]] == "// starts"
    assert (units.start_line[3], units.end_line[3]) == (7, 7)


def test_top_level_data_is_a_variable_and_imports_are_none() -> None:
    facts = facts_of(
        """
import thing from "thing";
const lib = require("lib").part;
const loaded = await import("./x");
export const { a, b: [c], ...rest } = thing;
const table = { a: 1 }, count = 2;
let unset;
function f() { const local = { a: 1 }; let other = 2; }
export const enabled = true;
"""
    )
    names = [name for name in kinds_and_names(facts) if name.startswith("variable")]
    assert names == [f"variable {name}" for name in ("a", "c", "rest", "table", "count", "unset", "enabled")]
    assert flags_of(facts, "c") == UnitFlag.EXPORTED


@pytest.mark.parametrize(
    ("source", "name", "kind"),
    [
        ("export default function () {}", "", UnitKind.FUNCTION),
        ("export default function named() {}", "named", UnitKind.FUNCTION),
        ("export default () => 1;", "", UnitKind.FUNCTION),
        ("export default async (x) => x", "", UnitKind.FUNCTION),
        ("export default class {}", "", UnitKind.CLASS),
        ("export default class Named {}", "Named", UnitKind.CLASS),
        ("export default { a: 1 }", "", UnitKind.VARIABLE),
        ("export default defineConfig(() => ({}))", "", UnitKind.FUNCTION),
        ("export default memo(function Card() {})", "Card", UnitKind.FUNCTION),
        ("module.exports = function () {}", "", UnitKind.FUNCTION),
        ("module.exports = function named() {}", "named", UnitKind.FUNCTION),
        ("module.exports = class {}", "", UnitKind.CLASS),
        ("export = { a: 1 }", "", UnitKind.VARIABLE),
    ],
)
def test_a_default_export_is_a_unit_with_or_without_a_name(source: str, name: str, kind: UnitKind) -> None:
    facts = facts_of(source, "typescript")
    assert (facts.name(1), facts.units.kind[1]) == (name, kind)
    assert facts.units.flags[1] & (UnitFlag.EXPORTED | UnitFlag.DEFAULT) == UnitFlag.EXPORTED | UnitFlag.DEFAULT
    assert (facts.units.start[1], facts.units.end[1]) == (0, len(source))


def test_members_of_an_anonymous_default_export_are_named_from_there() -> None:
    facts = facts_of("export default { methods: { foo() {} }, data() { return {} } }", "javascript")
    assert kinds_and_names(facts) == ["variable ", "method methods.foo", "method data"]


@pytest.mark.parametrize(
    ("source", "flags"),
    [
        ("function f() {}\nexport { f };", UnitFlag.EXPORTED),
        ("function f() {}\nexport { f as g };", UnitFlag.EXPORTED),
        ("function f() {}\nexport { f as default };", UnitFlag.EXPORTED | UnitFlag.DEFAULT),
        ("export default f;\nfunction f() {}", UnitFlag.EXPORTED | UnitFlag.DEFAULT),
        ("export = f;\nfunction f() {}", UnitFlag.EXPORTED | UnitFlag.DEFAULT),
        ("function f() {}\nmodule.exports = { f };", UnitFlag.EXPORTED),
        ("function f() {}\nmodule.exports = { g: f };", UnitFlag.EXPORTED),
        ("function f() {}\nexports.g = f;", UnitFlag.EXPORTED),
        ("function f() {}\nmodule.exports = f;", UnitFlag.EXPORTED | UnitFlag.DEFAULT),
        ("function f() {}\nexport { f } from './other';", UnitFlag(0)),
        ("function f() {}\nexport * from './other';", UnitFlag(0)),
    ],
)
def test_what_is_exported_elsewhere_in_the_file_is_exported(source: str, flags: UnitFlag) -> None:
    assert flags_of(facts_of(source), "f") == flags


def test_a_name_inside_a_function_is_not_what_the_module_exports() -> None:
    facts = facts_of("function outer() { function f() {} }\nconst f = 1;\nexport { f };")
    assert not flags_of(facts, "outer.f") & UnitFlag.EXPORTED
    assert flags_of(facts, "f") == UnitFlag.EXPORTED


def test_doc_comments_stand_directly_before_on_lines_of_their_own() -> None:
    source = """
start(); // trailing
function a() {}

/** License. */

function b() {}
// one
// two
function c() {}
/* block */ function d() {}
/** far */
// near
function e() {}
"""
    facts = facts_of(source)
    docs = {name: doc_of(source, facts, name) for name in "abcde"}
    assert docs == {"a": "", "b": "", "c": "// one\n// two", "d": "/* block */", "e": "// near"}


def test_the_file_is_row_zero_and_owns_what_is_at_top_level() -> None:
    facts = facts_of("function a() { function b() {} }\n")
    assert list(facts.units.owner) == [NONE, 0, 1]
    assert (facts.units.start[0], facts.units.end[0]) == (0, facts.size)
    assert facts.status is BlobStatus.PARSED


def test_the_body_begins_at_the_brace_or_the_value() -> None:
    source = "const f = (a) => a;\nfunction g(x) { }\nclass K { }\ntype T = string;\nconst v = [1];\n"
    facts = facts_of(source)
    bodies = {name: source[facts.units.body_start[row_of(facts, name)] :][:2] for name in ("f", "g", "K", "T", "v")}
    assert bodies == {"f": "a;", "g": "{ ", "K": "{ ", "T": "st", "v": "[1"}


def test_jsx_files_and_typescript_casts_are_read_by_their_own_grammars() -> None:
    assert facts_of("export const A = () => <p>{x}</p>;", "javascript").status is BlobStatus.PARSED
    assert facts_of("export const A = (): X => <p>{x}</p>;", "tsx").status is BlobStatus.PARSED
    assert facts_of("export const a = <T>(x: T) => <U>x;", "typescript").status is BlobStatus.PARSED


def test_facts_do_not_depend_on_the_order_of_hashes() -> None:
    program = """
import sys
from cmgit.extract.extract import extract
source = b"export class A { m() {} static { } }\\napp.get('/x', () => {});\\nconst {a, b} = c;\\n"
facts = extract(source, "typescript", 10_000)
print(facts.strings, list(facts.units.start), list(facts.units.name), list(facts.units.flags))
"""
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program], env={"PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(outputs) == 1
