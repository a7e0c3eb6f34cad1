"""Private names of classes, ``self.__x``, as Python spells them: ``self._Class__x``."""

from __future__ import annotations

import ast
from typing import Any

from .trees import walk

_FIELDS = {
    ast.Name: "id", ast.Attribute: "attr", ast.arg: "arg", ast.keyword: "arg",
    ast.ExceptHandler: "name", ast.Global: "names", ast.Nonlocal: "names",
    ast.FunctionDef: "name",
}  # fmt: skip


def spell_private_names(tree: ast.Module) -> None:
    """Spell the private names in the functions of all classes as their code does.

    A method itself keeps its name, which is that of its code.
    """
    for node in walk(tree):
        if isinstance(node, ast.ClassDef) and node.name.strip("_"):
            for part in node.body:
                _spell(part, node.name.lstrip("_"))


def _spell(part: ast.AST, owner: str) -> None:
    """Spell the names below a statement of a class, but not those of a class inside of it."""
    pending = [part]
    while pending:
        node = pending.pop()
        field = _FIELDS.get(type(node))
        if field is not None and node is not part:
            setattr(node, field, _private(getattr(node, field), owner))
        if not isinstance(node, ast.ClassDef):
            pending += ast.iter_child_nodes(node)


def _private(name: Any, owner: str) -> Any:
    if isinstance(name, list):
        return [_private(one, owner) for one in name]
    is_private = isinstance(name, str) and name.startswith("__") and not name.endswith("__")
    return f"_{owner}{name}" if is_private else name
