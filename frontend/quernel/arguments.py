"""What a call's arguments look like to the compiler: a tree of leaves for each argument.

A leaf is an array, a number that stays symbolic, or a value that is part of the program (a guard).
"""

from __future__ import annotations

import reprlib
import types
from collections.abc import Iterator
from typing import Any

import numpy as np

from . import _runtime
from .describe import Undescribable, describe
from .dtypes import EQUIVALENT
from .dtypes import NUMBERS as DTYPES
from .errors import UnsupportedError
from .hints import dtype_hint, object_hint, subclass_hint
from .named_tuples import class_form, is_named_tuple

_NATIVE = {name: np.dtype(name) for name in DTYPES.values()}
_SCALARS = {np.dtype(name).type: name for name in DTYPES.values()}
_INT64 = range(-(2**63), 2**63)
MOST_NESTED = 32
MOST_ITEMS = 1024  # of an argument, each a parameter of the program
# Of dicts that programs take.
KEYS = (str, int, bool)
CONTAINERS = ("tuple", "list", "dict", "named")
IDENTITIES = (
    type, types.FunctionType, types.BuiltinFunctionType, np.ufunc, type(np.sum), _runtime.Function,
)  # fmt: skip


class Leaf:
    """One argument or a part of one.

    Attributes
    ----------
    kind : {"array", "scalar", "value", "is", "tuple", "list", "dict", "named"}
    path : str
        How to name it to the user: ``x``, ``x[1]``.
    obj : object
        The object itself; for an array that had to be converted, the converted copy.
    dtype : str
        Of an array its dtype; of a scalar its kind as the runtime names it.
    layout : "C", "strided" or tuple
        Of an array: how its elements lie; see `strides_layout`.
    strides : tuple of int
        Of an array: in elements, 0 along axes of at most one.
    """

    __slots__ = (
        "kind",
        "path",
        "obj",
        "dtype",
        "shape",
        "layout",
        "strides",
        "writeable",
        "original",
        "children",
        "keys",
    )

    def __init__(self, kind: str, path: str, obj: Any, dtype: str = "", children: Any = ()) -> None:
        self.kind = kind
        self.path = path
        self.obj = obj
        self.dtype = dtype
        self.children: list[Leaf] = list(children)
        self.keys: list[Any] = []
        self.original = None

    def leaves(self) -> Iterator[Leaf]:
        """This leaf, or all the leaves below it."""
        if self.kind in CONTAINERS:
            for child in self.children:
                yield from child.leaves()
        else:
            yield self

    def signature(self, static: set[str], shapes: bool = True) -> tuple:
        """A hashable text-like form.

        Numbers whose path is in `static` appear with their values, arrays with their strides.
        """
        if self.kind == "array":
            shape = self.shape if shapes else len(self.shape)
            known = self.path in static
            return ("array", self.dtype, shape, self.known_layout() if known else self.layout)
        if self.kind == "scalar" and self.path not in static:
            return ("scalar", self.dtype)
        if self.children or self.keys or self.kind in CONTAINERS:
            parts = tuple(child.signature(static, shapes) for child in self.children)
            if self.kind == "named":
                return (self.kind, *class_form(type(self.obj)), parts)
            return (self.kind, tuple(describe(key) for key in self.keys), parts)
        if self.kind == "is":
            return ("is", id(self.obj), _identity_text(self.obj))
        return ("value", describe(self.obj))

    def known_layout(self) -> Any:
        """The layout of an array whose strides are part of the program."""
        if self.layout == "C" or self.layout[0] == "dense":
            return self.layout
        axes = tuple(range(len(self.shape))) if self.layout == "strided" else self.layout[1]
        return ("strides", axes, self.strides)

    def rebuilt(self) -> Any:
        """The argument with its converted arrays put in."""
        if self.kind == "dict":
            return {k: child.rebuilt() for k, child in zip(self.keys, self.children, strict=True)}
        if self.kind in ("tuple", "list"):
            items = [child.rebuilt() for child in self.children]
            return tuple(items) if self.kind == "tuple" else items
        if self.kind == "named":
            return type(self.obj)._make(child.rebuilt() for child in self.children)
        return self.obj


def classify(obj: Any, path: str, symbolic: bool = True, depth: int = 0) -> Leaf:
    """The leaf of an object.

    Parameters
    ----------
    symbolic : bool
        Whether its Python numbers may change between calls.
    depth : int
        The number of containers that it is in.

    Raises
    ------
    UnsupportedError
        For kinds of objects that compiled code can't take.
    """
    kind = type(obj)
    if depth == 0 and symbolic and has_many_items(obj):
        raise UnsupportedError(f"`{path}` has more than {MOST_ITEMS} items", "pass an array")
    if depth > MOST_NESTED:
        name = path.split("[", maxsplit=1)[0]
        raise UnsupportedError(f"`{name}` is nested more than {MOST_NESTED} deep", "pass an array")
    if kind is np.ndarray:
        return _array_leaf(obj, path)
    if kind is float and symbolic:
        return Leaf("scalar", path, obj, "float")
    if kind is complex and symbolic:
        return Leaf("scalar", path, obj, "complex")
    if kind is int and symbolic and obj in _INT64:
        return Leaf("scalar", path, obj, "int")
    if kind in _SCALARS and symbolic:
        return Leaf("scalar", path, obj, f"np.{_SCALARS[kind]}")
    if kind is tuple or kind is list:
        items = enumerate(obj)
        parts = [classify(item, f"{path}[{k}]", symbolic, depth + 1) for k, item in items]
        return Leaf(kind.__name__, path, obj, children=parts)
    if is_named_tuple(obj) and class_form(kind):
        items = zip(kind._fields, obj, strict=True)
        parts = [classify(item, f"{path}.{k}", symbolic, depth + 1) for k, item in items]
        return Leaf("named", path, obj, children=parts)
    if kind is dict:
        return _dict_leaf(obj, path, symbolic, depth)
    if isinstance(obj, np.ndarray):
        reason = f"`{path}` is a {kind.__name__}, a subclass of ndarray"
        raise UnsupportedError(reason, subclass_hint(obj, path))
    if isinstance(obj, IDENTITIES):
        return Leaf("is", path, obj)
    try:
        describe(obj)
    except Undescribable:
        reason = f"`{path}` is an object of type {kind.__name__}"
        raise UnsupportedError(reason, object_hint(obj, path)) from None
    return Leaf("value", path, obj)


def has_many_items(obj: Any) -> bool:
    """Whether tuples, lists and dicts in each other have more items than programs take."""
    count, waiting = 0, [(obj, 0)]
    while waiting and count <= MOST_ITEMS:
        items, depth = waiting.pop()
        items = list(items.values()) if type(items) is dict else items
        if isinstance(items, (tuple, list)) and depth <= MOST_NESTED:
            count += len(items)
            waiting += [(item, depth + 1) for item in items[: MOST_ITEMS + 1]]
    return count > MOST_ITEMS


def _identity_text(obj: Any) -> str:
    try:
        return describe(obj)
    except Undescribable:
        return ""


def _array_leaf(obj: np.ndarray, path: str) -> Leaf:
    name = DTYPES.get(obj.dtype.num) or EQUIVALENT.get(obj.dtype.num)
    if name is None or obj.dtype.fields is not None:
        reason = f"`{path}` has dtype {obj.dtype}"
        raise UnsupportedError(reason, dtype_hint(obj.dtype, path))
    leaf = Leaf("array", path, obj, name)
    leaf.shape = obj.shape
    leaf.writeable = obj.flags.writeable
    if not _is_plain(obj):
        leaf.original = obj
        leaf.obj = obj.astype(_NATIVE[name], order="C")
    pairs = zip(leaf.shape, leaf.obj.strides, strict=True)
    leaf.strides = tuple(step // leaf.obj.itemsize if size > 1 else 0 for size, step in pairs)
    leaf.layout = "C" if leaf.obj.flags.c_contiguous else strides_layout(leaf.shape, leaf.strides)
    return leaf


def strides_layout(shape: tuple, strides: tuple) -> Any:
    """How the elements of an array lie that isn't contiguous.

    ``("dense", axes)`` where one element follows the other, with the axes in that order in memory;
    ``("nested", axes)`` where that isn't so, but a step along an axis leads over all that the axes
    behind it reach; else ``"strided"``, which may be any strides.

    Parameters
    ----------
    strides : tuple of int
        In elements, 0 along axes of at most one.
    """
    axes = tuple(sorted(range(len(shape)), key=lambda axis: -abs(strides[axis])))
    count, span, is_dense = 1, 0, True
    for axis in reversed(axes):
        if shape[axis] < 2:
            continue
        if abs(strides[axis]) <= span:
            return "strided"
        is_dense = is_dense and strides[axis] == count
        count *= shape[axis]
        span += (shape[axis] - 1) * abs(strides[axis])
    return ("dense" if is_dense else "nested"), axes


def _is_plain(obj: np.ndarray) -> bool:
    """Whether compiled code can read the array where it is."""
    if not obj.flags.aligned or not obj.dtype.isnative or obj.dtype.num not in DTYPES:
        return False
    item = obj.itemsize
    return all(stride % item == 0 for stride in obj.strides)


def _dict_leaf(obj: dict, path: str, symbolic: bool, depth: int) -> Leaf:
    for key in obj:
        if type(key) not in KEYS:
            raise UnsupportedError(
                f"`{path}` is a dict with a key of type {type(key).__name__}",
                "use strings or integers as keys",
            )
    items = obj.items()
    children = [classify(value, f"{path}[{key!r}]", symbolic, depth + 1) for key, value in items]
    leaf = Leaf("dict", path, obj, children=children)
    leaf.keys = list(obj)
    return leaf


class Call:
    """One call's arguments, classified.

    Attributes
    ----------
    args, kwargs : tuple, dict
        As they can be handed to compiled code: arrays that it can't read in place are copies.
    parameters : list of Leaf
        One for each passed argument, in the order of the call.
    """

    def __init__(self, function: types.FunctionType, args: tuple, kwargs: dict[str, Any]) -> None:
        names = parameter_names(function, len(args))
        self.kwnames = tuple(kwargs)
        self.parameters = [classify(obj, name) for name, obj in zip(names, args, strict=True)] + [
            classify(obj, name) for name, obj in kwargs.items()
        ]
        self.converted = [
            leaf
            for parameter in self.parameters
            for leaf in parameter.leaves()
            if leaf.original is not None
        ]
        self.args, self.kwargs = args, kwargs
        if self.converted:
            values = [leaf.rebuilt() for leaf in self.parameters]
            self.args = tuple(values[: len(args)])
            self.kwargs = dict(zip(self.kwnames, values[len(args) :], strict=True))
        self.nargs = len(args)

    def signature(self, static: set[str], shapes: bool = True) -> tuple:
        """A hashable form of the whole call; see `Leaf.signature`."""
        parts = tuple(leaf.signature(static, shapes) for leaf in self.parameters)
        return (self.nargs, self.kwnames, parts)

    def scalars(self) -> Iterator[Leaf]:
        """The leaves of all the arguments that are numbers, in order."""
        for parameter in self.parameters:
            for leaf in parameter.leaves():
                if leaf.kind == "scalar":
                    yield leaf

    def arrays(self) -> Iterator[Leaf]:
        """The array leaves of all the arguments, in order."""
        for parameter in self.parameters:
            for leaf in parameter.leaves():
                if leaf.kind == "array":
                    yield leaf


def portable(signature: Any) -> Any:
    """A signature as it is in any process: without the identities of what has a text."""
    if type(signature) is not tuple:
        return signature
    if len(signature) == 3 and signature[0] == "is":
        return ("is", signature[2])
    return tuple(map(portable, signature))


def call_texts(call: Call) -> dict[str, str]:
    """What a call was like, in words: by path, arrays as ``float64[3, 4]``, all else as it is."""
    texts = {}
    for parameter in call.parameters:
        for leaf in parameter.leaves():
            if leaf.kind == "array":
                layout = "" if leaf.layout == "C" else " with strides"
                texts[leaf.path] = f"{leaf.dtype}{list(leaf.shape)}{layout}"
            else:
                texts[leaf.path] = reprlib.repr(leaf.obj)
    return texts


def parameter_names(function: types.FunctionType, count: int) -> list[str]:
    """Names of the first `count` positional arguments, those taken by ``*args`` included."""
    code = function.__code__
    names = list(code.co_varnames[: code.co_argcount])
    variadic = "args"
    if code.co_flags & 0x04:
        variadic = code.co_varnames[code.co_argcount + code.co_kwonlyargcount]
    extra = range(count - len(names))
    return (names + [f"{variadic}[{k}]" for k in extra])[:count]
