"""The programs on disk: which compiled object answers which kind of call, found without tracing.

An index holds the *entries* of one function and one kind of call. Each says what it demands of the
arguments and of what the function reads from outside, how the result is made, and the key of its
program. Both are records of the runtime's cache: in the user's own folder, which is written, in one
of ``QUERNEL_CACHE_LAYERS``, which are read only, or in a bundle.
"""

from __future__ import annotations

import contextlib
import json
import os
import threading
import time
import warnings
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np

from .. import _runtime
from ..build_id import BUILD
from ..describe import digest
from ..errors import CacheError
from .target import KNOWN_DEVICE_TARGETS, capability, runnable

VERSION = "0.1.0"
_ENTRY_LIMIT = 64
USUAL_BYTES = _runtime.DiskCache.usual_bytes
_PATIENCE = 20.0  # seconds that a process waits for another one's compile
_LONGEST_PAUSE = 0.05
_held = threading.local()
used: list[Any] = []  # bundles, the last one first


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


@lru_cache
def _opened(path: str, most: str) -> Any:
    if not most:
        return _runtime.DiskCache(path, USUAL_BYTES)
    if not most.isdecimal():
        warnings.warn(
            f"QUERNEL_CACHE_MAX_BYTES={most!r} isn't a number of bytes, {USUAL_BYTES} is taken",
            RuntimeWarning,
            stacklevel=2,
        )
        return _opened(path, "")
    return _runtime.DiskCache(path, int(most))


def own() -> Any:
    """The runtime's cache at `cache_path`, which holds at most ``QUERNEL_CACHE_MAX_BYTES``."""
    return _opened(cache_path(), os.environ.get("QUERNEL_CACHE_MAX_BYTES", ""))


def _layers() -> list[Any]:
    """The own cache, and below it those that are read only."""
    below = os.environ.get("QUERNEL_CACHE_LAYERS", "").split(os.pathsep)
    return [own(), *(_opened(os.path.abspath(path), "") for path in below if path)]


def _bundles() -> list[Any]:
    """The bundles that are used, the last one first, then those of ``QUERNEL_BUNDLE``."""
    named = os.environ.get("QUERNEL_BUNDLE", "")
    return [*used, *(_named_bundles(named) if named else ())]


@lru_cache
def _named_bundles(paths: str) -> list[Any]:
    from .bundles import Bundle

    found = []
    for path in filter(None, paths.split(os.pathsep)):
        try:
            bundle = Bundle(os.path.abspath(path))
        except CacheError as error:
            warnings.warn(f"QUERNEL_BUNDLE: {error}", RuntimeWarning, stacklevel=2)
            continue
        misfit = bundle.misfit()
        if misfit:
            warnings.warn(f"QUERNEL_BUNDLE: {misfit}", RuntimeWarning, stacklevel=2)
        else:
            found.append(bundle)
    return found


class Index:
    """What an index is of; its key is another one for each target.

    Attributes
    ----------
    target : str
        What programs are compiled for here.
    """

    def __init__(self, target: str, *parts: str) -> None:
        self.target = target
        self._parts = parts
        self._keys: dict[str, str] = {}

    def key(self, target: str | None = None) -> str:
        """The key for a target, `target` if none is given."""
        target = target or self.target
        if target not in self._keys:
            base = (BUILD, str(_runtime.abi_version), np.__version__, target)
            self._keys[target] = digest(*base, *self._parts)
        return self._keys[target]

    def beside(self, name: str) -> Index:
        """Another index of the same function and kind of call."""
        return Index(self.target, *self._parts, name)


def index_of(target: str, function_digest: str, signature: tuple, options: str) -> Index:
    """The index of a function and a kind of call, of which programs are compiled for a target."""
    return Index(target, function_digest, repr(signature), options)


def program_key(index: Index, parameters: Any, reads: Any) -> str:
    """The key of a program."""
    return digest(index.key(), json.dumps([parameters, reads]))


def load_entries(index: Index) -> list[dict[str, Any]]:
    """The entries of an index; none where it is missing or can't be trusted.

    A bundle's are those for all targets whose programs run here.
    """
    places = [(layer, index.target) for layer in _layers()]
    for bundle in _bundles():
        places += [(bundle, target) for target in runnable(bundle.targets, index.target)]
    return _entries_at(index, places)


def load_others(index: Index) -> list[dict[str, Any]]:
    """The entries in the caches for older devices, whose programs run here, too."""
    older = runnable(KNOWN_DEVICE_TARGETS, index.target) if capability(index.target) else []
    places = [(layer, target) for target in older for layer in _layers()]
    return _entries_at(index, places)


def targets_of(index: Index) -> list[str]:
    """The devices that there are programs for, whether they run here or not."""
    places = [(layer, target) for target in KNOWN_DEVICE_TARGETS for layer in _layers()]
    for bundle in _bundles():
        places += [(bundle, target) for target in bundle.targets if capability(target)]
    found = {target for layer, target in places if _entries(layer, index.key(target))}
    return sorted(found, key=lambda target: capability(target) or 0)


def _entries_at(index: Index, places: list[tuple[Any, str]]) -> list[dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for layer, target in places:
        for entry in _entries(layer, index.key(target)):
            found.setdefault(entry["object"], entry)
    return list(found.values())


def _entries(layer: Any, key: str) -> list[dict[str, Any]]:
    record = layer.load("index", key)
    return [] if record is None else list(_parsed(record[1]))


@lru_cache(maxsize=16)
def _parsed(record: bytes) -> list[dict[str, Any]]:
    """The entries in a record, which a call that compiles reads again; nobody changes them."""
    return json.loads(record)


def load_program(key: str) -> tuple[bytes, str] | None:
    """The object and the manifest of a program, where a layer has it."""
    for layer in (*_layers(), *_bundles()):
        record = layer.load("program", key)
        if record is not None:
            return record[0], record[1].decode()
    return None


def keep(index: Index, entry: dict[str, Any], code: bytes, manifest: str) -> None:
    """Keep a program, and its entry in an index."""
    if own().store("program", entry["object"], manifest.encode(), code):
        add_entry(index, entry)


def add_entry(index: Index, entry: dict[str, Any]) -> None:
    """Put an entry in front of an index; trouble with the disk is worth a warning."""
    old = [e for e in _entries(own(), index.key()) if e["object"] != entry["object"]]
    own().store("index", index.key(), json.dumps([entry, *old][:_ENTRY_LIMIT]).encode())


@contextlib.contextmanager
def compiling(index: Index) -> Iterator[bool]:
    """While a process compiles what an index is to have, others wait.

    Yields
    ------
    bool
        Whether another process or thread has compiled for this index meanwhile. One that takes too
        long for that isn't waited for any more.
    """
    key, held = index.key(), _held.__dict__.setdefault("keys", set())
    if key in held:  # by this thread
        yield False
        return
    lock, cache, pause = None, own(), 0.001
    deadline = time.monotonic() + _PATIENCE
    while (lock := cache.try_lock(key)) is None and time.monotonic() < deadline:
        time.sleep(pause)
        pause = min(2 * pause, _LONGEST_PAUSE)
    held.add(key)
    try:
        yield pause > 0.001
    finally:
        held.discard(key)
        del lock
