"""The texts of the refusals in the Python sources, and the tests that quote them.

A refusal is a call of `fail`, `stub` or `UnsupportedError`, or of what hands its own argument on to
one of these, and a check of a program that leaves the call to NumPy. Of its text the longest part
that is always there counts. A test quotes it with a string that contains that part, or with a piece
of at least 12 characters that no other refusal has.
"""

from __future__ import annotations

import ast
import functools
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "frontend" / "quernel"
TESTS = ROOT / "test"
_SHORTEST_PIECE = 12
_FUNCTIONS = (ast.FunctionDef, ast.Lambda)


@dataclass(frozen=True, order=True)
class Refusal:
    """One text, and the file that has it."""

    file: str
    text: str

    def __str__(self) -> str:
        return f"{self.file}: {self.text}"


def refusals() -> list[Refusal]:
    """Every refusal of the sources, each once."""
    return sorted(_sources().found)


def unseen() -> list[str]:
    """The refusals whose text can't be found in the sources: the file, and what stands there."""
    return sorted(_sources().unseen)


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


@functools.cache
def test_strings() -> list[str]:
    """The strings in the tests' code, without the backslashes of regular expressions."""
    found = set()
    for path in TESTS.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.add(node.value.replace("\\", ""))
    return sorted(found)


@functools.cache
def _sources() -> Sources:
    trees = {
        path.relative_to(SOURCES).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
        for path in sorted(SOURCES.rglob("*.py"))
    }
    return Sources(trees)


class Sources:
    """Modules, and where texts of refusals come from in them.

    Attributes
    ----------
    found : set of Refusal
    unseen : set of str
        Refusals that have no text in the modules.
    """

    def __init__(self, trees: dict[str, ast.Module]) -> None:
        self.trees = trees
        #: What refuses, by name: the position of the text, `self` not counted, and its name.
        self._refusing = {"fail": (0, "reason"), "stub": (0, "what")}
        self._refusing["UnsupportedError"] = (0, "reason")
        self._attributes: set[str] = set()  # those that hold texts
        self._around: dict[ast.AST, ast.AST] = {}
        self._functions: dict[str, list[tuple[str, ast.FunctionDef]]] = {}
        #: What is assigned in functions and modules, by name.
        self._assigned: dict[ast.AST, dict[str, list[ast.expr]]] = {}
        looked_at: dict[str, list[ast.AST]] = {}
        for file, tree in trees.items():
            looked_at[file] = list(ast.walk(tree))
            for node in looked_at[file]:
                self._around.update(dict.fromkeys(ast.iter_child_nodes(node), node))
                if isinstance(node, (ast.FunctionDef, ast.Module)):
                    self._assigned[node] = _assigned(node)
                if isinstance(node, ast.FunctionDef):
                    self._functions.setdefault(node.name, []).append((file, node))
            kinds = (ast.Call, ast.Assign, ast.ClassDef)
            looked_at[file] = [node for node in looked_at[file] if isinstance(node, kinds)]
        before = None
        while before != (before := (len(self._refusing), len(self._attributes))):
            self.found: set[Refusal] = set()
            self.unseen: set[str] = set()
            for file, nodes in looked_at.items():
                for node in nodes:
                    self._look_at(file, node)

    def _look_at(self, file: str, node: ast.AST) -> None:
        """Take what a call or an assignment says about texts."""
        if isinstance(node, ast.Call):
            text = self._text_of(node)
            self._asked: set[ast.AST] = set()  # a function may be found by what it gives itself
            if text is not None and not self._texts(file, text):
                self.unseen.add(f"{file}: {ast.unparse(node)}")
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                self._look_at_target(file, target, node.value)
        elif isinstance(node, ast.ClassDef):
            fields = [item for item in node.body if isinstance(item, ast.AnnAssign)]
            for position, field in enumerate(fields):
                if isinstance(field.target, ast.Name) and field.target.id in self._attributes:
                    self._refusing.setdefault(node.name, (position, field.target.id))

    def _look_at_target(self, file: str, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            for pair in zip(target.elts, value.elts, strict=True):
                self._look_at_target(file, *pair)
        elif isinstance(target, ast.Attribute) and target.attr in self._attributes:
            self._asked = set()
            self._texts(file, value)

    def _text_of(self, call: ast.Call) -> ast.expr | None:
        """The text that a call refuses with, if it does."""
        for item, following in zip(call.args, call.args[1:], strict=False):
            if isinstance(item, ast.Name) and item.id == "IN_NUMPY":
                return following
        position, name = self._refusing.get(_name(call.func), (None, None))
        if position is None:
            return None
        named = [word.value for word in call.keywords if word.arg == name]
        starred = [item for item in call.args if isinstance(item, ast.Starred)]
        return next(iter([*call.args[position : position + 1], *named, *starred]), None)

    def _texts(self, file: str, node: ast.AST) -> bool:
        """Note the texts that an expression may give; whether it is known where they come from."""
        if node in self._asked:
            return True
        self._asked.add(node)
        if isinstance(node, ast.IfExp):
            return self._all(file, [node.body, node.orelse])
        if isinstance(node, ast.Starred):
            return self._texts(file, node.value)
        if isinstance(node, ast.Tuple):
            return not node.elts or self._texts(file, node.elts[0])
        if isinstance(node, ast.Dict):
            return self._all(file, node.values)
        if isinstance(node, ast.Subscript):
            return self._texts(file, node.value)
        if isinstance(node, ast.Name):
            return self._named(file, node)
        if isinstance(node, ast.Attribute):
            self._attributes.add(node.attr)
            return True
        if isinstance(node, ast.Call):
            return self._of_call(file, node)
        return self._of_literal(file, node)

    def _all(self, file: str, nodes: list) -> bool:
        known = [self._texts(file, node) for node in nodes]  # each of them, also behind a False
        return all(known)

    def _of_literal(self, file: str, node: ast.AST) -> bool:
        pieces = node.values if isinstance(node, ast.JoinedStr) else [node]
        found = [p.value for p in pieces if isinstance(p, ast.Constant)]
        longest = max((p for p in found if isinstance(p, str)), key=len, default="").strip()
        if longest:
            self.found.add(Refusal(file, longest))
        if len(longest) >= _SHORTEST_PIECE:
            return True
        inner = [p.value for p in pieces if isinstance(p, ast.FormattedValue)]
        return bool(found) or any(getattr(part, "attr", "") in self._attributes for part in inner)

    def _of_call(self, file: str, call: ast.Call) -> bool:
        if isinstance(call.func, ast.Attribute) and call.func.attr == "get":  # of a dict
            return self._all(file, [call.func.value, *call.args[1:]])
        made = [
            (where, statement.value)
            for where, function in self._functions.get(_name(call.func), [])
            for statement in ast.walk(function)
            if isinstance(statement, ast.Return) and isinstance(statement.value, ast.Tuple)
        ]
        known = [self._texts(where, value) for where, value in made]
        return bool(known) and all(known)

    def _named(self, file: str, name: ast.Name) -> bool:
        """The texts of a name: a parameter, or what is assigned to it here, or in some module."""
        node: ast.AST = name
        while node in self._around:
            node = self._around[node]
            if isinstance(node, _FUNCTIONS):
                parameters = [a.arg for a in (*node.args.posonlyargs, *node.args.args)]
                if name.id in parameters:
                    self._hands_on(node, parameters, name.id)
                    return True
            if isinstance(node, (ast.FunctionDef, ast.Module)):
                values = self._assigned[node].get(name.id)
                if values:
                    return self._all(file, values)
        everywhere = [
            (where, self._assigned[tree].get(name.id)) for where, tree in self.trees.items()
        ]
        known = [self._all(where, values) for where, values in everywhere if values]
        return bool(known) and all(known)

    def _hands_on(self, function: ast.AST, parameters: list[str], name: str) -> None:
        """A function hands its parameter on as the text of a refusal, so it refuses, too."""
        position = parameters.index(name) - (parameters[0] == "self")
        called = getattr(function, "name", "")
        if called == "__init__":
            called = self._around[function].name  # type: ignore[attr-defined]
        if called:
            self._refusing.setdefault(called, (position, name))


def _assigned(scope: ast.AST) -> dict[str, list[ast.expr]]:
    """What a scope's own statements assign to names."""
    found: dict[str, list[ast.expr]] = {}
    inner = list(getattr(scope, "body", []))
    while inner:
        node = inner.pop()
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            continue
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                for name, assigned in _of_target(target, node.value):
                    found.setdefault(name, []).append(assigned)
        inner += [part for part in ast.iter_child_nodes(node) if not isinstance(part, ast.expr)]
    return found


def _of_target(target: ast.expr, value: ast.expr) -> list[tuple[str, ast.expr]]:
    """The names of a target with their values; of what is unpacked, that of the first name."""
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        pairs = zip(target.elts, value.elts, strict=True)
        return [found for pair in pairs for found in _of_target(*pair)]
    if isinstance(target, ast.Tuple):
        target = target.elts[0]
    return [(target.id, value)] if isinstance(target, ast.Name) else []


def _name(function: ast.expr) -> str:
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


if __name__ == "__main__":
    for refusal in untested():
        print(refusal)
