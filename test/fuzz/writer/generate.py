"""The program of a kind and a seed: its text, and the calls that it gets."""

from __future__ import annotations

import ast
import random
import warnings
from typing import Any

import numpy as np

from ..arguments import NUMBERS
from ..judge import TooLongError, errors_in_numpy
from ..program import Program
from . import nests
from .control import Control, indented
from .scope import ARRAY_DTYPES, Value

SIZES = (0, 1, 2, 7, 7, 7, 33, 33)
FIRST_SIZES = (7, 7, 7, 33, 2, 1)
COMMON = {"everyday": 30, "write": 8, "in_place": 8, "bind_number": 8, "new_array": 6, "leave": 2}


def weights(text: str) -> dict[str, int]:
    """Weights of statements, from `name:weight` each."""
    return {name: int(weight) for name, weight in (pair.split(":") for pair in text.split())}


# How often each kind of statement comes; `everyday` is about a third of what a program does.
KINDS: dict[str, dict[str, int]] = {
    "aliases": weights(
        "alias:14 rebind:12 listed:6 swap_parts:4 loop:8 branch:6 either:6 helper:4"
    ),
    "branches": weights("branch:22 either:10 rebind:5 alias:4 loop:5 jump:4 leave:6"),
    "expressions": weights("new_array:30 bind_number:14 compressed:5 out:5 branch:2"),
    "indexing": weights(
        "scattered:14 masked:12 compressed:8 swap_parts:6 loop:6 failing:3 branch:3 method:3"
    ),
    "loops": weights("loop:24 search:10 jump:8 branch:6 rebind:4 alias:3 swap_parts:3"),
    "mixed": weights(
        "loop:10 branch:8 search:4 alias:6 rebind:5 out:4 masked:4 scattered:4 helper:6 listed:3 "
        "either:4 swap_parts:4 jump:4 method:2 failing:2 compressed:3 leave:4"
    ),
    "nests": nests.WEIGHTS,
    "views": weights("alias:18 write:16 in_place:12 out:6 swap_parts:6 loop:6 rebind:4 branch:3"),
}


def program(kind: str, seed: int) -> Program:
    """The program of a seed, always the same one.

    Most programs run to their end in NumPy for the first call; some that raise are kept.
    """
    attempt = 0
    while True:
        rng = random.Random(f"{kind} {seed} {attempt}")
        made = nests.candidate(seed, rng) if kind == "nests" else candidate(kind, seed, rng)
        errors_welcome = rng.random() < 0.04 or attempt > 30
        attempt += 1
        try:
            ast.parse(made.text)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                errors = errors_in_numpy(made)
        except (SyntaxError, RecursionError, MemoryError, TooLongError):
            continue
        if errors[0] == "no exception" or errors_welcome:
            return made


def candidate(kind: str, seed: int, rng: random.Random) -> Program:
    """A program that NumPy may refuse."""
    chosen = dict(COMMON)
    for name, weight in KINDS[kind].items():
        chosen[name] = chosen.get(name, 0) + weight
    writer = Control(rng, chosen)
    arguments = arguments_of(kind, rng)
    for name, dtype, shape, _ in arguments:
        writer.names.append(Value(name, dtype_of(dtype), tuple(shape)))
    sizes = ["n = len(a)"]
    writer.names.append(Value("n", int))
    if any("m" in shape for _, _, shape, _ in arguments):
        matrix = next(name for name, _, shape, _ in arguments if "m" in shape)
        sizes.append(f"m = {matrix}.shape[{arguments_shape(arguments, matrix).index('m')}]")
        writer.names.append(Value("m", int))
    if rng.random() < 0.6:
        sizes.append("s = 0.5")
        writer.bind("s", float)
    if rng.random() < 0.5:
        sizes.append("count = 0")
        writer.bind("count", int)
    writer.left = rng.randint(4, 16)
    body = []
    for _ in range(rng.randint(2, 7)):
        body += writer.statement()
    body += [] if rng.random() < 0.05 else [f"return {writer.result()}"]
    names = ", ".join(name for name, *_ in arguments)
    lines = ["import numpy as np", *(h.strip("\n") for h in writer.helpers.values())]
    lines += [f"def compute({names}):", *indented([*used(sizes, body), *body])]
    spec = {"arguments": arguments, **calls_of(arguments, rng)}
    return Program(f"{kind}-{seed}", "\n".join(lines) + "\n", spec)


def used(sizes: list[str], body: list[str]) -> list[str]:
    """The first lines whose names the body reads."""
    names = {n.id for n in ast.walk(ast.parse("\n".join(body).replace("return", "_r = ")))
             if isinstance(n, ast.Name)} if is_parsed(body) else None  # fmt: skip
    return [line for line in sizes if names is None or line.split(" ")[0] in names]


def is_parsed(body: list[str]) -> bool:
    try:
        ast.parse("\n".join(body).replace("return", "_r = "))
    except SyntaxError:
        return False
    return True


def dtype_of(name: str) -> Any:
    """The dtype, or Python's type, of an argument."""
    return NUMBERS[name] if name in ("int", "float", "complex") else np.dtype(name)


def arguments_shape(arguments: list, name: str) -> list:
    return next(shape for other, _, shape, _ in arguments if other == name)


def arguments_of(kind: str, rng: random.Random) -> list[list[Any]]:
    """`a` of floats mostly; then what else a program may have."""

    def dtype() -> str:
        return "float64" if rng.random() < 0.5 else rng.choice(ARRAY_DTYPES)

    made: list[list[Any]] = [["a", "float64" if rng.random() < 0.75 else dtype(), ["n"], ""]]
    if rng.random() < 0.75:
        same = rng.random() < 0.5
        made.append(["d", made[0][1] if same else dtype(), ["n"], ""])
    if rng.random() < (0.7 if kind == "views" else 0.4):
        made.append(
            ["b", dtype(), rng.choice((["m", "n"], ["n", "n"], ["m", "n"], ["n", "m"])), ""]
        )
    if rng.random() < (0.8 if kind == "indexing" else 0.3):
        made.append(["c", "int64", ["n"], "index"])
    if rng.random() < 0.3:
        made.append(["e", rng.choice(ARRAY_DTYPES), ["n"], ""])
    if rng.random() < 0.2:
        made.append(["k", "bool", ["n"], ""])
    if rng.random() < 0.2:
        made.append(["p", rng.choice(("int", "int", "float")), [], ""])
    return made


def calls_of(arguments: list[list[Any]], rng: random.Random) -> dict[str, Any]:
    """One to four calls of other values, mostly of other sizes and layouts, too."""
    dynamic = True if rng.random() < 0.2 else None
    plain = rng.random() < 0.5
    overlap = overlap_of(arguments, rng) if rng.random() < 0.12 else []
    calls = []
    for place in range(rng.choice((1, 2, 2, 3, 4))):
        n = rng.choice(FIRST_SIZES if place == 0 else SIZES)
        layouts = [layout_of(len(shape), plain, rng) for _, _, shape, _ in arguments]
        m = rng.choice((n, 1, 2, 5, 7))
        call = {"n": n, "m": m, "seed": rng.randrange(10**6), "layouts": layouts}
        call["special"] = rng.random() < 0.08
        if overlap and rng.random() < 0.7:
            call["overlap"] = overlap
        calls.append(call)
    return {"calls": calls, "dynamic": dynamic}


def layout_of(rank: int, plain: bool, rng: random.Random) -> str:
    """C mostly."""
    if rank == 0 or plain or rng.random() < 0.5:
        return "C"
    layouts = ("F", "sliced", "reversed") if rank == 2 else ("sliced", "reversed")
    return rng.choice(layouts)


def overlap_of(arguments: list[list[Any]], rng: random.Random) -> list[list[str]]:
    """Two arguments of one dtype and shape in one memory, where there are two."""
    for i, (name, dtype, shape, role) in enumerate(arguments):
        for other in arguments[:i]:
            if shape and other[1:] == [dtype, shape, role]:
                return [[name, other[0], rng.choice(("same", "view", "reversed", "shifted"))]]
            if {dtype, other[1]} == {"float64", "int64"} and (shape, role) == (other[2], ""):
                return [[name, other[0], "bytes"]]
    return []
