"""``quernel record``: the signatures that a command uses, written into ``quernel.toml``."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from typing import Any

from . import config
from .target import UsageError


def register(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "record", help="run a command, and note in quernel.toml which signatures it has called"
    )
    parser.add_argument("command", nargs=argparse.REMAINDER, metavar="COMMAND")
    parser.set_defaults(run=run)


def run(options: Any) -> int:
    """Run the command; its exit status, where that isn't 0."""
    if not options.command:
        raise UsageError("record needs a command, such as `quernel record pytest`")
    with tempfile.TemporaryDirectory(prefix="quernel-record-") as folder:
        path = os.path.join(folder, "calls")
        environment = {**os.environ, "QUERNEL_RECORD": path}
        try:
            status = subprocess.run(options.command, env=environment, check=False).returncode
        except OSError as error:
            raise UsageError(f"{options.command[0]!r} can't be run: {error.strerror}") from None
        found, left_out = _noted(path)
    added = config.add(config.CONFIG, found)
    for line in sorted(left_out):
        print(f"left out: {line}", file=sys.stderr)
    print(f"{added} new signatures of {len(found)} functions: {config.CONFIG}")
    return status


def _noted(path: str) -> tuple[dict[str, list[str]], set[str]]:
    """The signatures by the names of functions, and what has none, in words."""
    found: dict[str, list[str]] = {}
    left_out: set[str] = set()
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            for line in file:
                name, signature, reason = json.loads(line)
                if reason:
                    left_out.add(f"{name}: {reason}")
                elif signature not in found.setdefault(name, []):
                    found[name].append(signature)
    return found, left_out
