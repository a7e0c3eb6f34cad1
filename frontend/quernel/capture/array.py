"""Traced arrays: storage that can be written, views of it, and NumPy's protocols."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..arguments import Leaf
from ..replay import replayed
from .memory import lies_in_order, shares
from .tracer import Restart, Tracer, current
from .views import ReshapeView, composed

_UNROLL_LIMIT = 256


class Storage:
    """Memory that arrays share: its value changes when one of them is written.

    Attributes
    ----------
    leaf : Leaf or None
        The argument whose memory it is.
    known : np.ndarray or None
        Its elements, where the program itself spells them out.
    frozen : (str, str)
        Why it can't be written, and what to do instead; empty texts where it can.
    is_argument : bool
        Whether it may be an argument's memory: data decide.
    born : int
        The tracer's tick when it was made.
    """

    __slots__ = (
        "value",
        "version",
        "leaf",
        "known",
        "frozen",
        "initial",
        "contiguous",
        "written",
        "is_argument",
        "born",
        "__weakref__",
    )

    def __init__(
        self, value: Any, leaf: Leaf | None = None, known: Any = None, contiguous: bool = True
    ) -> None:
        tracer = current()
        self.value = self.initial = value
        self.version = self.born = tracer.tick()
        self.leaf = leaf
        self.known = known
        self.frozen = ("", "")
        self.contiguous = contiguous
        self.written = False
        self.is_argument = False
        tracer.live[self.version] = self

    def put(self, tracer: Tracer, value: Any) -> None:
        """Let another graph value stand for the elements."""
        self.value = value
        self.version = tracer.tick()

    @property
    def dtype(self) -> str:
        """The name of the elements' dtype."""
        return self.value.dtype

    @property
    def shape(self) -> tuple:
        """The sizes of the memory."""
        return current().shape(self.value)

    def seen(self, views: tuple) -> Any:
        """The elements through some views."""
        tracer, value = current(), self.value
        for view in views:
            value = view.read(tracer, value)
        return value

    def write(self, views: tuple, value: Any) -> None:
        """Replace the elements that some views show."""
        tracer, leaf = current(), self.leaf
        if leaf is not None:
            _check_writable(tracer, leaf)
            tracer.check_early(self, leaf)
        if self.frozen[0]:
            tracer.fail(*self.frozen)
        tracer.check_watched(self)
        bases = [self.value]
        for view in views[:-1]:
            bases.append(view.read(tracer, bases[-1]))
        for view, base in zip(reversed(views), reversed(bases), strict=False):
            value = view.write(tracer, base, value)
        self.put(tracer, value)
        self.written = True
        self.known = None


_RESHAPED = (
    "writing to an array after a reshape that NumPy may have done by copying",
    "write before reshaping, or reshape a contiguous array",
)


def _check_writable(tracer: Tracer, leaf: Leaf) -> None:
    if not leaf.writeable:
        raise ValueError("output array is read-only")
    if not getattr(tracer.compiler, "supports_updates", False):
        tracer.fail(f"writing to the argument `{leaf.path}`", "return a new array")
    if leaf.path not in tracer.choices.written:
        raise Restart(written=[leaf.path])


class TracedArray:
    """An array, or a NumPy scalar, of a function that is being captured.

    Attributes
    ----------
    is_view : bool
        Whether it is an object of its own beside the one that owns the memory, even where it has
        no views: ``x[:]``.
    open : Open or None
        The types of a number, where data decide which one it has.
    """

    __slots__ = (
        "tracer",
        "storage",
        "views",
        "_shape",
        "is_scalar",
        "is_view",
        "open",
        "_value",
        "_version",
    )
    __array_priority__ = 1e9

    def __init__(
        self,
        tracer: Tracer,
        storage: Storage,
        views: tuple = (),
        shape: tuple | None = None,
        is_scalar: bool = False,
    ) -> None:
        self.tracer = tracer
        self.storage = storage
        self.views = views
        self._shape = storage.shape if shape is None else shape
        self.is_scalar = is_scalar
        self.is_view = bool(views)
        self.open: Any = None
        self._version = -1

    # What the array is

    @property
    def __class__(self) -> type:
        return self.dtype.type if self.is_scalar else np.ndarray

    @property
    def shape(self) -> tuple:
        """The sizes of the axes; symbolic where they are symbols of the program."""
        return self._shape

    @shape.setter
    def shape(self, value: Any) -> None:
        tracer, frozen = self.tracer, self.storage.frozen
        if tracer.depth:
            tracer.fail(
                "assigning to `.shape` inside of a loop or branch", "use x = x.reshape(...)"
            )
        if self.storage.leaf is not None and not self.is_view:
            tracer.fail("assigning to `.shape` of an argument", "use x = x.reshape(...)")
        other = self.reshape(value)
        if other.storage is not self.storage:
            raise AttributeError(
                "Incompatible shape for in-place modification. Use `.reshape()` to make a copy "
                "with the desired shape."
            )
        if self.storage.frozen != frozen:
            tracer.fail("assigning to `.shape` of a view", "use x = x.reshape(...)")
        self.views, self._shape, self._version = other.views, other._shape, -1

    @property
    def dtype(self) -> np.dtype:
        """The dtype, as NumPy's object."""
        dtype = np.dtype(self.storage.dtype)
        if dtype.kind == "c" and any(view.kind in ("real", "imag") for view in self.views):
            return dtype.type(0).real.dtype
        return dtype

    @property
    def value(self) -> Any:
        """The graph value of the elements as they are now."""
        if self._version != self.storage.version:
            self._value, self._version = self.storage.seen(self.views), self.storage.version
        return self._value

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def size(self) -> Any:
        """The number of elements."""
        return math.prod(self.shape)

    @property
    def itemsize(self) -> int:
        """Bytes of an element."""
        return self.dtype.itemsize

    @property
    def nbytes(self) -> Any:
        """Bytes of all the elements."""
        return self.size * self.itemsize

    @property
    def contiguous(self) -> bool:
        """Whether the array is known to be C-contiguous."""
        return self.storage.contiguous and all(view.kind == "reshape" for view in self.views)

    def known(self) -> np.ndarray | None:
        """The elements, where the program spells them out and hasn't changed them."""
        known = self.storage.known
        if known is None or any(_is_symbolic(view) for view in self.views):
            return None
        return replayed(known, [view.form() for view in self.views])

    # Views and writes

    def view(self, view: Any, is_scalar: bool = False) -> TracedArray:
        """The array seen through one more view."""
        return TracedArray(self.tracer, self.storage, (*self.views, view), view.shape(), is_scalar)

    def again(self) -> TracedArray:
        """Another array of the same elements in memory."""
        made = TracedArray(self.tracer, self.storage, self.views, self.shape, self.is_scalar)
        made.is_view = True
        return made

    def reshaped(self, shape: tuple, certain: bool = False) -> TracedArray:
        """The same elements in another shape, sharing memory where NumPy would."""
        view = ReshapeView(self.shape, shape)
        if certain or self.contiguous:
            return self.view(view)
        shared = self._shares(shape)
        if shared is False:
            return fresh(self.tracer, view.read(self.tracer, self.value))
        if shared is None:
            self.storage.frozen = _RESHAPED
        return self.view(view)

    def lies_in(self, order: str) -> bool | None:
        """Whether the elements are contiguous in C or Fortran order; None where that's unsaid."""
        if order == "C" and self.contiguous:
            return True
        if not self.storage.contiguous:
            return None
        base = tuple(self.storage.value.shape)
        return lies_in_order(base, [view.form() for view in self.views], order)

    def _shares(self, shape: tuple) -> bool | None:
        """Whether NumPy's reshape would be a view; None where only the call can tell."""
        if not self.storage.contiguous:
            return None
        base = tuple(self.storage.value.shape)
        return shares(base, [view.form() for view in self.views], shape)

    def write(self, value: Any) -> None:
        """Replace the elements by those of a graph value of the same shape and dtype."""
        self.storage.write(self.views, value)

    def same_place(self, other: Any) -> bool:
        """Whether `other` is an array of exactly the same elements in memory."""
        if type(other) is not TracedArray or not _same_memory(self.storage, other.storage):
            return False
        if not self.views and not other.views:
            return True
        first, second = (composed(x.views, x.storage.shape) for x in (self, other))
        return len(first) == len(second) and all(map(_same_view, first, second))

    # Python's protocols

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of unsized object")
        return int(self.shape[0])

    def __iter__(self) -> Iterator[Any]:
        if not self.shape:
            raise TypeError("iteration over a 0-d array")
        count = int(self.shape[0])
        if count > _UNROLL_LIMIT:
            self.tracer.fail(
                f"a Python loop over the {count} rows of an array",
                "use array operations on the whole array",
            )
        return (self[k] for k in range(count))

    def _single(self, construct: str, hint: str) -> Any:
        known = self.known()
        if known is not None:
            return known
        if self.ndim and self.size != 1:
            return np.empty(self.shape, self.dtype)  # NumPy's own error comes from it
        self.tracer.fail(f"{construct} an element that is only known when the function runs", hint)

    def __bool__(self) -> bool:
        return bool(self._single("branching on", "use np.where(condition, a, b)"))

    def __float__(self) -> float:
        return float(self._single("float() of", "keep it an array: x.astype(np.float64)"))

    def __int__(self) -> int:
        return int(self._single("int() of", "keep it an array: x.astype(np.int64)"))

    def __index__(self) -> int:
        import operator

        return operator.index(self._single("an index or size from", "use np.where"))

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        self.tracer.fail(
            "a function that isn't compiled reads the elements of an array",
            "use NumPy functions that Quernel supports",
        )

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        from ..numpy.ufuncs import dispatch

        return dispatch(ufunc, method, inputs, kwargs)

    def __array_function__(self, function: Any, types: Any, args: tuple, kwargs: dict) -> Any:
        from ..numpy.registry import call

        return call(function, args, kwargs)

    def __str__(self) -> str:  # noqa: PLE0307  (it raises)
        self.tracer.fail("the text of an array or of its elements", "format it outside")

    def __format__(self, spec: str) -> str:
        return str(self)

    def __repr__(self) -> str:
        if self.tracer.running:
            self.tracer.fail("the text of an array or of its elements", "format it outside")
        return object.__repr__(self)

    def __hash__(self) -> int:
        if self.is_scalar:
            self.tracer.fail("hashing an array element", "use integers as keys")
        raise TypeError("unhashable type: 'numpy.ndarray'")

    def __getattr__(self, name: str) -> Any:
        if hasattr(np.ndarray, name):
            self.tracer.fail(f"the array attribute `.{name}` is not supported yet")
        raise AttributeError(f"'numpy.ndarray' object has no attribute {name!r}")


def _is_symbolic(view: Any) -> bool:
    sizes = (*view.shape(), *getattr(view, "offsets", ()))
    return any(type(size) is not int for size in sizes)


def _same_memory(first: Any, second: Any) -> bool:
    if first is second:
        return True
    chooses = getattr(first, "condition", None)
    return (
        chooses is not None
        and chooses is getattr(second, "condition", None)
        and first.first.same_place(second.first)
        and first.second.same_place(second.second)
    )


def _same_view(first: Any, second: Any) -> bool:
    if first is second:
        return True
    try:
        return first.form() == second.form()
    except Restart:
        return False


def fresh(
    tracer: Tracer, value: Any, is_scalar: bool = False, contiguous: bool = True
) -> TracedArray:
    """A new array with the elements of a graph value."""
    return TracedArray(tracer, Storage(value, contiguous=contiguous), is_scalar=is_scalar)


def result(tracer: Tracer, value: Any, contiguous: bool = True) -> TracedArray:
    """A new array, or NumPy scalar where the value has no axes, as ufuncs return it."""
    return fresh(tracer, value, not value.shape, contiguous)


def constant(tracer: Tracer, array: np.ndarray) -> TracedArray:
    """An array whose elements the program spells out."""
    return TracedArray(tracer, Storage(tracer.constant(array), known=np.array(array)))
