"""The texts of the refusals in the Python sources, and the tests that quote them.

A refusal is a call of `fail`, `stub` or `UnsupportedError`. Of its text the longest part that is
always there counts. A test quotes it with a string that contains that part, or with a piece of at
least 12 characters that no other refusal has.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "frontend" / "quernel"
TESTS = ROOT / "test"
_REFUSING = {"fail", "stub", "UnsupportedError"}
_SHORTEST_PIECE = 12


@dataclass(frozen=True, order=True)
class Refusal:
    """One text, and the file that has it."""

    file: str
    text: str

    def __str__(self) -> str:
        return f"{self.file}: {self.text}"


def refusals() -> list[Refusal]:
    """Every refusal of the sources, each once."""
    found = {refusal for path in sorted(SOURCES.rglob("*.py")) for refusal in _refusals_of(path)}
    return sorted(found)


def untested(quotes: list[str] | None = None) -> list[Refusal]:
    """The refusals that no test quotes."""
    known = refusals()
    quotes = test_strings() if quotes is None else quotes
    every = "\n".join(quotes)
    pieces = [quote for quote in quotes if len(quote) >= _SHORTEST_PIECE]
    return [
        refusal
        for refusal in known
        if refusal.text not in every and not _has_own_piece(refusal, known, pieces)
    ]


def _has_own_piece(refusal: Refusal, known: list[Refusal], pieces: list[str]) -> bool:
    own = [piece for piece in pieces if piece in refusal.text]
    others = [other.text for other in known if other.text != refusal.text]
    return any(not any(piece in text for text in others) for piece in own)


def test_strings() -> list[str]:
    """The strings in the tests' code, without the backslashes of regular expressions."""
    found = set()
    for path in TESTS.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.add(node.value.replace("\\", ""))
    return sorted(found)


def _refusals_of(path: Path) -> Iterator[Refusal]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    constants = _constants(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _name(node.func) in _REFUSING and node.args:
            for text in _texts(node.args[0], constants):
                yield Refusal(path.relative_to(SOURCES).as_posix(), text)


def _constants(tree: ast.Module) -> dict[str, ast.expr]:
    """What the module's names are bound to."""
    return {
        target.id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def _name(function: ast.expr) -> str:
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _texts(node: ast.expr, constants: dict[str, ast.expr]) -> list[str]:
    """The longest constant part of each text that an expression may give."""
    if isinstance(node, ast.IfExp):
        return _texts(node.body, constants) + _texts(node.orelse, constants)
    if isinstance(node, ast.Starred):
        return _texts(node.value, constants)
    if isinstance(node, ast.Name) and node.id in constants:
        return _texts(constants[node.id], constants)
    if isinstance(node, ast.Tuple) and node.elts:
        return _texts(node.elts[0], constants)
    pieces = node.values if isinstance(node, ast.JoinedStr) else [node]
    found = [p.value for p in pieces if isinstance(p, ast.Constant) and isinstance(p.value, str)]
    longest = max(found, key=len, default="").strip()
    return [longest] if longest else []


if __name__ == "__main__":
    for refusal in untested():
        print(refusal)
