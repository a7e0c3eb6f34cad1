"""Bundles: the programs of some functions in one file, for processes that may have no compiler.

A bundle begins with a line: the form of bundles, the bytes of the description that follows, and its
digest. The description says what is in the bundle, and where each record is in the rest of the
file; records are as the cache has them, so that each is checked by itself when it is read.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import tempfile
import warnings
from typing import Any

import numpy as np

from .. import _runtime
from ..build_id import BUILD
from ..describe import digest
from ..errors import CacheError
from ..signals import let_out

_FORM = "quernel-bundle 1"
_LONGEST_LINE = 128
# What the keys of all records in a bundle depend on, and the digests of functions.
_HERE = {"build": BUILD, "numpy": np.__version__, "python": sys.implementation.cache_tag}


class Bundle:
    """A bundle that is read; a layer of the cache.

    Attributes
    ----------
    path : str
    targets : list of str
        What there are programs for.
    about : dict
        What the bundle was made with, and of: ``build``, ``numpy``, ``python``, ``targets``,
        ``programs``.

    Raises
    ------
    CacheError
        Where there is no such file, where it is damaged, or where others than the user and root may
        have written it, or put it there.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self._file, self._close = _opened(path), os.close  # Python ends with no `os`
        line = os.pread(self._file, _LONGEST_LINE, 0).partition(b"\n")[0]
        self.about = _described(path, self._file, line)
        self._records: dict[str, list[int]] = self.about.pop("records")
        self.targets: list[str] = self.about["targets"]
        self._start = len(line) + 1 + int(line.split()[2])

    def __del__(self) -> None:
        if hasattr(self, "_file"):
            self._close(self._file)

    def misfit(self) -> str:
        """What is told of a bundle in which this process finds nothing; empty for others."""
        for name, text in (
            ("build", "another build of Quernel"),
            ("numpy", "NumPy {}, and this is {}"),
            ("python", "Python {}, and this is {}"),
        ):
            made, here = self.about.get(name), _HERE[name]
            if made != here:
                return (
                    f"the bundle {self.path} isn't used, since it is of {text.format(made, here)}: "
                    "its functions are compiled when they are called, or run in NumPy where there "
                    "is no compiler"
                )
        return ""

    def load(self, kind: str, key: str) -> tuple[bytes, bytes] | None:
        """The bytes and the text of a record; None where there is none, or it is damaged."""
        place = self._records.get(f"{key}.{kind}")
        if place is None:
            return None
        offset, size = place
        try:
            return _runtime.unpack_record(
                kind, key, os.pread(self._file, size, self._start + offset)
            )
        except (OSError, ValueError) as error:
            let_out(error)
            warnings.warn(f"the bundle {self.path}: {error}", RuntimeWarning, stacklevel=2)
            del self._records[f"{key}.{kind}"]
            return None


def _opened(path: str) -> int:
    try:
        return _runtime.open_trusted(path)
    except OSError as error:
        let_out(error)
        reason = str(error).removeprefix(f"{path}: ")
        raise CacheError(f"the bundle {path} can't be used: {reason}") from None


def _described(path: str, file: int, line: bytes) -> dict[str, Any]:
    words = line.decode("ascii", "replace").split(" ")
    is_bundle = len(words) == 4 and " ".join(words[:2]) == _FORM and words[2].isdecimal()
    if not is_bundle:
        raise CacheError(f"{path} isn't a bundle of this version of Quernel")
    text = os.pread(file, int(words[2]), len(line) + 1)
    if digest(text) != words[3]:
        raise CacheError(f"the bundle {path} is damaged")
    return json.loads(text)


def about(targets: list[str], programs: list[dict[str, str]]) -> dict[str, Any]:
    """What a bundle says of itself.

    Parameters
    ----------
    programs : list of dict
        The ``function``, ``signature``, ``target`` and ``program`` of each.
    """
    return {
        **_HERE,
        "targets": targets,
        "programs": programs,
    }


def write(path: str, about: dict[str, Any], records: dict[str, bytes]) -> None:
    """Put a bundle in place, whole or not at all.

    Parameters
    ----------
    records : dict
        By the names of their files: the key, a point and the kind.

    Raises
    ------
    OSError
    """
    places, offset = {}, 0
    for name in sorted(records):
        places[name] = [offset, len(records[name])]
        offset += len(records[name])
    text = json.dumps({**about, "records": places}, sort_keys=True).encode()
    head = f"{_FORM} {len(text)} {digest(text)}\n".encode()
    folder = os.path.dirname(os.path.abspath(path))
    file, temporary = tempfile.mkstemp(prefix=f".{os.path.basename(path)}.", dir=folder)
    try:
        with open(file, "wb") as opened:
            os.fchmod(opened.fileno(), 0o644)
            opened.write(head + text)
            for name in sorted(records):
                opened.write(records[name])
            opened.flush()
            os.fsync(opened.fileno())
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def paths_in(folder: str) -> dict[str, str]:
    """Where the records of a cache's folder are, by the names of their files."""
    return {
        name: os.path.join(at, name)
        for at, _, names in os.walk(folder)
        for name in names
        if name.endswith((".program", ".index"))
    }


def records_in(folder: str) -> dict[str, bytes]:
    """The records of a cache's folder, by the names of their files."""
    return {name: read(path) for name, path in paths_in(folder).items()}


def targets_in(records: dict[str, bytes]) -> set[str]:
    """The targets of the programs that records are of."""
    found = set()
    for name, record in records.items():
        key, _, kind = name.partition(".")
        if kind == "index":
            entries = json.loads(_runtime.unpack_record(kind, key, record)[1])
            found |= {entry["target"] for entry in entries if "target" in entry}
    return found


def read(path: str) -> bytes:
    """The content of a record's file.

    Raises
    ------
    OSError
        Where it can't be read, or others could have written it.
    """
    with open(_runtime.open_trusted(path), "rb") as file:
        return file.read()
