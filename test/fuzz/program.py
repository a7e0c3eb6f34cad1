"""A program: the text of a function `compute`, and the SPEC of the calls that it gets.

The text is a file by itself. Its SPEC is a plain dictionary:

    arguments   [name, dtype, shape, role] each. A shape is a list of `n`, `m` and numbers; "int",
                "float", "bool" or "complex" without a shape is a Python number. The role "index"
                makes integers from -n to n - 1.
    calls       dictionaries: `n`, `m`, the `seed` of the values, a layout for each argument,
                `special` (NaN, infinities and extremes among the values), and optionally
                `numbers` (given values of Python numbers) and `overlap` (see `arguments`).
    dynamic     the option of `quernel.compile`.
"""

from __future__ import annotations

import ast
import pprint
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Program:
    """The text of a function, without its SPEC, and the SPEC; `name` tells it from others."""

    name: str
    text: str
    spec: dict[str, Any]

    def file(self, notes: tuple[str, ...] = ()) -> str:
        """The whole file, which `read` takes back; the notes stand at its head."""
        head = "".join(f"# {note}\n" for note in notes)
        spec = pprint.pformat(self.spec, sort_dicts=False, width=98)
        return f"{head}{self.text.strip()}\n\n\nSPEC = {spec}\n"

    def with_text(self, text: str) -> Program:
        """The same calls of another function."""
        return replace(self, text=text)

    def with_spec(self, **changes: Any) -> Program:
        """The same function, called otherwise."""
        return replace(self, spec={**self.spec, **changes})


def read(path: Path) -> Program:
    """The program of a file."""
    source = path.read_text()
    for node in ast.parse(source).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "SPEC":
            text = "\n".join(source.splitlines()[: node.lineno - 1])
            kept = [line for line in text.splitlines() if not line.startswith("# ")]
            return Program(path.stem, "\n".join(kept).strip() + "\n", ast.literal_eval(node.value))
    raise ValueError(f"{path} has no SPEC")
