"""Sizes as texts: integers, the symbols ``s0``, ``s1``, …, and arithmetic on them."""

from __future__ import annotations

import re
from collections.abc import Mapping

_SYMBOL = re.compile(r"s\d+")
_EXPRESSION = re.compile(r"(?:s?\d+|floordiv|[-+() ]|\*(?!\*))*")


def symbols_of(text: str) -> list[str]:
    """The symbols in a size, each once."""
    return sorted(set(_SYMBOL.findall(text)))


def is_plain(text: str) -> bool:
    """Whether a size is made of sums, products and floor divisions only."""
    return _EXPRESSION.fullmatch(text) is not None


def evaluate(text: str, values: Mapping[str, int]) -> int:
    """The size where the symbols have these values.

    Raises
    ------
    ValueError
        For a text that isn't such an expression: it may come from a file.
    """
    if not is_plain(text):
        raise ValueError(f"{text!r} is no size")
    return eval(text.replace("floordiv", "//"), {"__builtins__": {}}, dict(values))
