"""Which programs have exact float results, and whether a program's results are stable where not.

`+ - * / sqrt`, comparisons, rounding and selections of real numbers are exact: both sides round
each result once. Sums, products, powers, functions, and complex products are not.
"""

from __future__ import annotations

import ast
import random
from collections.abc import Callable
from typing import Any

import numpy as np

from .oracle import HALF, NARROW, WIDE

INEXACT = frozenset(
    "sum mean std var prod dot matmul vdot inner outer cumsum cumprod average norm einsum "
    "trace sin cos tan sinh cosh tanh exp exp2 expm1 log log2 log10 log1p cbrt hypot power pow "
    "arctan arctan2 arcsin arccos logaddexp convolve interp linspace reduce at".split()
)
# Those whose terms programs for devices add as programs for CPUs do.
SUMS = frozenset("sum mean var std".split())


def calls(node: ast.AST, names: frozenset[str]) -> bool:
    """Whether a node is a call of a function of one of some names."""
    if not isinstance(node, ast.Call):
        return False
    return getattr(node.func, "attr", getattr(node.func, "id", "")) in names


def is_inexact(node: ast.AST) -> bool:
    """Whether a node's own result may be rounded otherwise."""
    if isinstance(node, ast.Call):
        return calls(node, INEXACT)
    return isinstance(node, (ast.BinOp, ast.AugAssign)) and isinstance(
        node.op, (ast.Pow, ast.MatMult)
    )


# Dtypes of arguments whose functions may be computed in single precision.
SINGLE = frozenset("int8 uint8 int16 uint16 bool float32 complex64".split())
# Which zero they give where a positive and a negative one are equal is nobody's promise.
SIGNLESS = frozenset("max min maximum minimum fmax fmin clip sort accumulate".split())
# Nor which NaN they give; another array may show it in the same memory.
ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod)


def bound_of(text: str, spec: dict[str, Any]) -> float | None:
    """How near a program's floats have to be, for `oracle.are_near`."""
    if not is_exact(text, spec):
        dtypes = {dtype for _, dtype, *_ in spec["arguments"]}
        return HALF if "float16" in dtypes else NARROW if dtypes & SINGLE else WIDE
    nodes = ast.walk(ast.parse(text))
    names = {getattr(node, "attr", getattr(node, "id", "")) for node in nodes}
    return 0.0 if names & SIGNLESS else None


def has_bits_of_host(text: str, spec: dict[str, Any]) -> bool:
    """Whether a program's results on a device have the bits that they have on a CPU, even if those
    aren't NumPy's: sums are added in the same order on both."""
    inexact = filter(is_inexact, ast.walk(ast.parse(text)))
    return not has_complex(text, spec) and all(calls(node, SUMS) for node in inexact)


def is_exact(text: str, spec: dict[str, Any]) -> bool:
    """Whether every float result of a program is determined to the bit."""
    return not has_complex(text, spec) and not any(map(is_inexact, ast.walk(ast.parse(text))))


def has_complex(text: str, spec: dict[str, Any]) -> bool:
    """Whether a program has complex numbers."""
    if any("complex" in dtype for _, dtype, *_ in spec["arguments"]):
        return True
    constants = (n.value for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Constant))
    return "complex" in text or any(isinstance(value, complex) for value in constants)


class _Disturb(ast.NodeTransformer):
    def __init__(self, with_products: bool) -> None:
        self.with_products = with_products

    def visit(self, node: ast.AST) -> ast.AST | list[ast.AST]:
        node = self.generic_visit(node)
        if calls(node, SIGNLESS):
            node = ast.Call(ast.Name("_signless", ast.Load()), [node], [])
        is_product = isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mult, ast.Div))
        if isinstance(node, ast.expr) and is_inexact(node):
            _disturb_operands(node)
        if isinstance(node, ast.expr) and (is_inexact(node) or (is_product and self.with_products)):
            return _disturbance(node)
        is_arithmetic = isinstance(node, ast.BinOp) and isinstance(node.op, ARITHMETIC)
        if is_arithmetic:
            return ast.Call(ast.Name("_nan_signed", ast.Load()), [node], [])
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
            into = ast.parse(ast.unparse(node.targets[0].value), mode="eval").body
            node.value = ast.Call(ast.Name("_copied", ast.Load()), [node.value, into], [])
        return self._in_place(node) if isinstance(node, ast.AugAssign) else node

    def _in_place(self, node: ast.AugAssign) -> ast.AST | list[ast.AST]:
        """`x *= y`, and `x = _beside(x)` behind it: the result is a little beside in x's memory."""
        is_product = isinstance(node.op, (ast.Mult, ast.Div)) and self.with_products
        if not (is_product or is_inexact(node)):
            return node
        read = ast.parse(ast.unparse(node.target), mode="eval").body
        moved = ast.Call(ast.Name("_beside", ast.Load()), [read], [])
        return [node, ast.Assign([node.target], moved)]


def _disturbance(node: ast.expr) -> ast.expr:
    return ast.Call(ast.Name("_disturbed", ast.Load()), [node], [])


def _disturb_operands(node: ast.expr) -> None:
    """Have an operation take operands a little beside: an error is as large as they are.

    A sum whose terms cancel is off by more than a sum of its size is.
    """
    if isinstance(node, ast.BinOp):
        node.left, node.right = _disturbance(node.left), _disturbance(node.right)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        owner = node.func.value
        if ast.unparse(owner).split(".")[0] != "np":
            node.func.value = _disturbance(owner)
        elif node.func.attr != "at":  # which writes to its operand
            node.args = [_disturbance(arg) for arg in node.args]


def disturbed(text: str, spec: dict[str, Any], seed: int) -> Callable[..., Any]:
    """The function of a text, whose inexact operations give results a little beside the right ones,
    whose NaN have either sign, and whose functions of SIGNLESS give zeros of either sign. What is
    assigned to a part of an array is copied first: NumPy copies a vector that lies in the same
    memory not always, and then reads what it has written.

    Where such a function gives other results, or takes another way, Quernel's may be either.
    """
    rng = random.Random(seed)

    def near(value: Any) -> Any:
        if isinstance(value, (float, complex)) and not isinstance(value, np.generic):
            return value * (1 + rng.uniform(-4, 4) * 2.0**-52)
        if isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in "fc":
            eps = np.finfo(value.dtype).eps
            with np.errstate(all="ignore"):
                factors = [1 + rng.uniform(-4, 4) * eps for _ in range(max(value.size, 1))]
                moved = value * np.reshape(factors[: value.size], value.shape).astype(value.dtype)
                moved = overflown(moved) if value.dtype.kind == "c" else moved
                moved = moved if isinstance(value, np.ndarray) else value.dtype.type(moved)
                return nan_signed(moved)
        return value

    def overflown(value: Any) -> Any:
        """Where two products that overflow are subtracted, a fused product makes an infinity of
        what is NaN otherwise; NumPy fuses those of some elements, by their places."""
        made = np.array(value, ndmin=1)
        parts = made.view(made.real.dtype)
        for k in np.flatnonzero(~np.isfinite(parts)):
            parts.flat[k] = rng.choice((parts.flat[k], np.nan, np.inf, -np.inf))
        return made.reshape(np.shape(value))

    def nan_signed(value: Any) -> Any:
        if not isinstance(value, (np.ndarray, np.generic)) or value.dtype.kind != "f":
            return value
        signs = np.array([rng.choice((-1, 1)) for _ in range(max(value.size, 1))][: value.size])
        other = np.copysign(value, signs.reshape(value.shape).astype(value.dtype))
        moved = np.where(np.isnan(value), other, value)
        return moved if isinstance(value, np.ndarray) else value.dtype.type(moved)

    def beside(value: Any) -> Any:
        moved = near(value)
        if not isinstance(value, np.ndarray):
            return moved
        value[...] = moved
        return value

    def copied(value: Any, into: Any) -> Any:
        are_arrays = isinstance(value, np.ndarray) and isinstance(into, np.ndarray)
        return value.copy() if are_arrays else value

    def signless(value: Any) -> Any:
        if not isinstance(value, (np.ndarray, np.generic)) or value.dtype.kind != "f":
            return value
        signs = [rng.choice((-1, 1)) for _ in range(max(value.size, 1))]
        factors = np.reshape(signs[: value.size], value.shape).astype(value.dtype)
        moved = np.where(value == 0, value * factors, value)
        if not isinstance(value, np.ndarray):
            return value.dtype.type(moved)
        value[...] = moved  # it may be the array that `out=` has named
        return value

    tree = ast.fix_missing_locations(_Disturb(has_complex(text, spec)).visit(ast.parse(text)))
    names: dict[str, Any] = {"_disturbed": near, "_signless": signless}
    names |= {"_nan_signed": nan_signed, "_copied": copied, "_beside": beside}
    exec(compile(tree, "<disturbed>", "exec"), names)
    return names["compute"]
