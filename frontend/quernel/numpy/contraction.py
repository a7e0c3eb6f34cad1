"""`np.einsum`: every pair of operands is one matrix product, or a product and a sum."""

from __future__ import annotations

import functools
import itertools
from typing import Any

import numpy as np

from ..capture.judging import judged
from ..primitives.elementwise import apply
from ..primitives.operands import dtype_of, lift
from ..traced.array import TracedArray, fresh
from ..traced.broadcasting import matched, met, sizes_text
from ..traced.memory import asked_layout
from ..traced.tracer import current
from .diagonals import diagonal_view
from .out_arguments import stored
from .products import matmul
from .reductions import ufunc_reduce
from .registry import implements
from .shapes import product, transpose

# A label is a letter, or a number for an axis that an ellipsis stands for.
Labels = list


@implements(np.einsum)
def einsum(
    *operands: Any,
    out: Any = None,
    dtype: Any = None,
    order: str = "K",
    casting: str = "safe",
    optimize: Any = False,
) -> Any:
    """`np.einsum`."""
    tracer = current()
    # Of what isn't used here NumPy may refuse some: paths, castings, the numbers of axes.
    judged(np.einsum, *operands, dtype=dtype, order=order, casting=casting, optimize=optimize)
    if order not in ("K", None):
        tracer.fail("np.einsum with order=", "copy the result in that order")
    inputs, result, arrays = _parsed(operands)
    if len(arrays) > 1 or out is not None or set(inputs[0]) != set(result):  # not a view
        kinds = [a.dtype for a in arrays]
        kind = np.result_type(*kinds) if dtype is None else dtype_of(tracer, dtype)
        if kind == np.float16:
            tracer.fail("np.einsum of float16", "cast with .astype")
        arrays = [a.astype(kind, copy=False) for a in arrays]
    given = arrays
    arrays = _met(arrays, inputs, result)
    terms = [_without_repeats(a, labels) for a, labels in zip(arrays, inputs, strict=True)]
    if len(terms) == 1 and out is None and set(terms[0][1]) == set(result):
        return _view(*terms[0], result)
    while len(terms) > 1:
        needed = set(result).union(*(labels for _, labels in terms[2:]))
        terms[:2] = [_contracted(*terms[0], *terms[1], needed)]
    answer = _ordered(*_summed(*terms[0], set(result)), result)
    if out is not None:
        return stored(answer, out)
    call = functools.partial(_called, operands, optimize)
    layout = asked_layout(answer.shape, [a.lying for a in given], call)
    return fresh(tracer, answer.value, not answer.ndim, layout)


def _called(operands: tuple, optimize: Any, *arrays: Any) -> Any:
    """What NumPy gives for other arrays in place of those among the operands."""
    called = list(operands)
    called[slice(1, None) if type(called[0]) is str else slice(0, 2 * len(arrays), 2)] = arrays
    return np.einsum(*called, optimize=optimize)


def _view(a: TracedArray, labels: Labels, result: Labels) -> Any:
    """Axes only change places: NumPy gives a view."""
    view = transpose(a, [labels.index(label) for label in result])
    return view if view.ndim else fresh(view.tracer, view.value, True)


def _parsed(operands: tuple) -> tuple[list[Labels], Labels, list[TracedArray]]:
    """Labels of each operand and of the result, and the operands."""
    if type(operands[0]) is str:
        text, arrays = operands[0].replace(" ", ""), [lift(a) for a in operands[1:]]
        left, arrow, right = text.partition("->")
        lists: list = [list(_letters(part)) for part in left.split(",")]
        target = list(_letters(right)) if arrow else None
    else:
        pairs = len(operands) // 2
        arrays = [lift(a) for a in operands[: 2 * pairs : 2]]
        lists = [list(labels) for labels in operands[1 : 2 * pairs : 2]]
        target = list(operands[-1]) if len(operands) % 2 else None
        lists = [[("axis", x) if x is not Ellipsis else x for x in labels] for labels in lists]
        target = target and [("axis", x) if x is not Ellipsis else x for x in target]
    if len(lists) != len(arrays):
        raise ValueError("more operands provided to einstein sum function than specified")
    counts = [a.ndim - (len(labels) - 1) for a, labels in zip(arrays, lists, strict=True)]
    wide = max(
        (n for n, labels in zip(counts, lists, strict=True) if Ellipsis in labels), default=0
    )
    inputs = [
        _spelled(labels, n, wide, a.ndim)
        for a, labels, n in zip(arrays, lists, counts, strict=True)
    ]
    if target is None:
        return inputs, _implicit(inputs, wide), arrays
    result = _spelled(target, wide, wide, None)
    known = set().union(*inputs)
    if len(set(result)) != len(result) or not known.issuperset(result):
        raise ValueError("einstein sum subscripts string includes an invalid output subscript")
    return inputs, result, arrays


def _letters(text: str) -> list:
    pieces = text.split("...")
    if len(pieces) > 2 or (not "".join(pieces).isalpha() and "".join(pieces)):
        raise ValueError("invalid subscript given in einstein sum subscripts string")
    return list(pieces[0]) + ([Ellipsis, *pieces[1]] if len(pieces) == 2 else [])


def _spelled(labels: Labels, count: int, wide: int, rank: int | None) -> Labels:
    """Labels with the ellipsis as the last `count` of `wide` numbered axes."""
    if Ellipsis not in labels:
        if rank is not None and len(labels) != rank:
            raise ValueError("einstein sum subscripts string doesn't fit the operand's axes")
        return labels
    if count < 0:
        raise ValueError("einstein sum subscripts string contains too many subscripts")
    at = labels.index(Ellipsis)
    return [*labels[:at], *range(wide - count, wide), *labels[at + 1 :]]


def _implicit(inputs: list[Labels], wide: int) -> Labels:
    """The result without an arrow: labels that occur once, in alphabetical order."""
    every = list(itertools.chain(*inputs))
    once = [label for label in dict.fromkeys(every) if every.count(label) == 1]
    return [*range(wide), *sorted(label for label in once if type(label) is not int)]


def _met(arrays: list[TracedArray], inputs: list[Labels], result: Labels) -> list[TracedArray]:
    """The operands; sizes of one label that aren't proven equal are compared by the program."""
    tracer, values = current(), [a.value for a in arrays]
    for k, labels in enumerate(inputs):
        for axis, label in enumerate(labels):
            first = labels.index(label)
            if first != axis:
                which = "single operand" if len(inputs) == 1 and label in result else f"operand {k}"
                text = f"dimensions in {which} for collapsing index {label!r} don't match ("
                sizes = [arrays[k].shape[place] for place in (first, axis)]
                text += "{0} != {1})"
                values[k] = matched(tracer, values[k], {axis: sizes[0]}, text, sizes)
    values = met(tracer, values, inputs, *_remapped(arrays, inputs, result))
    if len(inputs) == 1 and values[0] is not arrays[0].value and set(inputs[0]) == set(result):
        tracer.fail("a diagonal of an array whose sizes may differ, as np.einsum's view of it")
    return [
        a if value is a.value else fresh(tracer, value)
        for a, value in zip(arrays, values, strict=True)
    ]


def _remapped(arrays: list[TracedArray], inputs: list[Labels], result: Labels) -> tuple[str, list]:
    """NumPy's message where sizes of one label differ, and the sizes that it has places for.

    Every operand is shown as it is, and with the axes of the loops: those of the result, and then
    those that are summed in the order of their letters.
    """
    others = sorted(set().union(*inputs) - set(result), key=str)
    numbers: list[Any] = []
    parts = []
    for a, labels in zip(arrays, inputs, strict=True):
        sizes = dict(zip(labels, a.shape, strict=True))
        loops = [*result, *others]
        while loops and loops[0] not in sizes:
            loops.pop(0)
        shown = [sizes_text([sizes[x]], numbers) if x in sizes else "newaxis" for x in loops]
        own = sizes_text(a.shape, numbers)
        end = "," if len(result) + len(others) == 1 else ""
        parts.append(f"({own}{',' if a.ndim == 1 else ''})->({','.join(shown)}{end}) ")
    text = "operands could not be broadcast together with remapped shapes [original->remapped]: "
    return text + "".join(parts), numbers


def _without_repeats(a: TracedArray, labels: Labels) -> tuple[TracedArray, Labels]:
    """A label that occurs twice in an operand stands for its diagonal."""
    labels = list(labels)
    for label in dict.fromkeys(labels):
        while labels.count(label) > 1:
            first = labels.index(label)
            second = labels.index(label, first + 1)
            if a.shape[first] != a.shape[second]:
                raise ValueError("dimensions in operand for collapsing index don't match")
            a = diagonal_view(a, 0, first, second)
            labels = [x for k, x in enumerate(labels) if k not in (first, second)] + [label]
    return a, labels


def _summed(a: TracedArray, labels: Labels, needed: set) -> tuple[TracedArray, Labels]:
    """The sum over the labels that nothing else needs."""
    axes = tuple(k for k, label in enumerate(labels) if label not in needed)
    if not axes:
        return a, labels
    kept = [label for label in labels if label in needed]
    if a.dtype == bool:
        return ufunc_reduce(np.logical_or, a, axes), kept
    return ufunc_reduce(np.add, a, axes, a.dtype), kept


def _ordered(a: TracedArray, labels: Labels, result: Labels) -> TracedArray:
    order = [labels.index(label) for label in result]
    moved = transpose(a, order)
    return fresh(a.tracer, moved.value, not moved.ndim)


def _contracted(
    a: TracedArray, left: Labels, b: TracedArray, right: Labels, needed: set
) -> tuple[TracedArray, Labels]:
    """Two operands as one, with the labels that are still needed."""
    a, left = _summed(a, left, needed | set(right))
    b, right = _summed(b, right, needed | set(left))
    shared = [label for label in left if label in right]
    unit = [x for x in shared if _is_one(a, left, x) != _is_one(b, right, x)]
    summed = [label for label in shared if label not in needed]
    if not summed or unit or a.dtype.kind not in "fc":
        return _multiplied(a, left, b, right, needed)
    batch = [label for label in shared if label in needed]
    rows = [label for label in left if label not in shared]
    columns = [label for label in right if label not in shared]
    sizes = {label: a.shape[k] for k, label in enumerate(left)}
    sizes |= {label: b.shape[k] for k, label in enumerate(right)}
    first = _folded(a, left, [batch, rows, summed], sizes)
    second = _folded(b, right, [batch, summed, columns], sizes)
    labels = [*batch, *rows, *columns]
    answer = matmul(first, second)
    return answer.reshaped(tuple(sizes[label] for label in labels), certain=True), labels


def _is_one(a: TracedArray, labels: Labels, label: Any) -> bool:
    size = a.shape[labels.index(label)]
    return type(size) is int and size == 1


def _folded(a: TracedArray, labels: Labels, groups: list[Labels], sizes: dict) -> TracedArray:
    """The operand as matrices: batch axes as they are, every other group one axis."""
    order = [labels.index(label) for group in groups for label in group]
    shape = [sizes[label] for label in groups[0]]
    shape += [product(sizes[label] for label in group) for group in groups[1:]]
    return transpose(a, order).reshaped(tuple(shape), certain=True)


def _multiplied(
    a: TracedArray, left: Labels, b: TracedArray, right: Labels, needed: set
) -> tuple[TracedArray, Labels]:
    """The broadcast product, then the sum over what isn't needed."""
    labels = [*left, *(label for label in right if label not in left)]
    order = [right.index(label) for label in labels if label in right]
    sizes = iter([b.shape[k] for k in order])
    shape = tuple(next(sizes) if label in right else 1 for label in labels)
    b = transpose(b, order).reshaped(shape, certain=True)
    a = a.reshaped((*a.shape, *(1,) * (len(labels) - len(left))), certain=True)
    return _summed(apply(np.multiply, a, b), labels, needed)
