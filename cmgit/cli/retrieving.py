"""What `git cm retrieve` does, apart from its command line: click costs a cold start 30 ms, and whoever asks for the
source of a task on behalf of an agent needs none of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from cmgit.cli.output import note, one_line, pending_json, place_json, print_json, print_text, read_prompt
from cmgit.core.errors import UsageError

if TYPE_CHECKING:
    from cmgit.cli.session import Session
    from cmgit.core.records import Context, ContextItem

DETAILS = ("normal", "expanded")
ROUTES = ("auto", "direct", "named", "search")


def run_retrieve(
    prompt: str,
    rev: str | None = None,
    budget: int | None = None,
    detail: str | None = None,
    route: str = "auto",
    explain: bool = False,
    no_vectors: bool = False,
    as_json: bool = False,
) -> None:
    """Print the source that the task needs; the arguments are the command's."""
    from cmgit.cli.asking import ask_reader
    from cmgit.cli.session import open_session

    text = read_prompt(prompt)
    if not text.strip():
        raise UsageError("the prompt is empty", 'say what you are about to do: git cm retrieve "fix the retry delay"')
    session = open_session()
    wanted = {"route": route, "budget": budget, "explain": explain, "no_vectors": no_vectors}
    if detail is not None:
        wanted["detail"] = detail
    document = ask_reader(session.location, rev, "retrieve", prompt=text, **wanted)
    if document is None:
        context = answer_here(session, text, rev, budget, detail, route, no_vectors=no_vectors, explain=explain)
        document = context_json(context, explain=explain)
    if as_json:
        print_json(document)
        return
    unknown = document["unknown"]
    assert isinstance(unknown, list)
    for path in unknown:
        note(f"{one_line(path)}: no file of the index, or several; the answer goes by the rest of the prompt")
    if document["text"]:
        print_text(str(document["text"]))
    if not document["items"] and not document["text"]:
        note("nothing in this repository's JavaScript and TypeScript answers that; name a function or a file")
    if explain:
        print_text(explanation(document))


def no_direct_answer() -> UsageError:
    return UsageError(
        "the direct route needs exactly one named file that is short and imports nothing", "use --route auto"
    )


def answer_here(
    session: Session,
    prompt: str,
    rev: str | None,
    budget: int | None,
    detail: str | None,
    route: str,
    *,
    no_vectors: bool,
    explain: bool,
) -> Context:
    """The answer without a resident reader. What takes long and needs no library of ours is begun before all else.

    Raises:
        CmgitError: a wrong revision, budget or index; the direct route asked for a prompt that has none.
    """
    from cmgit.cli.ahead import Ahead

    with Ahead.of(session, rev) as ahead:
        from cmgit.retrieve.prompt import names_one_file
        from cmgit.retrieve.prompt import read_prompt as parse

        asked = parse(prompt)
        if route in ("auto", "search") and not no_vectors:
            ahead.embed(asked, session.config)
        if route in ("auto", "direct") and names_one_file(asked):
            from cmgit.cli.direct import direct_answer  # reads the named file and no index

            context = direct_answer(session.location, session.config, asked, rev, budget, started=ahead.state)
            if context is not None:
                return context
        if route == "direct":
            raise no_direct_answer()
        from cmgit.cli.reading import query_embedder, reading
        from cmgit.retrieve.retrieve import retrieve

        with reading(rev, no_vectors=no_vectors, session=session, ahead=ahead) as (view, current):
            by = query_embedder(current, ahead)
            settled = detail or current.config.detail
            return retrieve(view, prompt, current.config, route, settled, budget, by, explain)


def context_json(context: Context, *, explain: bool) -> dict[str, object]:
    document: dict[str, object] = {
        "route": context.route,
        "tree": context.tree,
        "dirty": context.dirty,
        "items": [item_json(item) for item in context.items],
        "call_sites": [
            {
                "of": site.of,
                "path": site.path,
                "line": site.line,
                "caller": site.caller,
                "confidence": site.confidence,
                "kind": site.kind,
            }
            for site in context.call_sites
        ],
        "omitted": context.omitted,
        "bytes": context.source_bytes,
        "text": context.text,
        "seconds": {stage: round(seconds, 5) for stage, seconds in context.seconds.items()},
        "pending": pending_json(context.pending),
        "again": [item_json(item) for item in context.again],
        "silence": context.silence,
        "unknown": list(context.unknown),
    }
    if context.notes:
        document["notes"] = list(context.notes)
    if explain:
        document["explain"] = list(context.explain)
    return document


def item_json(item: ContextItem) -> dict[str, object]:
    return {
        "role": item.role.label,
        **place_json(item),
        "oid": item.oid,
        "score": round(item.score, 6),
        "masked": item.masked,
        "digest": item.digest,
    }


def explanation(document: Mapping[str, Any]) -> str:
    """Each candidate with its score and each signal's share."""
    lines = ["", f"Route {document['route']}. Why, best first:"]
    for row in document["explain"]:
        shares = ", ".join(f"{signal} {share:.3f}" for signal, share in row["why"].items())
        lines.append(f"{row['score']:8.3f}  {one_line(row['path'])}  {one_line(row['qualname'])}  ({shares})")
    return "\n".join(lines)
