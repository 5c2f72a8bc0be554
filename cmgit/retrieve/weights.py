"""Every number that ranking is tuned by, in one place."""

from __future__ import annotations

from cmgit.core.facts import UnitKind
from cmgit.core.records import Role

# Occurrences by field, in the order of `cmgit.core.tables.pack_counts`: name, owner, doc comment, strings, body.
FIELDS = (6.0, 1.5, 1.5, 1.0, 1.0)
PATH = 1.0
K1 = 1.2
B = 0.5  # length damping; 1.0 would be BM25's full one

# Words of the prompt by where they stand.
TITLE_WORD = 1.0
TEXT_WORD = 0.5  # of a long prompt; a short one is all title
CODE_WORD = 0.3
TICKED_WORD = 1.6
NAME_WORD = 1.3
SCOPE_WORD = 0.8
JOINED_WORDS = 0.8
SHORT_PROMPT = 60  # words
MOST_TERMS = 160

# Fusion: shares of a score that is 1.0 when every signal points at one unit.
WORDS = 1.0
VECTORS = 0.4
FOREIGN_VECTORS = 0.1  # where the model does not know the prompt's language
FILE = 0.25
GRAPH = 0.15
NAMED = 0.3
GRAPH_POOL = 32
OUTER = 0.25  # of the words of the function around it, for a unit that has a word of its own

ROOT_SHARE = 0.82
MOST_ROOTS = 2
MOST_ROOTS_EXPANDED = 4
FILL_SHARE = 0.20  # a further unit must reach this share of the best score

# Nothing is said where the best units stay below all of these: the rarity of the prompt's words that a unit holds (in
# nats), the share of them that it holds, its cosine to the prompt.
LEAST_EVIDENCE = 2.2
LEAST_COVERAGE = 0.5
LEAST_COSINE = 0.33

ROLE = {
    Role.SOURCE: 1.0,
    Role.TEST: 0.35,
    Role.FIXTURE: 0.25,
    Role.GENERATED: 0.4,
    Role.VENDORED: 0.25,
    Role.MINIFIED: 0.1,
    Role.BUILD: 0.25,
    Role.DECLARATION: 0.6,
    Role.EXAMPLE: 0.5,
    Role.CONFIG: 0.6,
}
TESTS_ASKED = {Role.TEST: 1.3, Role.FIXTURE: 0.8}
TESTS_MENTIONED = {Role.TEST: 0.5}

KIND = {
    UnitKind.FILE: 0.45,
    UnitKind.BLOCK: 0.7,
    UnitKind.VARIABLE: 0.85,
    UnitKind.TYPE: 0.8,
    UnitKind.INTERFACE: 0.8,
    UnitKind.ENUM: 0.8,
    UnitKind.NAMESPACE: 0.7,
    UnitKind.CALLBACK: 0.9,
    UnitKind.CLASS: 0.9,
}
