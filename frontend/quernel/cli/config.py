"""``quernel.toml``, the functions to compile ahead of time, and ``quernel.lock`` beside it."""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np

from ..build_id import BUILD
from ..cache.store import VERSION
from .target import UsageError

CONFIG, LOCK = "quernel.toml", "quernel.lock"
CACHE_VARIABLES = ("QUERNEL_CACHE_DIR", "QUERNEL_CACHE_LAYERS", "QUERNEL_BUNDLE")
_FIELDS = {"name": str, "signatures": list, "targets": list}
_LOCKED = ("function", "signature", "target", "source", "program", "digest")


def functions(path: str = CONFIG) -> list[tuple[str, list[str], list[str]]]:
    """The names, the signatures and the targets of the functions that the file has.

    Raises
    ------
    UsageError
        Where there is no such file, or something is wrong with it.
    """
    if not os.path.exists(path):
        raise UsageError(f"there is no {path}; name a function, or `quernel record` a command")
    tables = _tables(document(path), path)
    if not tables:
        raise UsageError(f"{path} has no [[function]]")
    return [_function(table, number, path) for number, table in enumerate(tables, 1)]


def document(path: str) -> Any:
    """The file with its comments, as it was written; an empty one where there is none.

    Raises
    ------
    UsageError
    """
    import tomlkit  # which other commands don't need
    from tomlkit.exceptions import TOMLKitError

    try:
        with open(path, encoding="utf-8") as file:
            return tomlkit.parse(file.read())
    except FileNotFoundError:
        return tomlkit.document()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} can't be read: {error}") from None
    except TOMLKitError as error:
        raise UsageError(f"{path}: {error}") from None


def _tables(content: Any, path: str) -> Any:
    tables = content.get("function", [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise UsageError(f"{path}: `function` has to be tables, [[function]]")
    return tables


def _function(table: Any, number: int, path: str) -> tuple[str, list[str], list[str]]:
    where = f"{path}: [[function]] number {number}"
    for key, value in table.items():
        if key not in _FIELDS:
            raise UsageError(f"{where} has no {key!r}; it has {', '.join(_FIELDS)}")
        is_list_of_text = isinstance(value, list) and all(isinstance(x, str) for x in value)
        if not isinstance(value, str) if _FIELDS[key] is str else not is_list_of_text:
            raise UsageError(f"{where}: {key!r} has to be {'a text' if key == 'name' else 'texts'}")
    for key in ("name", "signatures"):
        if not table.get(key):
            raise UsageError(f"{where} has no {key!r}")
    signatures, targets = map(str, table["signatures"]), map(str, table.get("targets", ()))
    return str(table["name"]), list(signatures), list(targets)


def add(path: str, found: dict[str, list[str]]) -> int:
    """Put signatures of functions into the file, where it hasn't got them; how many are new.

    Raises
    ------
    UsageError
    """
    import tomlkit

    content = document(path)
    tables = _tables(content, path)
    known = {table.get("name"): table for table in tables}
    count = 0
    for name, signatures in found.items():
        old = known[name].get("signatures", []) if name in known else []
        new = [text for text in signatures if text not in old]
        count += len(new)
        if not new:
            continue
        array = tomlkit.array([*map(str, old), *new])  # type: ignore[call-overload]
        if name in known:
            known[name]["signatures"] = array.multiline(True)
            continue
        table = tomlkit.table()
        table.add("name", name)
        table.add("signatures", array.multiline(True))
        if "function" not in content:
            content.add("function", tomlkit.aot())
        content["function"].append(table)
    if count:
        write(path, tomlkit.dumps(content))
    return count


def lock_text(programs: list[dict[str, str]]) -> str:
    """The lock file of some programs: all that has decided what they are."""
    lines = ["# Made by `quernel build`; `quernel build --locked` fails where it would change."]
    heads = {"quernel": VERSION, "build": BUILD, "numpy": np.__version__}
    lines += [f"{name} = {json.dumps(value)}" for name, value in heads.items()]
    for program in programs:
        lines += ["", "[[program]]"]
        lines += [f"{name} = {json.dumps(program[name])}" for name in _LOCKED]
    return "\n".join(lines) + "\n"


def write(path: str, text: str) -> None:
    """Write one of the files.

    Raises
    ------
    UsageError
    """
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise UsageError(f"{path} can't be written: {error.strerror}") from None
