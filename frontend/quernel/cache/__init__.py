"""The cache of compiled programs on disk, for users: ``quernel.cache``."""

from __future__ import annotations

import os
from typing import Any

from ..errors import CacheError
from ..signals import let_out
from . import store

path: str


def __getattr__(name: str) -> Any:
    if name == "path":
        return store.cache_path()
    raise AttributeError(f"module 'quernel.cache' has no attribute {name!r}")


def info() -> dict[str, Any]:
    """What the cache holds: its path, the number of programs, their bytes."""
    found = dict(store.own().info())
    found["path"] = store.cache_path()
    return found


def verify() -> Any:
    """Check every record's digest; what is corrupt is reported and counts as missing."""
    return store.own().verify()


def prune(max_bytes: int = 1 << 30) -> Any:
    """Remove the programs that were used the longest ago until the rest fits in `max_bytes`."""
    return store.own().prune(max_bytes)


def clear() -> None:
    """Remove every program, and what is known of them."""
    store.own().clear()


def use(bundle: str | os.PathLike[str]) -> None:
    """Take programs from, and put them into, another folder from now on.

    Raises
    ------
    CacheError
        Where there is no such folder.
    """
    folder = os.path.abspath(os.fspath(bundle))
    if not os.path.isdir(folder):
        raise CacheError(f"there is no cache folder {folder}")
    os.environ["QUERNEL_CACHE_DIR"] = folder


def bundle(target: str | os.PathLike[str]) -> str:
    """Copy the cache into a folder that other processes can use, and return its path.

    Raises
    ------
    CacheError
        Where the folder can't be written.
    """
    import shutil

    folder = os.path.abspath(os.fspath(target))
    try:
        shutil.copytree(store.cache_path(), folder, dirs_exist_ok=True)
    except (OSError, shutil.Error) as error:
        let_out(error)
        raise CacheError(f"the cache can't be copied to {folder}: {error}") from error
    return folder
