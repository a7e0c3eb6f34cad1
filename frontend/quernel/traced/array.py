"""Traced arrays: views of memory that NumPy and Python take for arrays."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator
from typing import Any, NoReturn

import numpy as np

from .counted import Sequence
from .dispatch import dispatch
from .doubts import Doubt, learn_strides
from .memory import C_ORDER, Layout, lies_in_order, lying, result_layout, shares
from .numbers import isinstance_symbolic
from .objects import Identity
from .replay import replayed
from .sameness import same_memory, same_owner, same_view
from .storage import Storage, in_order
from .tracer import Tracer
from .views import ReshapeView, composed, extents, same_dims

_UNROLL_LIMIT = 256
_WHOLE = ("reshape", "dtype", "bytes")  # views that leave each byte in its place
SEQUENCES = (tuple, list, deque)  # that NumPy takes for arrays, with their subclasses


class TracedArray:
    """An array, or a NumPy scalar, of a function that is being captured.

    Attributes
    ----------
    is_view : bool
        Whether it is an object of its own beside the one that owns the memory, even where it has
        no views: ``x[:]``.
    open : Open or None
        The types of a number, where data decide which one it has.
    identity : Identity
        Which object it is.
    """

    __slots__ = (
        "tracer",
        "storage",
        "views",
        "_shape",
        "is_scalar",
        "is_view",
        "open",
        "identity",
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
        self.identity = Identity(tracer)
        self._version = -1

    # What the array is

    @property
    def __class__(self) -> type:
        if not self.is_scalar:
            return np.ndarray
        try:  # not by the name, which `__getattr__` would look for where the property fails
            return TracedArray.dtype.fget(self).type
        except AttributeError:  # the capture is over, and somebody looks at all of Python's objects
            return TracedArray

    @property
    def shape(self) -> tuple:
        """The sizes of the axes; symbolic where they are symbols of the program."""
        return self._shape

    @shape.setter
    def shape(self, value: Any) -> None:
        tracer = self.tracer
        if tracer.depth:
            tracer.fail(
                "assigning to `.shape` inside of a loop or branch", "use x = x.reshape(...)"
            )
        if self.storage.leaf is not None and not self.is_view:
            tracer.fail("assigning to `.shape` of an argument", "use x = x.reshape(...)")
        other = self.reshape(value)
        for view in other.views:
            if view.doubt is not None:
                view.doubt.settle()
        if other.storage is not self.storage:
            raise AttributeError(
                "Incompatible shape for in-place modification. Use `.reshape()` to make a copy "
                "with the desired shape."
            )
        self.views, self._shape, self._version = other.views, other._shape, -1

    @property
    def dtype(self) -> np.dtype:
        """The dtype, as NumPy's object."""
        dtype = np.dtype(self.storage.dtype)
        for view in self.views:
            dtype = view.dtype(dtype)
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
        whole = all(view.kind in _WHOLE for view in self.views)
        return self.storage.layout.contiguous and whole

    @property
    def lying(self) -> tuple[Layout, tuple, list]:
        """How the memory lies, its sizes, and the forms of the array's views."""
        return self.storage.layout, self.storage.dims, [view.form() for view in self.views]

    @property
    def order(self) -> Layout:
        """How NumPy lays a new array that keeps the order of the elements."""
        return result_layout(self.shape, [self.lying])

    def standing_for(self) -> np.ndarray | None:
        """An array of bytes with the array's strides, whose elements nobody touches; or None."""
        layout, base, forms = self.lying
        if layout.how in ("nested", "unknown"):
            learn_strides(self.tracer, layout.causes)
        return lying(base, forms, layout)

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

    def reshaped(self, shape: tuple, certain: bool = False, ravel: bool = False) -> TracedArray:
        """The same elements in another shape, sharing memory where NumPy would.

        Parameters
        ----------
        ravel : bool
            Whether it is NumPy's `ravel`, which copies what isn't contiguous.
        """
        view = ReshapeView(self.shape, shape)
        view.is_ravel = ravel
        if certain or self.contiguous:
            return self.view(view)
        shared = self._shares(shape, ravel)
        if shared is None and self.storage.is_chosen:
            return self.storage.each(self, lambda place: place.reshaped(shape, ravel=ravel))
        if shared is False:
            return fresh(self.tracer, view.read(self.tracer, self.value))
        if shared is None:
            view.doubt = Doubt(self, shape)
        return self.view(view)

    def lies_in(self, order: str) -> bool | None:
        """Whether the elements are contiguous in C or Fortran order; None where that's unsaid."""
        if order == "C" and self.contiguous:
            return True
        layout, base, forms = self.lying
        answer = lies_in_order(base, forms, order, layout)
        is_certain = answer or all(type(x) is int or self._is_long(x) for x in self.shape)
        return answer if is_certain else None

    def lies_as(self, layout: Layout) -> bool:
        """Whether the elements are known to lie one behind the other in an order."""
        if not self.views:
            return self.storage.layout == layout and layout.how == "dense"
        array = lying(*self.lying[1:], self.storage.layout, exact=self.ndim > 1)
        if array is None or layout.how != "dense":
            return False
        if self.ndim == 1:
            return array.size < 2 or array.strides == (1,)
        return array.transpose(layout.axes or range(self.ndim)).flags.c_contiguous

    def _is_long(self, size: Any) -> bool:
        """Whether there is more than one element along an axis in every call."""
        return self.tracer.graph.nonnegative(size.dim - 2)

    def lay_known(self) -> NoReturn:
        """Begin anew with the strides that decide how the elements lie; refuse where none do.

        Raises
        ------
        Restart
        """
        learn_strides(self.tracer, self.storage.layout.causes | self.order.causes)
        self.tracer.fail("an order that depends on how an array lies in memory", "copy it first")

    def _shares(self, shape: tuple, ravel: bool) -> bool | None:
        """Whether NumPy's reshape would be a view; None where only the call can tell."""
        if ravel:
            return self.lies_in("C")
        sizes = _without_units(self.shape)
        if len(sizes) < 2 or same_dims(sizes, _without_units(shape)):
            return True  # no axes are merged
        layout, base, forms = self.lying
        return shares(base, forms, shape, layout)

    def write(self, value: Any) -> None:
        """Replace the elements by those of a graph value of the same shape and dtype."""
        self.storage.write(self.views, value)

    def require_writeable(self, text: str) -> None:
        """Refuse to write to a read-only array with what another function than an assignment says.

        Raises
        ------
        ValueError
        """
        leaf = self.storage.leaf
        if leaf is not None and not leaf.writeable:
            raise ValueError(text)

    def same_place(self, other: Any) -> bool:
        """Whether `other` is an array of exactly the same elements in memory."""
        if type(other) is not TracedArray or not same_memory(self.storage, other.storage):
            return False
        if not self.views and not other.views:
            return True
        first, second = (composed(x.views, x.storage.shape) for x in (self, other))
        return len(first) == len(second) and all(map(same_view, first, second))

    def is_same(self, other: Any) -> bool:
        """Whether `other` is the same object: the same view, or the owner of the same memory."""
        if self is other:
            return True
        if self.is_view or other.is_view:
            return self.identity is other.identity
        return self.views == other.views and same_owner(self.storage, other.storage)

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
        known = self.tracer.constants.of(self.value)
        if known is not None:
            return known.reshape(())[()]
        self.tracer.know_behind([self.value])
        self.tracer.fail(f"{construct} an element that is only known when the function runs", hint)

    def __bool__(self) -> bool:
        return bool(self._single("branching on", "use np.where(condition, a, b)"))

    def __float__(self) -> float:
        return float(self._single("float() of", "keep it an array: x.astype(np.float64)"))

    def __int__(self) -> int:
        return int(self._single("int() of", "keep it an array: x.astype(np.int64)"))

    def __index__(self) -> int:
        import operator

        single = self._single("an index, an axis or a count from", "pass it as an argument")
        return operator.index(single)

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        self._refuse_reader()

    def _refuse_reader(self) -> NoReturn:
        self.tracer.fail(
            "a function that isn't compiled reads the elements of an array",
            "use NumPy functions that Quernel supports",
        )

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return dispatch.ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(self, function: Any, types: Any, args: tuple, kwargs: dict) -> Any:
        return dispatch.function(function, args, kwargs)

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
        kind = self.__class__
        if hasattr(kind, name):
            if name.startswith("__array_"):
                self._refuse_reader()
            what = "attribute of NumPy numbers" if self.is_scalar else "array attribute"
            self.tracer.fail(f"the {what} `.{name}` is not supported yet")
        text = f"'numpy.{kind.__name__}' object has no attribute {name!r}"
        raise AttributeError(text, name=name, obj=self)


def _without_units(shape: tuple) -> list[Any]:
    """The sizes that say how a reshape merges and splits axes."""
    return [size for size in shape if type(size) is not int or size != 1]


def _is_symbolic(view: Any) -> bool:
    return any(type(size) is not int for size in extents(view))


def fresh(
    tracer: Tracer, value: Any, is_scalar: bool = False, layout: Layout = C_ORDER
) -> TracedArray:
    """A new array with the elements of a graph value."""
    storage = Storage(in_order(tracer, value, layout), layout=layout)
    return TracedArray(tracer, storage, is_scalar=is_scalar)


def result(tracer: Tracer, value: Any, layout: Layout = C_ORDER) -> TracedArray:
    """A new array, or NumPy scalar where the value has no axes, as ufuncs return it."""
    return fresh(tracer, value, not value.shape, layout)


def element_or_array(array: TracedArray) -> TracedArray:
    """A new array as ufuncs return it: an element where it has no axes."""
    return result(array.tracer, array.value, array.order)


def constant(tracer: Tracer, array: np.ndarray) -> TracedArray:
    """An array whose elements the program spells out."""
    return TracedArray(tracer, Storage(tracer.constant(array), known=np.array(array)))


def is_traced(obj: Any) -> bool:
    """Whether an object is, or holds, something that is only known when the program runs."""
    if type(obj) is TracedArray or isinstance_symbolic(obj) or issubclass(type(obj), Sequence):
        return True
    if issubclass(type(obj), SEQUENCES):
        return any(is_traced(item) for item in obj)
    if issubclass(type(obj), dict):
        return any(is_traced(item) for item in obj.values())
    return type(obj) is slice and is_traced((obj.start, obj.stop, obj.step))
