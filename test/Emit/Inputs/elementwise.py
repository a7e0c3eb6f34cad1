"""Every elementwise op, as scalars and in vectors of several widths: the same bits in all of them, and NumPy's values.

Run as ``elementwise.py FOLDER COMPILER MATH_ISA``, where the compiler is a command that takes ``TEXT -o LIBRARY``.
"""

import itertools
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

LENGTH = 256
LANES = (1, 4, 16)
INTEGERS = {"i64": np.int64, "i32": np.int32, "i16": np.int16, "i8": np.int8}
DTYPES = {"f64": np.float64, "f32": np.float32, **INTEGERS, "i1": np.bool_}

SPECIAL = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    2.5,
    -2.5,
    3.5,
    np.inf,
    -np.inf,
    np.nan,
    1e-310,
    -1e-310,
    1e300,
    1e17,
    7.0,
]


def inputs(dtype: str, seed: int) -> np.ndarray:
    """Special values in every combination with each other, then random ones."""
    rng = np.random.default_rng(seed)
    if dtype == "i1":
        return rng.integers(0, 2, LENGTH).astype(bool)
    if dtype.startswith("i"):
        info = np.iinfo(DTYPES[dtype])
        special = np.array([0, 1, -1, 2, -7, info.min, info.max, 5], DTYPES[dtype])
        values = (
            special[np.arange(LENGTH) % 8] if seed == 0 else special[np.arange(LENGTH) // 8 % 8]
        )
        values[64:] = rng.integers(info.min, info.max, LENGTH - 64, endpoint=True)
        return values
    with np.errstate(over="ignore"):
        special = np.array(SPECIAL).astype(DTYPES[dtype])
    values = special[np.arange(LENGTH) % 16] if seed == 0 else special[np.arange(LENGTH) // 16]
    values = values.copy()
    values[200:] = rng.normal(0, 3, LENGTH - 200)
    # Remainders and angles are hard where the exponents are far apart.
    values[230:] *= np.exp2(rng.integers(-100, 100, LENGTH - 230)).astype(DTYPES[dtype])
    return values


def small_shift(values: np.ndarray) -> np.ndarray:
    return values & (values.itemsize * 8 - 1)


def as_unsigned(function: Callable) -> Callable:
    """The function on the unsigned twins of its operands, with a result of the signed type."""

    def call(*values: np.ndarray) -> np.ndarray:
        result = function(*[value.view(f"u{value.itemsize}") for value in values])
        return result if result.dtype == bool else result.view(values[0].dtype)

    return call


def truncated_division(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    quotient = np.abs(a.astype(object)) // np.abs(b.astype(object))
    return np.where((a < 0) != (b < 0), -quotient, quotient).astype(a.dtype)


def no_overflow(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Operands of a division that C++ defines."""
    return np.where(a == np.iinfo(a.dtype).min, 3, a), np.where(b == 0, 2, b)


def positive(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return a, np.where(b == 0, 2, b)


def shifts(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return a, small_shift(b)


def half_away(x: np.ndarray) -> np.ndarray:
    whole = np.trunc(x)
    return np.where(np.isfinite(x), np.copysign(np.abs(whole) + (np.abs(x - whole) >= 0.5), x), x)


class Op:
    """An op, its operands' and result's element types, and what NumPy says to it."""

    def __init__(self, text, types, result, reference, prepare=None, ulps=0, lanes=LANES):
        self.text, self.types, self.result, self.reference = text, types, result, reference
        self.prepare, self.ulps, self.lanes = prepare, ulps, lanes


def float_ops(t: str) -> list[Op]:
    unary = {
        "arith.negf": np.negative, "math.sqrt": np.sqrt, "math.floor": np.floor, "math.ceil": np.ceil,
        "math.trunc": np.trunc, "math.roundeven": np.rint, "math.round": half_away, "math.absf": np.abs,
    }  # fmt: skip
    binary = {
        "arith.addf": np.add, "arith.subf": np.subtract, "arith.mulf": np.multiply, "arith.divf": np.divide,
        "arith.maximumf": np.maximum, "arith.minimumf": np.minimum, "arith.maxnumf": np.fmax,
        "arith.minnumf": np.fmin, "arith.remf": np.fmod, "math.copysign": np.copysign,
    }  # fmt: skip
    inexact = {
        "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan,
        "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh, "asinh": np.arcsinh, "acosh": np.arccosh,
        "atanh": np.arctanh, "exp": np.exp, "exp2": np.exp2, "expm1": np.expm1, "log": np.log, "log2": np.log2,
        "log10": np.log10, "log1p": np.log1p, "cbrt": np.cbrt,
    }  # fmt: skip
    ops = [Op(f"{name} %a : T", (t,), t, function) for name, function in unary.items()]
    ops += [Op(f"{name} %a, %b : T", (t, t), t, function) for name, function in binary.items()]
    ops += [
        Op(f"math.{name} %a : T", (t,), t, function, ulps=4) for name, function in inexact.items()
    ]
    ops += [
        Op("math.powf %a, %b : T", (t, t), t, np.power, ulps=4),
        Op("math.atan2 %a, %b : T", (t, t), t, np.arctan2, ulps=4),
        Op("math.isnan %a : T", (t,), "i1", np.isnan),
        Op("math.isinf %a : T", (t,), "i1", np.isinf),
        Op("math.isfinite %a : T", (t,), "i1", np.isfinite),
    ]
    nan = lambda a, b: np.isnan(a) | np.isnan(b)  # noqa: E731
    ordered = {
        "oeq": np.equal, "ogt": np.greater, "oge": np.greater_equal, "olt": np.less, "ole": np.less_equal,
        "one": lambda a, b: ~nan(a, b) & (a != b), "ord": lambda a, b: ~nan(a, b), "uno": nan,
        "ueq": lambda a, b: nan(a, b) | (a == b), "ugt": lambda a, b: ~(a <= b), "uge": lambda a, b: ~(a < b),
        "ult": lambda a, b: ~(a >= b), "ule": lambda a, b: ~(a > b), "une": np.not_equal,
    }  # fmt: skip
    ops += [
        Op(f"arith.cmpf {name}, %a, %b : T", (t, t), "i1", function)
        for name, function in ordered.items()
    ]
    ops += [Op("arith.cmpf une, %a, %a : T", (t,), "i1", np.isnan)]
    ops += [Op("arith.cmpf ord, %a, %a : T", (t,), "i1", lambda a: ~np.isnan(a))]
    return ops


def integer_ops(t: str) -> list[Op]:
    wrap = {"arith.addi": np.add, "arith.subi": np.subtract, "arith.muli": np.multiply, "arith.andi": np.bitwise_and,
            "arith.ori": np.bitwise_or, "arith.xori": np.bitwise_xor, "arith.maxsi": np.maximum,
            "arith.minsi": np.minimum}  # fmt: skip
    ops = [Op(f"{name} %a, %b : T", (t, t), t, function) for name, function in wrap.items()]
    floor, ceil = np.floor_divide, lambda a, b: -np.floor_divide(-a, b)
    ops += [
        Op("math.absi %a : T", (t,), t, np.abs),
        Op("arith.divsi %a, %b : T", (t, t), t, truncated_division, no_overflow),
        Op("arith.remsi %a, %b : T", (t, t), t, np.fmod, no_overflow),
        Op("arith.maxui %a, %b : T", (t, t), t, as_unsigned(np.maximum)),
        Op("arith.minui %a, %b : T", (t, t), t, as_unsigned(np.minimum)),
        Op("arith.divui %a, %b : T", (t, t), t, as_unsigned(np.floor_divide), positive),
        Op("arith.remui %a, %b : T", (t, t), t, as_unsigned(np.remainder), positive),
        Op("arith.floordivsi %a, %b : T", (t, t), t, floor, no_overflow, lanes=(1,)),
        Op("arith.ceildivsi %a, %b : T", (t, t), t, ceil, no_overflow, lanes=(1,)),
        Op("arith.shli %a, %b : T", (t, t), t, np.left_shift, shifts),
        Op("arith.shrsi %a, %b : T", (t, t), t, np.right_shift, shifts),
        Op("arith.shrui %a, %b : T", (t, t), t, as_unsigned(np.right_shift), shifts),
    ]
    signed = {"eq": np.equal, "ne": np.not_equal, "slt": np.less, "sle": np.less_equal, "sgt": np.greater,
              "sge": np.greater_equal}  # fmt: skip
    ops += [
        Op(f"arith.cmpi {name}, %a, %b : T", (t, t), "i1", function)
        for name, function in signed.items()
    ]
    for name, function in (
        ("ult", np.less),
        ("ule", np.less_equal),
        ("ugt", np.greater),
        ("uge", np.greater_equal),
    ):
        ops.append(Op(f"arith.cmpi {name}, %a, %b : T", (t, t), "i1", as_unsigned(function)))
    return ops


def cast_ops() -> list[Op]:
    def cast(name: str, source: str, target: str, reference: Callable, prepare=None) -> Op:
        return Op(f"arith.{name} %a : A to R", (source,), target, reference, prepare)

    def to(dtype: str) -> Callable:
        return lambda a: a.astype(DTYPES[dtype])

    def finite(a: np.ndarray) -> tuple[np.ndarray]:
        return (np.where(np.abs(a) < 1e9, a, 7).astype(a.dtype),)

    ops = [cast("extf", "f32", "f64", to("f64")), cast("truncf", "f64", "f32", to("f32"))]
    for wide, narrow in itertools.combinations(INTEGERS, 2):
        unsigned = f"u{np.dtype(DTYPES[narrow]).itemsize}"
        ops += [cast("extsi", narrow, wide, to(wide)), cast("trunci", wide, narrow, to(narrow))]
        ops += [
            cast(
                "extui",
                narrow,
                wide,
                lambda a, u=unsigned, wide=wide: a.view(u).astype(DTYPES[wide]),
            )
        ]
    for i in INTEGERS:
        ops += [cast("trunci", i, "i1", lambda a: (a & 1).astype(bool))]
    for f, i in itertools.product(("f64", "f32"), ("i16", "i8")):
        unsigned = f"u{np.dtype(DTYPES[i]).itemsize}"
        ops += [cast("sitofp", i, f, to(f))]
        ops += [cast("uitofp", i, f, lambda a, f=f, u=unsigned: a.view(u).astype(DTYPES[f]))]
    for f, i in itertools.product(("f64", "f32"), ("i64", "i32")):
        unsigned = f"u{np.dtype(DTYPES[i]).itemsize}"
        ops += [cast("sitofp", i, f, to(f)), cast("fptosi", f, i, to(i), finite)]
        ops += [cast("uitofp", i, f, lambda a, f=f, u=unsigned: a.view(u).astype(DTYPES[f]))]
        ops += [cast("fptoui", f, i, to(i), lambda a: (np.abs(finite(a)[0]),))]
    for a, b in (("f64", "i64"), ("i64", "f64"), ("f32", "i32"), ("i32", "f32")):
        ops.append(cast("bitcast", a, b, lambda x, b=b: x.view(DTYPES[b])))
    for t in INTEGERS:
        ops += [
            cast("extui", "i1", t, to(t)),
            cast("extsi", "i1", t, lambda a, t=t: -a.astype(DTYPES[t])),
        ]
    for t in ("f32", "f64"):
        ops += [cast("uitofp", "i1", t, to(t))]
    for name, function in (
        ("andi", np.logical_and),
        ("ori", np.logical_or),
        ("xori", np.logical_xor),
    ):
        ops.append(Op(f"arith.{name} %a, %b : T", ("i1", "i1"), "i1", function))
    for t in DTYPES:
        ops.append(Op("arith.select %a, %b, %c : CHOICE", ("i1", t, t), t, np.where))
    return ops


def program(index: int, op: Op, lanes: int) -> str:
    """A kernel that loops over the arrays and the program that calls it."""

    def full(element: str) -> str:
        return element if lanes == 1 else f"vector<{lanes}x{element}>"

    types = [*op.types, op.result]
    names = ["a", "b", "c"][: len(op.types)] + ["r"]
    arguments = ", ".join(f"%{n}_: memref<?x{t}>" for n, t in zip(names, types, strict=True))
    load, store = ("memref.load", "memref.store") if lanes == 1 else ("vector.load", "vector.store")

    def suffix(t: str) -> str:
        return f"memref<?x{t}>" + ("" if lanes == 1 else f", {full(t)}")

    text = op.text.replace("CHOICE", "T" if lanes == 1 else "M, T")
    words = {"T": full(op.types[-1]), "A": full(op.types[0]), "R": full(op.result), "M": full("i1")}
    text = " ".join(
        "".join(words.get(part, part) for part in split_words(token)) for token in text.split(" ")
    )
    loads = "\n".join(
        f"      %{n} = {load} %{n}_[%i] : {suffix(t)}"
        for n, t in zip(names[:-1], op.types, strict=True)
    )
    name = f"op{index}_{lanes}"
    memrefs = ", ".join(f"memref<?x{t}>" for t in types)
    passed = ", ".join(f"%{n}_" for n in names)
    return f"""
  func.func private @{name}_kernel({arguments}) attributes {{quernel.function = #quernel.function<kernel>}} {{
    %c0 = arith.constant 0 : index
    %n = arith.constant {LENGTH} : index
    %step = arith.constant {lanes} : index
    scf.for %i = %c0 to %n step %step {{
{loads}
      %r = {text}
      {store} %r, %r_[%i] : {suffix(op.result)}
    }}
    return
  }}
  func.func @{name}({arguments}) attributes {{quernel.function = #quernel.function<program>}} {{
    func.call @{name}_kernel({passed}) : ({memrefs}) -> ()
    return
  }}"""


def split_words(token: str) -> list[str]:
    words, word = [], ""
    for character in token:
        if character.isalnum() or character in "_%@.":
            word += character
        else:
            words += [word, character]
            word = ""
    return [*words, word]


def build(folder: Path, ops: list[Op], compiler: str, isa: str) -> None:
    functions = [program(index, op, lanes) for index, op in enumerate(ops) for lanes in op.lanes]
    text = "module {\n" + "".join(functions) + "\n}\n"
    (folder / "ops.mlir").write_text(text)
    subprocess.run(
        [
            "quernel-translate",
            "--to-cpp",
            f"--math-isa={isa}",
            folder / "ops.mlir",
            "-o",
            folder / "ops.cpp",
        ],
        check=True,
    )
    subprocess.run(
        [*shlex.split(compiler), folder / "ops.cpp", "-o", folder / "ops.so"], check=True
    )


def close(result: np.ndarray, expected: np.ndarray, ulps: int) -> np.ndarray:
    """Where two arrays have the same bits, are both NaN, or are so many units in the last place apart."""
    if result.dtype.kind != "f":
        return result == expected
    same = (result == expected) & (np.signbit(result) == np.signbit(expected))
    same |= np.isnan(result) & np.isnan(expected)
    with np.errstate(all="ignore"):
        tiny = np.finfo(result.dtype).tiny * np.finfo(result.dtype).eps
        return same | (
            np.abs(result - expected) <= ulps * np.maximum(np.spacing(np.abs(expected)), tiny)
        )


def zeros_may_differ(op: Op) -> bool:
    """NumPy itself gives either zero for the greater one of two zeros."""
    return any(name in op.text for name in ("maximumf", "minimumf", "maxnumf", "minnumf"))


def check(op: Op, index: int, run: Callable) -> None:
    operands = [inputs(t, seed) for seed, t in enumerate(op.types)]
    if op.prepare:
        operands = [np.ascontiguousarray(x) for x in op.prepare(*operands)]
    with np.errstate(all="ignore"):
        expected = np.asarray(op.reference(*operands), DTYPES[op.result])
    first = None
    for lanes in op.lanes:
        result = np.zeros(LENGTH, DTYPES[op.result])
        assert run(f"op{index}_{lanes}", [*operands, result]) == 0
        good = close(result, expected, op.ulps)
        if zeros_may_differ(op):
            good |= (result == 0) & (expected == 0)
        where = np.flatnonzero(~good)[:4]
        assert good.all(), (
            op.text,
            lanes,
            [x[where] for x in operands],
            result[where],
            expected[where],
        )
        first = result if first is None else first
        bits = first.tobytes() == result.tobytes() or close(first, result, 0).all()
        assert bits, (op.text, lanes, "other bits than the scalars'")


def main() -> None:
    folder, compiler, isa = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    folder.mkdir(parents=True, exist_ok=True)
    ops = [
        *float_ops("f64"),
        *float_ops("f32"),
        *(op for t in INTEGERS for op in integer_ops(t)),
        *cast_ops(),
    ]
    build(folder, ops, compiler, isa)
    sys.argv[1] = str(folder / "ops.so")
    from program import run

    for index, op in enumerate(ops):
        check(op, index, run)


if __name__ == "__main__":
    main()
