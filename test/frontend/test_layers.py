"""The parts of the frontend stand on each other: none imports from a part above it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "frontend" / "quernel"
# From below: folders, and modules that belong elsewhere than their folders.
LAYERS = (
    ("errors", "signals", "dtypes", "describe", "files", "raised", "wrapped"),
    ("cache",),
    ("devices",),
    ("options", "module"),
    ("arguments",),
    ("traced",),
    ("primitives",),
    ("loaded",),
    ("capture",),
    ("numpy",),
    ("call",),
    ("report",),
    ("export",),
    ("api", "loading", "cuda"),
    (
        "numpy.eager",
        "numpy.random",
        "numpy.on_devices",
        "numpy.__init__",
    ),  # what users have as `quernel.numpy`
    ("cli", "__init__", "__main__"),
)
PLACES = {name: place for place, names in enumerate(LAYERS) for name in names}
# Imports from above that have to be, each with its reason.
EXCEPTIONS: dict[tuple[str, str], str] = {}


@dataclass(frozen=True)
class Import:
    """One import of a module of the package."""

    importer: str
    imported: str
    line: int
    is_annotation: bool  # whether types alone need it

    def __str__(self) -> str:
        return f"{self.importer}:{self.line} imports {self.imported}"


def place_of(module: str) -> int:
    """The layer of a module: its own, or that of its folder."""
    return PLACES[module] if module in PLACES else PLACES[module.partition(".")[0]]


def modules() -> dict[str, Path]:
    """The sources of the package by their dotted names; a folder's own is `folder.__init__`."""
    paths = sorted(PACKAGE.rglob("*.py"))
    return {".".join(path.relative_to(PACKAGE).with_suffix("").parts): path for path in paths}


def imports(module: str, path: Path, known: dict[str, Path]) -> Iterator[Import]:
    """What a module imports from the package, also within functions."""
    folder = module.split(".")[:-1]
    tree = ast.parse(path.read_text())
    types = [node for node in ast.walk(tree) if isinstance(node, ast.If) and _is_for_types(node)]
    annotations = {part for node in types for part in ast.walk(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            owner = folder[: len(folder) - node.level + 1] if node.level else []
            owner += (node.module or "").split(".") if node.module else []
            if not node.level:
                if owner[0] != "quernel":
                    continue
                del owner[0]
            names = [".".join([*owner, alias.name]) for alias in node.names]
            itself = ".".join(owner)
            found = {name if name in known else itself for name in names}
        elif isinstance(node, ast.Import):
            names = [alias.name.split(".") for alias in node.names]
            found = {".".join(name[1:]) for name in names if name[0] == "quernel"}
        else:
            continue
        for name in found:
            own = f"{name}.__init__".lstrip(".")
            if own in known or name in known:  # else one of those in C++
                imported = own if own in known else name
                yield Import(module, imported, node.lineno, node in annotations)


def _is_for_types(node: ast.If) -> bool:
    return isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


@pytest.fixture(scope="module")
def every() -> list[Import]:
    known = modules()
    found = [item for name, path in known.items() for item in imports(name, path, known)]
    # `from .. import _runtime` names the package, whose own module is above all others.
    return [item for item in found if item.imported != "__init__"]


def test_each_module_has_a_layer():
    for module in modules():
        place_of(module)


def test_no_module_imports_from_a_layer_above(every):
    above = [
        item
        for item in every
        if place_of(item.imported) > place_of(item.importer)
        and (item.importer, item.imported) not in EXCEPTIONS
    ]
    assert list(map(str, above)) == []


def test_each_exception_is_one(every):
    found = {(item.importer, item.imported) for item in every}
    assert set(EXCEPTIONS) <= found
    assert all(place_of(imported) > place_of(importer) for importer, imported in EXCEPTIONS)


def test_what_captures_does_not_import_what_stands_for_numpy(every):
    below = ("traced", "primitives", "capture")
    wrong = [
        item
        for item in every
        if item.importer.startswith(below) and item.imported.startswith("numpy")
    ]
    assert list(map(str, wrong)) == []


def test_no_modules_need_each_other(every):
    """Also within a layer, and by imports within functions; annotations alone don't count."""
    needs: dict[str, set[str]] = {}
    for item in every:
        if not item.is_annotation:
            needs.setdefault(item.importer, set()).add(item.imported)
    kept = -1
    while kept != len(needs):  # without what needs, or is needed by, nothing that is left
        kept = len(needs)
        needed = {name for names in needs.values() for name in names}
        needs = {name: names & set(needs) for name, names in needs.items() if name in needed}
        needs = {name: names for name, names in needs.items() if names}
    assert needs == {}


def test_the_table_of_functions_imports_nothing_that_traces(every):
    found = {item.imported for item in every if item.importer == "numpy.registry"}
    assert found == {"primitives.memory_orders"}
    assert not [item for item in every if item.importer == "primitives.memory_orders"]


def test_imports_are_seen(tmp_path):
    """Relative and absolute ones, those within functions, those of folders and their modules."""
    text = (
        "from .. import describe\nfrom ..capture import trace, scopes\nfrom .other import name\n"
        "import quernel.api\ndef late():\n    from quernel.report.text import size_text\n"
        "from ..cache import use\n"
    )
    path = tmp_path / "module.py"
    path.write_text(text)
    known = {**modules(), "numpy.other": path}
    found = [item.imported for item in imports("numpy.module", path, known)]
    wanted = ["describe", "capture.trace", "capture.scopes", "numpy.other", "api", "report.text"]
    assert sorted(found) == sorted([*wanted, "cache.__init__"])
