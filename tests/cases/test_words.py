"""Public reports about words of every script and texts of every length: each with the value that is right."""

from __future__ import annotations

import re
import unicodedata

import pytest

from tests.conftest import Cm, GitRepo

SCRIPTS = {
    "src/цены.ts": "export function расчётЦены(ставка: number) {\n  return ставка\n}\n",
    "src/order.ts": "export class 订单管理器 {\n  取消订单() {\n    return 1\n  }\n}\n",
    "src/cafe.ts": "export function caféMenu() {\n  return 2\n}\n",
    "src/wide.ts": "export function ｆｕｌｌWidth() {\n  return 3\n}\n",
    "src/escaped.ts": "export function \\u0441\\u043a\\u043b\\u0430\\u0434() {\n  return 4\n}\n",
    "src/other.ts": "export function unrelated() {\n  return 5\n}\n",
}


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("расчётЦены", "src/цены.ts"),
        ("расчетЦены", "src/цены.ts"),
        ("расчёт цены", "src/цены.ts"),
        ("расчет цен", "src/цены.ts"),
        (unicodedata.normalize("NFD", "расчётЦены"), "src/цены.ts"),
        ("РАСЧЁТ", "src/цены.ts"),
        ("订单管理器", "src/order.ts"),
        ("怎么取消订单？", "src/order.ts"),
        ("管理", "src/order.ts"),
        ("caféMenu", "src/cafe.ts"),
        (unicodedata.normalize("NFD", "caféMenu"), "src/cafe.ts"),
        ("full width", "src/wide.ts"),
        ("склад", "src/escaped.ts"),
    ],
)
def test_names_of_every_script_are_found(query: str, path: str, repo: GitRepo, cm: Cm) -> None:
    """colbymchenry/codegraph#1262: an ASCII-only split gave no term at all."""
    repo.commit(SCRIPTS)
    found = cm(repo.path, "search", "--json", "--no-vectors", query).json["results"]
    assert found
    assert found[0]["path"] == path


CART = {
    "src/cart.ts": "/** Adds up the prices. */\nexport function cartTotal(lines: Line[]) {\n  return lines.length\n}\n",
    "src/session.ts": "/** Ends idle sessions. */\nexport function endSession(id: string) {\n  return id\n}\n",
    "src/mail.ts": "/** Sends a letter. */\nexport function sendMail(to: string) {\n  return to\n}\n",
}


@pytest.mark.parametrize(
    "prompt",
    [
        "Why is cartTotal wrong?",
        "Почему cartTotal считает неверно?",
        "为什么 cartTotal 不对？",
        "为什么`cartTotal`不对？",
        "Pourquoi cartTotal est-il faux ?",
        "למה cartTotal שגוי?",
        "cartTotal が間違っている",
        "🐛 cartTotal 🐛",
    ],
)
def test_no_language_of_a_prompt_is_turned_away(prompt: str, repo: GitRepo, cm: Cm) -> None:
    """colbymchenry/codegraph#994: a gate of English keywords skipped a Chinese prompt."""
    repo.commit(CART)
    context = cm(repo.path, "retrieve", "--json", "--no-vectors", prompt).json
    assert (context["route"], context["items"][0]["path"]) == ("named", "src/cart.ts")


TOPICS = (
    "cart", "session", "mail", "invoice", "voucher", "stock", "parcel", "refund", "login", "avatar", "search", "menu",
)  # fmt: skip


@pytest.mark.parametrize(
    "prompt", ["fix the bug in session", "исправь ошибку в коде session", "修复 session 中的错误", "corrige session"]
)
def test_prompts_of_all_languages_find_the_same_code(prompt: str, repo: GitRepo, cm: Cm) -> None:
    """colbymchenry/codegraph#994: the answer to a Russian or Chinese question overlaps the English one."""
    repo.commit({f"src/{topic}.ts": f"export function {topic}Run(x: number) {{\n  return x\n}}\n" for topic in TOPICS})
    context = cm(repo.path, "retrieve", "--json", "--no-vectors", prompt).json
    assert context["items"][0]["path"] == "src/session.ts"


def test_emoji_and_odd_bytes_get_an_answer_of_nothing(repo: GitRepo, cm: Cm) -> None:
    """colbymchenry/codegraph#994 (emoji only) and JuliusBrussee/caveman#729 (bytes that are no text)."""
    repo.commit(CART)
    for prompt in ("🎉🎉🎉", "？！", "\u200f\u200e", "...", "```", "`"):
        assert cm(repo.path, "retrieve", "--json", "--no-vectors", prompt).json["items"] == []
    for raw in (
        b"fix cartTotal \xff\xfe\x00 now",
        b"\xef\xbb\xbfcartTotal",
        b'{"prompt": "cartTotal',
        b"cartTotal\0" * 9,
    ):
        context = cm(repo.path, "retrieve", "--json", "--no-vectors", "-", stdin=raw).json
        assert context["items"][0]["path"] == "src/cart.ts"
    for raw in (b"", b"  \n\t"):
        assert cm(repo.path, "retrieve", "--no-vectors", "-", stdin=raw).code == 2


def long_function() -> str:
    lines = "".join(f"  total = total + weights[{i}] * values[{i}]\n" for i in range(300))
    clue = "  archive.compressAndUploadBackupToGlacierStorage(total)\n"
    return f"export function process(weights: number[], values: number[]) {{\n  let total = 0\n{lines}{clue}}}\n"


def test_the_end_of_a_long_function_and_of_a_long_prompt_count(repo: GitRepo, cm: Cm) -> None:
    """martin-conur/quackformers#34: a tokenizer's own limit hid the tail of every long text."""
    repo.commit(CART | {"src/long.ts": long_function()})
    query = "upload the compressed backup to the archive"
    found = cm(repo.path, "search", "--json", query).json["results"]
    assert found[0]["path"] == "src/long.ts"
    context = cm(repo.path, "retrieve", "--json", query).json
    assert "compressAndUploadBackupToGlacierStorage" in context["text"]
    assert len(context["text"]) <= 9_000
    filler = "the weather is mild and nothing about it matters here at all " * 420
    long = cm(
        repo.path, "retrieve", "--json", "--no-vectors", "-", stdin=f"{filler}\nWhy is `cartTotal` wrong?".encode()
    )
    assert long.json["items"][0]["path"] == "src/cart.ts"


def test_no_answer_is_longer_than_a_client_shows(repo: GitRepo, cm: Cm) -> None:
    """colbymchenry/codegraph#1694: above 10,000 characters the model got a preview and a file name."""
    wide = {
        f"src/часть{i}.ts": f"/** Часть {i} большой корзины 购物车. */\nexport function корзина{i}() {{\n"
        + "  // 🛒 считаем 价格\n" * 120
        + "}\n"
        for i in range(8)
    }
    repo.commit(wide)
    for args in (("--budget", "1000000"), ("--detail", "expanded"), ()):
        answer = cm(repo.path, "retrieve", "--no-vectors", *args, "корзина купон `корзина3` `корзина5`").ok().out
        assert 0 < len(answer) <= 9_000
        assert answer.count("\n```") % 2 == 0
        assert re.search(r"^(?:Left out: |Nothing that .* was left out\.)", answer, re.MULTILINE)
