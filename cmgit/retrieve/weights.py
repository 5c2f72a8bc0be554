"""Every number that ranking is tuned by, in one place."""

from __future__ import annotations

from cmgit.core.facts import UnitKind
from cmgit.core.records import Role

# Occurrences by field, in the order of `cmgit.core.tables.FIELD_BITS`: name, owner, doc comment, strings, body.
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

WITHIN_B = 0.3
FILE_K1 = 1.2
FILE_B = 0.6

# The draft that chooses the pool; the best by words alone has 1.0.
DRAFT_COSINE = 0.5
DRAFT_FILE = 0.3
DRAFT_PATH = 0.2
DRAFT_NAMED = 1.0
DRAFT_PAST = 0.4
PAST_FILES = 8  # most like the prompt by the past, of which the best units join the pool
PAST_UNITS = 6
PAST_K1 = 1.2
PAST_B = 0.75
PAST_FADE = 500.0  # commits in which the weight of a change falls by e
DRAFT_SHARPNESS = 8.0
POOL = 250
GRAPH_POOL = 24  # whose neighbours join it
HUB = 24  # a unit with more neighbours brings none
FOREIGN = 0.25  # of the vectors, where the model does not know the prompt's language
OUTRIGHT = 0.1  # by so much what is named outright stands above the rest
ROLE_SHARPNESS = 2.5

# Fitted by bench/ranking.py; a score is the logarithm of odds.
WITH_VECTORS: dict[str, float] = {
    "words": 2.55,
    "share": 1.18,
    "coverage": 1.5,
    "within": 0.9,
    "within share": 0.5,
    "name told": 0.42,
    "phrase": 0.51,
    "quoted": 0.27,
    "around": 0.54,
    "inside": -0.48,
    "path": 0.96,
    "file": 0.96,
    "best of file": -0.26,
    "cosine": 1.47,
    "cosine of file": -0.3,
    "named": 1.5,
    "named file": 0.52,
    "callers": 1.68,
    "callees": 1.5,
    "same file": -0.13,
    "tested": 0.01,
    "tested file": 0.71,
    "similar": 0.54,
    "often": 0.25,
    "unit similar": 1.23,
    "unit often": 0.78,
    "size": 0.81,
    "exported": -0.17,
    "inner": -0.3,
    "used": -0.52,
    "aside": -0.86,
    "is a method": 0.24,
    "is a class": -0.1,
    "is a type": -0.59,
    "is a variable": -1.17,
    "is a callback": -0.96,
    "is statements": -0.69,
    "is a file": -2.02,
}
WITHOUT_VECTORS: dict[str, float] = {
    "words": 2.72,
    "share": 1.16,
    "coverage": 1.52,
    "within": 1.09,
    "within share": 0.51,
    "name told": 0.45,
    "phrase": 0.52,
    "quoted": 0.27,
    "around": 0.52,
    "inside": -0.51,
    "path": 1.04,
    "file": 1.0,
    "best of file": -0.18,
    "named": 1.62,
    "named file": 0.55,
    "callers": 1.68,
    "callees": 1.5,
    "same file": -0.04,
    "tested": 0.01,
    "tested file": 0.71,
    "similar": 0.56,
    "often": 0.29,
    "unit similar": 1.35,
    "unit often": 0.8,
    "size": 0.82,
    "exported": -0.17,
    "inner": -0.33,
    "used": -0.46,
    "aside": -0.88,
    "is a method": 0.19,
    "is a class": -0.09,
    "is a type": -0.56,
    "is a variable": -1.16,
    "is a callback": -1.0,
    "is statements": -0.66,
    "is a file": -2.05,
}

# Packing: use of a unit is 1 when it is shown whole.
PART_USE = 0.25
FIRST_USE = 0.6  # of that for the first bytes; the rest grows with the share that is shown
PART_STEPS = (250, 700, 1_500, 3_000)
NEARLY_WHOLE = 0.7  # of a unit is no part: then all of it
HEADING = 55  # characters of a piece's heading without path and name, and of its fences
AROUND = 1_100  # characters of the text for call sites, the ending, and the headings of what the roots use
LEAST_PART = 160
LARGEST_WHOLE = 5_000
SHORT_FILE = 3_000
MOST_OFFERS = 40
DEPENDENCY_SHARE = 0.05  # of the budget, for what the roots use
LEAST_CHANCE = 0.005  # of the best's; below it a unit is not shown

ROOT_SHARE = 0.5  # of the best's chance
MOST_ROOTS = 2
MOST_ROOTS_EXPANDED = 4

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
TESTS_ASKED = {Role.TEST: 4.0, Role.FIXTURE: 0.8}  # above the function that it tests: avirajkhare00/yoyo#54
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
