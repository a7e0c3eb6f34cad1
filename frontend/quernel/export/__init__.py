"""A function as a library for C, C++ and whatever calls C: ``f.export``, ``quernel export``.

``interface`` says what a C function takes and gives, from what a capture has found out; ``header``,
``classes``, ``glue`` and ``package`` write texts from that; ``toolchain`` has a C++ compiler make
the library of them. The library's own part is ``runtime/exported``.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ..call.builder import builder
from . import classes, glue, header, package
from .interface import Library, interface_of, levels
from .toolchain import Toolchain


def export(
    dispatcher: Any,
    path: str | os.PathLike[str],
    signatures: str | Iterable[str] | Mapping[str, str],
    header_path: str | os.PathLike[str] | None,
    targets: Iterable[str],
) -> list[Path]:
    """Write a library, its headers and its CMake package; `quernel.compile` has the public face.

    Returns
    -------
    list of Path
        What was written: the library first.
    """
    place = Path(os.path.abspath(path))
    is_static, name = _library_name(place)
    head = Path(os.path.abspath(header_path)) if header_path is not None else None
    head = head or place.with_name(f"{name}.h")
    targets = _checked(targets)
    texts = _signatures(dispatcher, signatures)
    names = _function_names(dispatcher.plain.__name__, texts)
    functions = [interface_of(dispatcher, c_name, text, targets) for c_name, text in names.items()]
    library = Library(name, tuple(functions), targets)
    tools = Toolchain(place.parent)
    files = {
        head: header.text(library),
        head.with_suffix(".hpp"): classes.text(library, head.name),
        **package.files(library, place, head.parent, is_static, tools.companions(library)),
    }
    made = tools.make(library, glue.texts(library), files[head], place, is_static)
    for file, text in files.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return [*made, *files]


def _library_name(place: Path) -> tuple[bool, str]:
    name = place.stem.removeprefix("lib")
    if place.suffix not in (".so", ".a") or name == place.stem or not name.isidentifier():
        raise ValueError(
            f"the library is called {place.name!r}; a name is libNAME.so, or libNAME.a for a "
            "static library, where NAME is a C identifier"
        )
    return place.suffix == ".a", name


def _checked(targets: Iterable[str]) -> tuple[str, ...]:
    """The targets, the lowest level first."""
    known, chosen = levels(), set(targets)
    others = builder().compiler().text_targets()  # for each of which there is a library of its own
    if len(chosen) == 1 and chosen <= set(others):
        return tuple(chosen)
    for name in sorted(chosen - set(known)):
        names = f"{', '.join(known)}, or one of {', '.join(others)} alone"
        raise ValueError(f"{name!r} is no target of a library here; there are {names}")
    return tuple(name for name in known if name in chosen)


def _signatures(dispatcher: Any, given: Any) -> dict[str, str] | list[str]:
    if isinstance(given, Mapping) and given:
        return dict(given)
    texts = [given] if isinstance(given, str) else list(given)
    texts = texts or list(dispatcher.options.signatures)
    if not texts:
        raise ValueError(
            f"{dispatcher.plain.__name__} has no signatures; give some, such as "
            "signatures='float64[n,2], int64'"
        )
    return texts


def _function_names(name: str, texts: dict[str, str] | list[str]) -> dict[str, str]:
    """The C functions' names and signatures: those of several signatures are numbered."""
    if isinstance(texts, dict):
        bad = next((name for name in texts if not (name.isidentifier() and name.isascii())), None)
        if bad is not None:
            raise ValueError(f"{bad!r} is no name of a C function")
        return texts
    if len(texts) == 1:
        return {name: texts[0]}
    return {f"{name}_{k}": text for k, text in enumerate(texts)}
