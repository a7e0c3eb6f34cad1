"""``quernel cache``: what is on disk."""

from __future__ import annotations

import argparse
import os
from typing import Any

from .. import cache
from ..cache import store
from ..errors import CacheError
from ..report.text import size_text
from .target import UsageError

_MOST_DIGITS = 18


def register(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser("cache", help="look at the cache on disk, or clear it")
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    for name, action, text in (
        ("ls", _ls, "list the compiled programs, or those of a bundle"),
        ("info", _info, "show path and size"),
        ("verify", _verify, "check every record"),
        ("prune", _prune, "remove what was used the longest ago"),
        ("clear", _clear, "remove everything"),
    ):
        part = actions.add_parser(name, help=text)
        part.set_defaults(run=action)
        if name == "ls":
            part.add_argument("bundle", nargs="?", metavar="BUNDLE")
        if name == "prune":
            part.add_argument(
                "--max-bytes", type=_byte_count, default=store.USUAL_BYTES, metavar="N"
            )


def _byte_count(text: str) -> int:
    if not text.isdecimal() or len(text) > _MOST_DIGITS:
        raise argparse.ArgumentTypeError(f"{text!r} isn't a number of bytes")
    return int(text)


def _ls(options: Any) -> None:
    if options.bundle is not None:
        _ls_bundle(options.bundle)
        return
    for folder, _, names in sorted(os.walk(store.cache_path())):
        for name in sorted(names):
            key, _, kind = name.partition(".")
            if kind == "program":
                print(f"{key}  {size_text(os.path.getsize(os.path.join(folder, name)))}")


def _ls_bundle(path: str) -> None:
    from ..cache.bundles import Bundle

    try:
        about = Bundle(os.path.abspath(path)).about
    except CacheError as error:
        raise UsageError(str(error)) from None
    print(f"targets: {', '.join(about['targets'])}")
    for made in about["programs"]:
        print(f"{made['program']}  {made['target']}  {made['function']} ({made['signature']})")


def _info(options: Any) -> None:
    for name, value in cache.info().items():
        print(f"{name}: {value}")


def _verify(options: Any) -> int:
    found = cache.verify()
    print(found)
    return 1 if found else 0


def _prune(options: Any) -> None:
    print(cache.prune(options.max_bytes))


def _clear(options: Any) -> None:
    cache.clear()
    print(f"cleared {store.cache_path()}")
