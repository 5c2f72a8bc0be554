"""Prompts as people type them, about code and about anything else, and whether they are answered with nothing.

One prompt a line, `\\n` for a line break. `*_fit.txt` are what the words of the gate and the odds of
`cmgit.retrieve.silence` were fitted on (`bench/silence.py`); `*_held_out.txt` were looked at by nobody who fitted.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cmgit.agents.gate import bounded, cleaned, refusal
from cmgit.core.config import Config
from cmgit.retrieve.retrieve import retrieve
from cmgit.view.view import View

LISTS = Path(__file__).parent / "prompts"
REPOSITORIES = ("express", "vue", "hono")


def prompts(name: str) -> list[str]:
    lines = (LISTS / f"{name}.txt").read_text("utf-8").splitlines()
    return [line.replace("\\n", "\n") for line in lines if line]


def silence_of(
    view: View, prompt: str, config: Config, embed_query: Callable[[str], NDArray[np.float32]] | None
) -> str:
    """Why the hook says nothing to this prompt, "" where it answers."""
    why = refusal(prompt)
    if why:
        return why
    context = retrieve(view, bounded(cleaned(prompt)), config, embed_query=embed_query)
    return context.silence or ("" if context.items else "nothing was found")
