"""What a blob leaves behind."""

from __future__ import annotations

import gc

import pytest

from cmgit.core.records import BlobKey
from cmgit.extract.extract import extract
from cmgit.index.blobs import process_blob

SOURCE = """
import { a } from './a'
/** @type {string} */
export const text = a()
class Shape extends Base { constructor(x) { super(); this.x = x } get area() { return this.x } static of() {} }
function outer(list) { for (const one of list) if (one instanceof Shape) { inner(one) } function inner(s) { s } }
type Choice<T> = T extends infer U ? U : never
declare global { interface Window { shape: Shape } }
namespace N { export enum E { A } }
try { outer([]) } catch (error) { log(error) }
"""


@pytest.mark.parametrize("language", ["javascript", "typescript", "tsx"])
def test_a_blob_leaves_nothing_to_the_search_for_garbage(language: str) -> None:
    def process() -> None:
        extract(SOURCE.encode(), language, 1_000_000)
        process_blob(BlobKey("0" * 40, language), SOURCE.encode(), 1_000_000)

    process()  # what is made once
    gc.collect()
    gc.disable()
    try:
        process()
        assert gc.collect() == 0
    finally:
        gc.enable()
