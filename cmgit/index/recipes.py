"""The recipes of this installation, composed from what each stage says of itself."""

from __future__ import annotations

from functools import cache

from cmgit.core.config import Config
from cmgit.core.errors import ModelUnavailable
from cmgit.core.recipe import hash_modules
from cmgit.core.record import record
from cmgit.embed.recipe import texts_recipe, vectors_recipe
from cmgit.extract.recipe import facts_recipe
from cmgit.link.recipe import link_recipe
from cmgit.words.recipe import words_recipe

NO_MODEL = "no model"
FORMAT_MODULES = ("store", "core/facts.py", "core/tables.py")


@record
class Recipes:
    """facts: extractor, grammars, size limit. terms: words over facts. texts: the embedded text over facts.
    vectors: the model and how it is run. snapshot: everything but the vectors; it names the manifest."""

    facts: str
    terms: str
    texts: str
    vectors: str
    snapshot: str


@cache
def current_recipes(config: Config) -> Recipes:
    """The recipes that this installation builds and reads by, for these settings."""
    facts = hash_modules(FORMAT_MODULES, facts_recipe(), str(config.max_blob_bytes))
    terms = hash_modules((), facts, words_recipe())
    texts = hash_modules((), facts, texts_recipe())
    try:
        vectors = vectors_recipe(config.model_dir)
    except ModelUnavailable:  # words and the graph do without; whoever needs a vector says what is missing
        vectors = NO_MODEL
    plan = hash_modules(("index/plan.py", "git/attributes.py", "languages"))
    return Recipes(facts, terms, texts, vectors, hash_modules((), facts, terms, texts, link_recipe(), plan))
