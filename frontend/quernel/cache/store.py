"""The programs on disk: which compiled object answers which kind of call, found without tracing.

An index file holds the *entries* of one function and one kind of call. Each says what it demands
of the arguments and of what the function reads from outside, how the result is made, and the key
of its object in the runtime's cache.
"""

from __future__ import annotations

import json
import os
import stat
import threading
from typing import Any

import numpy as np

from .. import _runtime
from ..describe import digest
from ..files import discard, is_folder, make_folders
from ..signals import let_out
from .target import host_target

VERSION = "0.1.0"
_ENTRY_FORM = "4"  # another one where entries of before can't be read any more
_ENTRY_LIMIT = 64
_ATTEMPTS = 4
_opened: dict[str, Any] = {}


def cache_path() -> str:
    """The folder of the cache: ``QUERNEL_CACHE_DIR``, or the user's own."""
    chosen = os.environ.get("QUERNEL_CACHE_DIR")
    if chosen:
        return os.path.abspath(chosen)
    base = os.environ.get("XDG_CACHE_HOME")
    if os.name == "posix" and base and os.path.isabs(base):
        return os.path.join(base, "quernel")
    from platformdirs import user_cache_dir

    return user_cache_dir("quernel", appauthor=False)


def objects() -> Any:
    """The runtime's cache of objects at `cache_path`."""
    path = cache_path()
    if path not in _opened:
        _opened[path] = _runtime.DiskCache(path)
    return _opened[path]


def base_key(target: str | None = None) -> str:
    """What every key starts with: versions and target."""
    parts = (VERSION, str(_runtime.abi_version), np.__version__, target or host_target())
    return " ".join(parts)


def index_key(function_digest: str, signature: tuple, options: str) -> str:
    """The key of the index file of a function and a kind of call."""
    return digest(base_key(), _ENTRY_FORM, function_digest, repr(signature), options)


def object_key(index: str, parameters: Any, reads: Any) -> str:
    """The key of a program's object."""
    return digest(index, json.dumps([parameters, reads]))


def _index_file(key: str) -> str:
    return os.path.join(cache_path(), "index", key[:2], f"{key}.json")


def load_entries(key: str) -> list[dict[str, Any]]:
    """The entries of an index file; none where it is missing or can't be trusted."""
    path = _index_file(key)
    try:
        with open(path, "rb") as file:
            if not _is_trusted(os.fstat(file.fileno())):
                return []
            head, _, body = file.read().partition(b"\n")
    except OSError as error:
        let_out(error)
        return []
    if head.decode("ascii", "replace") != digest(body):
        return []
    return json.loads(body)


def _is_trusted(status: os.stat_result) -> bool:
    """Whether the file is the user's own, or root's, and nobody else may write it."""
    if os.name != "posix":
        return True
    foreign = status.st_uid not in (os.geteuid(), 0)
    return not foreign and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def keep(key: str, code: bytes, manifest: str) -> str | None:
    """The path of an object in the cache; None where it can't be written there."""
    return objects().store(key, code, manifest)


def add_entry(key: str, entry: dict[str, Any]) -> None:
    """Put an entry in front of an index file; trouble with the disk is worth a warning."""
    old = [e for e in load_entries(key) if e["object"] != entry["object"]]
    body = json.dumps([entry, *old][:_ENTRY_LIMIT]).encode()
    path = _index_file(key)
    for _ in range(_ATTEMPTS):
        try:
            _write(path, digest(body).encode() + b"\n" + body)
            return
        except OSError as fault:
            let_out(fault)
            if not _is_removed(os.path.dirname(path), fault):
                objects().warn(f"{path}: {fault.strerror or fault}")
                return
    # Others don't end to remove the folder; the next process compiles.


def _is_removed(folder: str, fault: OSError) -> bool:
    """Whether others have removed a folder, maybe between two looks at it."""
    if isinstance(fault, FileExistsError):
        return is_folder(folder) or not os.path.lexists(folder)
    return isinstance(fault, FileNotFoundError)


def _write(path: str, content: bytes) -> None:
    temporary = f"{path}.{os.getpid()}.{threading.get_ident()}.tmp"
    try:
        make_folders(os.path.dirname(path), 0o700)
        with open(temporary, "wb") as file:
            os.fchmod(file.fileno(), 0o644)
            file.write(content)
        os.replace(temporary, path)
    except BaseException:
        discard(temporary)
        raise
