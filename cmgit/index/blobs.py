"""The chain from one blob's bytes to everything that is kept for it. It stands here once: a committed blob and a dirty
file take the same path."""

from __future__ import annotations

from dataclasses import dataclass

from cmgit.core.facts import CONFIG_LANGUAGE, BlobFacts, BlobStatus, config_facts, empty_facts
from cmgit.core.records import BlobKey
from cmgit.core.tables import BlobTerms, BlobTexts
from cmgit.embed.texts import text_key, unit_texts
from cmgit.extract.extract import extract
from cmgit.words.units import blob_terms

NO_TERMS = BlobTerms((), (0,), (), (), ())
NO_TEXTS = BlobTexts((), ())


@dataclass(frozen=True, slots=True)
class BlobProducts:
    """What one blob gives: facts, terms for word search, keys of the texts that are embedded."""

    key: BlobKey
    facts: BlobFacts
    terms: BlobTerms
    texts: BlobTexts


def process_blob(key: BlobKey, data: bytes, max_bytes: int) -> BlobProducts:
    """Facts, terms and text keys of one blob. Never raises on bad input: a reason is data too."""
    if key.language == CONFIG_LANGUAGE:
        too_large = len(data) > max_bytes
        facts = (
            empty_facts(CONFIG_LANGUAGE, BlobStatus.OVERSIZED, len(data))
            if too_large
            else config_facts(data.decode("utf-8", "surrogateescape"))
        )
        return BlobProducts(key, facts, NO_TERMS, NO_TEXTS)
    facts = extract(data, key.language, max_bytes)
    if not len(facts.units):
        return BlobProducts(key, facts, NO_TERMS, NO_TEXTS)
    texts = [(unit, text_key(text)) for unit, text in unit_texts(data, facts)]
    return BlobProducts(
        key,
        facts,
        blob_terms(data, facts),
        BlobTexts(tuple(unit for unit, _ in texts), tuple(digest for _, digest in texts)),
    )


def unreadable(key: BlobKey) -> BlobProducts:
    """For an object that git cannot give; it is never stored, so the next build tries again."""
    return BlobProducts(key, empty_facts(key.language, BlobStatus.UNREADABLE, 0), NO_TERMS, NO_TEXTS)
