"""Valid TypeScript that the grammars do not know, rewritten byte for byte to something that they do.

Only what did not parse is mended, and only if it helps; the file keeps its errors in its status. An import type with
type arguments or brackets behind it, or behind `typeof`, is an error (tree-sitter-typescript#322) that swallows the
declarations around it; an identifier of the same length in its place is none. Variance marks are blanked. A call
signature with type parameters on a line of its own is taken for a comparison with the type before it: a semicolon
takes the place of a blank before it.
"""

from __future__ import annotations

import re

_IMPORT_TYPE = re.compile(
    rb"\bimport[ \t]*\([ \t]*(?:'[^'\r\n]*'|\"[^\"\r\n]*\")[ \t]*\)(?=[ \t]*\.[ \t]*[\w$.]+[ \t]*[<\[])"
    rb"|(?<=typeof )import[ \t]*\([ \t]*(?:'[^'\r\n]*'|\"[^\"\r\n]*\")[ \t]*\)"
)
# `interface Box<in out T>`: variance of a type parameter.
_VARIANCE = re.compile(rb"(?<=[<,\s])(?:in|out|in[ \t]+out)(?=[ \t]+[A-Z_$][\w$]*\s*(?:extends\b|[=,>]))")
# `(a: A): B` and on the next line `<T>(a: T): B`, without a semicolon between them.
_CALL_SIGNATURE = re.compile(rb"(?<=\n)([ \t]*)[ \t]<(?=\s*(?:const\s+)?[A-Z_$][\w$]*(?:\s+extends\b|\s*[,>=]))")
_NOT_NAME = re.compile(rb"[^A-Za-z0-9_]")


def mended_text(source: bytes) -> bytes | None:
    """A text of the same length, or None where there is nothing to mend."""
    mended, count = _IMPORT_TYPE.subn(lambda found: _NOT_NAME.sub(b"_", found.group()), source)
    mended, more = _VARIANCE.subn(lambda found: b" " * len(found.group()), mended)
    mended, signatures = _CALL_SIGNATURE.subn(rb"\1;<", mended)
    return mended if count + more + signatures else None
