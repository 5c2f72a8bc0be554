"""Receivers: whose method a call means, without a type checker."""

from __future__ import annotations

from annotated import check


def test_this_super_and_static_members() -> None:
    check("""
        //- a.ts
        class Base { constructor() {} ; greet() {} ; static make() { return new this() } } // -> #Base
        class Derived extends Base {
          constructor() {
            super() // -> #Base
          }
          run() {
            this.greet() // -> #Base.greet
            super.greet() // -> #Base.greet
            this.own() // -> #Derived.own
            Derived.make() // -> #Base.make
            const later = () => this.own() // -> #Derived.own
            function lost(this: void) { this.own() } // -> external
          }
          own = () => {}
          static { this.make() } // -> #Base.make
        }
        """)


def test_a_member_of_a_base_from_outside_is_external() -> None:
    check("""
        //- a.ts
        import { EventEmitter } from "events"
        class Bus extends EventEmitter {
          send() {
            this.emit("x") // -> external
            this.mine() // -> #Bus.mine
          }
          mine() {}
        }
        """)


def test_annotations_of_every_place() -> None:
    check("""
        //- model.ts
        export class User { name() {} ; friend(): User { return this } ; all(): User[] { return [] } }
        //- use.ts
        import type { User } from "./model"
        function byParameter(user: User, maybe?: User | null, ...rest: User[]) {
          user.name() // -> model.ts#User.name
          maybe?.name() // -> model.ts#User.name
          rest[0].name() // -> model.ts#User.name
        }
        function byPattern({ user, list: [first] }: { user: User; list: User[] }) {
          user.name() // -> model.ts#User.name
          first.name() // -> model.ts#User.name
        }
        declare const made: User
        declare function get(): User
        declare const anything: any
        let assigned: User
        class Holder { private user: User; constructor(private readonly other: User) {}
          go() {
            this.user.name() // -> model.ts#User.name
            this.other.name() // -> model.ts#User.name
          }
        }
        made.name() // -> model.ts#User.name
        get().name() // -> #get, model.ts#User.name
        assigned.name() // -> model.ts#User.name
        ;(anything as User).name() // -> model.ts#User.name
        made.friend().friend().name() // -> model.ts#User.friend, model.ts#User.friend, model.ts#User.name
        anything.name() // -> unknown
        """)


def test_elements_of_arrays_maps_and_promises() -> None:
    check("""
        //- a.ts
        class Item { go() {} ; children: Item[] = [] }
        const items: Item[] = []
        const byId = new Map<string, Item>()
        async function all(): Promise<Item[]> { return items }
        for (const item of items) item.go() // -> #Item.go
        for (const [key, item] of byId) item.go() // -> #Item.go
        items.forEach((item) => item.go()) // -> external, #Item.go
        const kids = items.filter((i) => i.children.length).map((i) => i.children[0]) // -> external, external
        kids.forEach((i) => i.go()) // -> external, #Item.go
        items.find((i) => true)!.go() // -> external, #Item.go
        byId.get("a")?.go() // -> external, #Item.go
        Object.values({ a: new Item() }).forEach((i) => i.go()) // -> external, #Item, external, #Item.go
        async function use() {
          (await all())[0].go() // -> #all, #Item.go
          const [first] = await Promise.all([new Item()]) // -> external, #Item
          first.go() // -> #Item.go
          all().then((list) => list[0].go()) // -> #all, external, #Item.go
        }
        """)


def test_results_that_are_inferred() -> None:
    check("""
        //- a.ts
        class Query { where() { return this } ; run() {} ; static from() { return new Query() } } // -> #Query
        class Special extends Query { extra() {} }
        function build() { return new Query() } // -> #Query
        const arrow = () => build() // -> #build
        const later = async () => build() // -> #build
        function pick(flag: boolean) { return flag ? new Query() : new Special() } // -> #Query, #Special
        build().where().where().run() // -> #build, #Query.where, #Query.where, #Query.run
        arrow().run() // -> #arrow, #Query.run
        Query.from().run() // -> #Query.from, #Query.run
        new Special().where().extra() // -> #Special, #Query.where, #Special.extra
        pick(true).run() // -> #pick, #Query.run
        async function use() { (await later()).run() } // -> #later, #Query.run
        """)


def test_objects_and_what_factories_return() -> None:
    check("""
        //- a.js
        function create(options) {
          const state = {}
          return { start() { this.stop() }, stop, nested: { deep: () => {} } } // -> #create.stop
          function stop() {}
        }
        const { start, nested } = create()
        create().start() // -> #create, #create.start
        start() // -> #create.start
        nested.deep() // -> #create.nested.deep
        const extended = { ...create(), more() {} }
        extended.start() // -> #create.start
        extended.more() // -> #extended.more
        """)


def test_generics_are_followed() -> None:
    check("""
        //- a.ts
        class Item { go() {} }
        interface Box<T> { value: T; map<U>(f: (value: T) => U): Box<U> }
        declare function box<T>(value: T): Box<T>
        declare function make<T>(create: () => T): T
        function first<T extends Item>(list: T[]) {
          list[0].go() // -> #Item.go
          return list[0]
        }
        class Store<T> { constructor(private item: T) {} ; get(): T { return this.item } }
        class Items extends Store<Item> {}
        box(new Item()).value.go() // -> #box, #Item, #Item.go
        box("").map(() => new Item()).value.go() // -> #box, unknown, #Item, #Item.go
        make(() => new Item()).go() // -> #make, #Item, #Item.go
        first([new Item()]).go() // -> #first, #Item, #Item.go
        new Store(new Item()).get().go() // -> #Store, #Item, #Store.get, #Item.go
        new Store<Item>(null!).get().go() // -> #Store, #Store.get, #Item.go
        declare const items: Items
        items.get().go() // -> #Store.get, #Item.go
        declare const partial: Partial<Item>
        partial.go!() // -> #Item.go
        """)


def test_conditional_and_indexed_types() -> None:
    check("""
        //- a.ts
        class Socket { join() {} }
        interface Events { connection: (socket: Socket) => void }
        type Listener<M, E> = E extends keyof M ? M[E] : (...args: any[]) => void
        declare class Server { on<E extends string>(event: E, listener: Listener<Events, E>): this }
        type Unpacked<T> = T extends Promise<infer U> ? U : T
        declare const one: Unpacked<Promise<Socket>>
        declare const map: { a: Socket }
        declare const member: (typeof map)["a"]
        new Server().on("connection", (socket) => {
          socket.join() // -> #Socket.join
        })
        one.join() // -> #Socket.join
        member.join() // -> #Socket.join
        """)


def test_callbacks_get_what_their_context_declares() -> None:
    check("""
        //- a.ts
        class Context { text() {} }
        type Handler = (c: Context) => void
        interface Options { setup(c: Context): void; handlers?: Record<string, Handler> }
        declare function use(handler: Handler): void
        declare function define(options: Options): void
        use((c) => c.text()) // -> #use, #Context.text
        use(function (c) { c.text() }) // -> #use, #Context.text
        define({ setup(c) { c.text() }, handlers: { a: (c) => c.text() } }) // -> #define, #Context.text, #Context.text
        const typed: Handler = (c) => c.text() // -> #Context.text
        const satisfied = { setup: (c) => c.text() } satisfies Options // -> #Context.text
        function factory(): Handler { return (c) => c.text() } // -> #Context.text
        """)


def test_narrowing() -> None:
    check("""
        //- a.ts
        class Cat { meow() {} }
        class Dog { bark() {} }
        function isCat(pet: unknown): pet is Cat { return true }
        function speak(pet: unknown, other: Cat | Dog) {
          if (pet instanceof Dog) pet.bark() // -> #Dog.bark
          pet instanceof Cat && pet.meow() // -> #Cat.meow
          if (isCat(pet)) { pet.meow() } // -> #isCat, #Cat.meow
          if (other instanceof Dog) other.bark() // -> #Dog.bark
          if ("meow" in other) other.meow() // -> #Cat.meow
        }
        """)


def test_an_interface_with_one_implementation_is_likely() -> None:
    check("""
        //- a.ts
        export interface Port { send(): void; both(): void }
        export interface Shape { area(): void }
        class Only implements Port { send() {} ; both() {} }
        const other: Pick<Port, "both"> = { both() {} }
        class Circle implements Shape { area() {} }
        class Square implements Shape { area() {} }
        function use(port: Port, shape: Shape, made: Made) {
          port.send() // -> ~#Only.send
          shape.area() // -> unknown
          made.run() // -> ~#make.run
        }
        interface Made { run(): void }
        function make(): Made { return { run() {} } }
        """)


def test_a_double_in_a_test_is_no_implementation_of_the_product() -> None:
    check("""
        //- src/port.ts
        export interface Port { send(): void }
        export interface Clock { now(): void }
        export class Wire implements Port { send() {} }
        export function use(port: Port, clock: Clock) {
          port.send() // -> ~#Wire.send
          clock.now() // -> unknown
        }
        //- test/port.test.ts
        import type { Port, Clock } from "../src/port"
        interface Probe { look(): void }
        class Fake implements Port, Probe { send() {} ; look() {} }
        const clock: Clock = { now() {} }
        function see(probe: Probe) {
          probe.look() // -> ~#Fake.look
        }
        """)


def test_types_of_jsdoc() -> None:
    check("""
        //- model.js
        class Model { save() {} }
        /** @typedef {{ model: Model, list: Model[] }} Parts */
        module.exports = { Model }
        //- use.js
        const { Model } = require("./model")
        /** @type {Model} */
        let model
        /**
         * @param {import("./model").Model} given
         * @param {Array<Model>} list
         * @param {{ inner: Model }} options
         * @returns {Promise<Model>}
         */
        async function use(given, list, options) {
          given.save() // -> model.js#Model.save
          list[0].save() // -> model.js#Model.save
          options.inner.save(); // -> model.js#Model.save
          /** @type {Model} */ (window.thing).save() // -> model.js#Model.save
        }
        model.save() // -> model.js#Model.save
        use().then((m) => m.save()) // -> #use, external, model.js#Model.save
        """)


def test_getters_and_fields() -> None:
    check("""
        //- a.ts
        class Part { go() {} }
        class Whole {
          part = new Part() // -> #Part
          get lazy() { return new Part() } // -> #Part
          static shared = new Part() // -> #Part
          #hidden = new Part() // -> #Part
          run() {
            this.part.go() // -> #Part.go
            this.lazy.go() // -> #Part.go
            Whole.shared.go() // -> #Part.go
            this.#hidden.go() // -> #Part.go
          }
        }
        """)


def test_globals_of_declaration_files() -> None:
    check("""
        //- env.d.ts
        interface ImportMeta { hot: import("./hot").Hot }
        //- hot.ts
        export class Hot { accept() {} }
        declare global { interface Window { hot: Hot } }
        //- main.ts
        import.meta.hot.accept() // -> hot.ts#Hot.accept
        """)


def test_a_union_of_targets_is_likely() -> None:
    check("""
        //- a.ts
        const a = { go() {} }
        const b = { go() {} }
        const either = Math.random() > 0.5 ? a : b // -> external
        either.go() // -> ~#a.go+~#b.go
        """)


def test_recursion_ends() -> None:
    check("""
        //- a.js
        const a = () => b()
        const b = () => a()
        a().x.y() // -> #a, unknown
        let node = start
        while (node) { node = node.next }
        node.go() // -> external
        class Loop extends Loop { go() { this.gone() } } // -> unknown
        """)
