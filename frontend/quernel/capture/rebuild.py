"""Functions rebuilt for capture: what they read from outside is replaced and recorded.

The user's function keeps its code and gets other globals and closure cells. NumPy becomes the
captured namespace, helper functions are rebuilt likewise, arrays become inputs, everything else is
recorded, to be guarded at every call.
"""

from __future__ import annotations

import builtins
import enum
import functools
import importlib
import inspect
import sys
import types
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .. import _runtime
from ..arguments.hints import RANDOM
from ..arguments.leaf_kinds import OPAQUE, taken
from ..arguments.leaves import NOTHING, Leaf
from ..arguments.looking import leaf_of
from ..arguments.opaque import is_plain_value
from ..arguments.plain_objects import is_plain_class, is_scipys_class
from ..arguments.python_random import is_random
from ..describe import IMMUTABLE, defaults_of, fortrans_name, has_text
from ..errors import UnsupportedError
from ..signals import let_out
from ..traced.dispatch import dispatch
from ..traced.float_states import error_state
from ..traced.location import OUTSIDE, is_method, is_scipys
from ..traced.tracer import Tracer
from ..wrapped import Wrapped, unwrapped
from .builtin import builtin_functions
from .class_stand_ins import is_dunder
from .classes import Classes
from .contexts import CONTEXTS
from .enumerations import Enumeration
from .environment import Environment
from .foreign import Foreign
from .interpreter import Interpreter
from .opaque import Looks, OutsideClass, cached
from .reads import Place, Read
from .scopes import Scope
from .source import definition_of, has_loop, is_generator
from .twins import twin_of

_PURE_MODULES = {
    "math", "cmath", "operator", "itertools", "functools", "collections", "typing", "numbers", "re",
}  # fmt: skip
# Functions of SciPy's compiled modules that compute numbers of nothing but numbers.
_PURE_FUNCTIONS = {
    "scipy.fft._pocketfft.pypocketfft.good_size", "scipy.fft._pocketfft.pypocketfft.prev_good_size",
}  # fmt: skip
_PURE_OWNERS = {"builtins", "math", "cmath", "_operator", "_functools", "itertools", "_collections"}
IMPURE_NUMPY = {
    "random", "ctypeslib", "load", "save", "savez", "savez_compressed", "savetxt",
    "loadtxt", "genfromtxt", "fromfile", "fromregex", "memmap", "seterr", "seterrcall", "geterr",
    "get_include", "get_printoptions", "getbufsize",
    "setbufsize", "set_printoptions", "printoptions", "show_config", "show_runtime",
    "broadcast", "array2string", "array_repr", "array_str",
}  # fmt: skip
# What has stand-ins for functions of modules of Python's that are written in Python.
_STANDING_IN = {
    "dataclasses": ".data_classes", "inspect": ".introspection",
    "warnings": ".warning_filters", "_py_warnings": ".warning_filters",
}  # fmt: skip
_ASYNCHRONOUS = inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
_HINTS = {
    "np.random": RANDOM,
}


class Rebuilder:
    """Rebuilds the functions of one capture.

    Parameters
    ----------
    wrap : callable
        Makes the traced form of a leaf.
    """

    def __init__(self, tracer: Tracer, wrap: Callable[[Any], Any]) -> None:
        self.tracer = tracer
        self.wrap = wrap
        self.reads: list[Read] = []
        self._known: dict[Place, Any] = {}  # what stands for what has been read
        self.cells: list[tuple[Any, Any, str]] = []
        self._functions: dict[int, Any] = {}
        # Of functions among the arguments: their leaves, and what stands for their parts.
        self.handed_leaves: dict[int, Leaf] = {}
        self._parts: dict[int, dict[str, Any]] = {}
        # What functions stand for, and the ways there.
        self.originals: dict[types.FunctionType, tuple[types.FunctionType, Any]] = {}
        self.compiled: set[Any] = set()  # what stands for functions that were compiled outside
        self._modules: dict[int, Any] = {}
        self._classes: dict[int, Foreign] = {}
        self._globals: dict[int, Globals] = {}
        self._random_state: Any = None
        self._numpys: dict[int, tuple[Any, Any]] = {}  # by identity of the object, which is kept
        self._standing_in: dict[int, tuple[Any, Any]] = {}
        self._opaque: dict[int, Looks] = {}
        self.members: dict[tuple[type, str], Any] = {}
        self.classes = Classes(self)
        self.builtins = builtin_functions(tracer, self)
        self.interpreter = Interpreter(tracer, self)
        tracer.rebuilder = self
        self.errstate = error_state(tracer)

    def handed(self, leaf: Leaf, parts: Callable[[], dict[str, Any]]) -> Any:
        """What stands for a function that is an argument, of which the parts are made here.

        One that has been read from outside before keeps what it was made of: it is itself part of
        the program, as one is that the compiler knows.
        """
        key = id(leaf.obj)
        if key not in self.handed_leaves:
            if key in self._functions or self._stand_in(leaf.obj) is not None:
                leaf.fixed, leaf.keys, leaf.children = True, [], []
            else:
                self.handed_leaves[key], self._parts[key] = leaf, parts()
        return self.replaced(leaf.obj, None, leaf.path, None)

    def function(self, original: types.FunctionType, owner: Any) -> types.FunctionType:
        """The function with everything that it reads replaced."""
        known = self._functions.get(id(original))
        if known is not None:
            return known
        node = vars(original).get("__quernel_node__")
        if node is not None:  # of a text of the user's
            return node()
        if is_scipys(original) and is_method(original):
            made = dispatch.stand_in(original, is_method=True)
            if made is not None:
                self._functions[id(original)] = made
                return made
        if original.__code__.co_flags & _ASYNCHRONOUS:
            what = f"the asynchronous function {original.__name__}()"
            return Foreign(self.tracer, what, original, "use a plain function")
        definition = definition_of(original.__code__, original.__globals__)
        if definition is None and is_generator(original.__code__):
            what = f"the generator function {original.__name__}()"
            return Foreign(self.tracer, what, original, "return a list")
        if definition is None:
            return self._native(original, owner)
        names = original.__code__.co_freevars
        outer = Environment(Scope(set(names), set(), set(), set()), None, fixed=True)
        made = self.interpreter.function(
            definition,
            self.namespace(original, owner),
            outer,
            *self._defaults(original, owner),
            original,
        )
        self._functions[id(original)] = made
        self.originals[made] = original, owner
        outer.values.update(self._cells(original, owner))
        return made

    def hides_attributes(self, obj: Any) -> bool:
        """Whether an object stands for a function that has attributes, which it lacks."""
        function = obj.__func__ if type(obj) is types.MethodType else obj
        is_function = isinstance(function, types.FunctionType)
        known = self.originals.get(function) if is_function else None
        return known is not None and bool(vars(known[0]))

    def _native(self, original: types.FunctionType, owner: Any) -> types.FunctionType:
        """A function without source: it runs as it is, with other globals and cells.

        Its loops would be captured turn by turn, whatever their length, so they are refused.
        """
        if has_loop(original.__code__):
            self.tracer.fail(
                f"a loop in {original.__name__}(), of which the source isn't known",
                "write the function in a file",
            )
        cells = tuple(types.CellType() for _ in original.__closure__ or ())
        rebuilt = types.FunctionType(
            original.__code__,
            self.namespace(original, owner),
            original.__name__,
            None,
            cells,
        )
        rebuilt.__defaults__, rebuilt.__kwdefaults__ = self._defaults(original, owner)
        self._functions[id(original)] = rebuilt
        self.originals[rebuilt] = original, owner
        places = dict(zip(original.__code__.co_freevars, cells, strict=True))
        for name, content in self._cells(original, owner):
            places[name].cell_contents = content
            self.cells.append((places[name], content, name))
        return rebuilt

    def _cells(self, original: types.FunctionType, owner: Any) -> Iterator[tuple[str, Any]]:
        """What stands for the contents of a function's closure, by name."""
        given = self._parts.get(id(original))
        for name, cell, content in _contents(original):
            if given is None:
                yield name, self.read(owner, "cell", name, cell, content)
            else:
                yield name, given[name]

    def namespace(self, original: types.FunctionType, owner: Any) -> Globals:
        """The replaced globals of a function, shared by the functions of a module."""
        key = id(original.__globals__)
        if key not in self._globals:
            self._globals[key] = Globals(self, original.__globals__, owner)
        return self._globals[key]

    def _defaults(self, original: types.FunctionType, owner: Any) -> tuple:
        """What stands for a function's ``__defaults__`` and ``__kwdefaults__``."""
        known, values = defaults_of(original), original.__defaults__
        given = self._parts.get(id(original))
        made = {
            name: self._default(original, owner, name, value) if given is None else given[name]
            for name, value in known.items()
        }
        named = {name: made[name] for name in original.__kwdefaults__ or ()}
        if values is None:
            return None, named or None
        places = [name for name in made if name not in named]
        return tuple(made[name] for name in places), named or None

    def _default(self, original: types.FunctionType, owner: Any, name: str, value: Any) -> Any:
        if value is np._NoValue or is_plain_value(value):
            return value
        if owner is None and has_text(value):  # of a library's, as a rule: which doesn't change
            return self.replaced(value, None, name, None)
        return self.read(owner, "default", name, original, value)

    def read(self, owner: Any, kind: str, name: str, namespace: Any, obj: Any) -> Any:
        """The replacement of what a function reads; recorded, once for each place."""
        place = Place(owner, kind, name, namespace)
        if place not in self._known:
            read = self.note_read(owner, kind, name, namespace, obj)
            here = None if owner is None else (*owner, (kind, name))
            self._known[place] = self.replaced(obj, here, name, read)
        return self._known[place]

    def note_read(self, owner: Any, kind: str, name: str, namespace: Any, obj: Any) -> Read:
        """Record what a function reads."""
        read = Read(owner, kind, name, namespace, obj)
        self.reads.append(read)
        return read

    def note_nothing(self, owner: Any, kind: str, name: str, namespace: Any) -> None:
        """Record that a function has looked for a name where there is none."""
        place = Place(owner, kind, name, namespace)
        if place not in self._known:
            self._known[place] = NOTHING
            self.note_read(owner, kind, name, namespace, NOTHING)

    def replaced(self, obj: Any, here: Any, name: str, read: Read | None) -> Any:
        """The replacement of an object, by its kind."""
        if isinstance(obj, types.ModuleType):
            return self.module(obj, here)
        if _is_numpy(obj) or _is_global_random(obj):
            return self.numpy_object(obj)
        if isinstance(obj, _runtime.Function):
            inner = None if here is None else (*here, ("wrapped", ""))
            made = self.function(obj.__wrapped__, inner)
            self.compiled.add(made)
            return made
        made = self._stand_in(obj)
        if made is not None:
            return made
        if fortrans_name(obj):
            return Foreign(self.tracer, f"`{fortrans_name(obj)}`", obj, OUTSIDE)
        if isinstance(obj, types.FunctionType):
            if obj.__module__ in _STANDING_IN:
                module = importlib.import_module(_STANDING_IN[obj.__module__], __package__)
                return module.stand_in(obj) or self.function(obj, here)
            return obj if obj.__module__ == "re" else self.function(obj, here)
        if type(obj) is np.vectorize:
            return self._vectorized(obj, here)
        if type(obj) is functools._lru_cache_wrapper:
            inner = None if here is None else (*here, ("wrapped", ""))
            return cached(self, obj, here, self.replaced(obj.__wrapped__, inner, name, None))
        if isinstance(obj, types.BuiltinFunctionType):
            return self._builtin(obj, name)
        if isinstance(obj, type):
            return self._type(obj, name)
        if isinstance(obj, types.UnionType):
            return obj
        if read is None:
            return obj
        return self._data(obj, here, name, read)

    def _stand_in(self, obj: Any) -> Any:
        """What stands for a function, if there is something; those of SciPy are of many types."""
        is_function = isinstance(obj, types.FunctionType)
        if is_function and obj.__module__ == "random":
            return self._of_generators(obj)
        if not is_function and (isinstance(obj, type) or not is_scipys(obj)):
            return None
        if id(obj) not in self._standing_in:
            self._standing_in[id(obj)] = obj, dispatch.stand_in(obj)
        return self._standing_in[id(obj)][1]

    @staticmethod
    def _of_generators(function: types.FunctionType) -> Any:
        """What stands for a method of `random.Random` that can't be captured."""
        from .python_random import method_of

        return method_of(function)

    def _vectorized(self, obj: Any, here: Any) -> Any:
        inner = None if here is None else (*here, ("pyfunc", ""))
        function = self.replaced(obj.pyfunc, inner, "pyfunc", None)
        vectorize = dispatch.stand_in(np.vectorize)
        return vectorize(function, obj.otypes, None, obj.excluded, False, obj.signature)

    def _data(self, obj: Any, here: Any, name: str, read: Read) -> Any:
        if obj is sys.modules:  # of which each module that is imported makes another one
            read.leaf = Leaf(OPAQUE, name, obj)
            return self.opaque(read.leaf, here)
        read.leaf = leaf_of(obj, name, symbolic=False)
        try:
            taken(read.leaf)
        except UnsupportedError as error:
            read.is_refused = True
            self.tracer.fail(f"{error.reason}, read from outside of the function", error.hint)
        for leaf in read.leaf.leaves():
            if leaf.original is not None:
                self.tracer.fail(
                    f"`{leaf.path}` is unaligned or byte-swapped, read from outside",
                    f"convert it first: np.array({leaf.path}, '{leaf.dtype}')",
                )
        return self.opaque(read.leaf, here) if read.leaf.kind is OPAQUE else self.wrap(read.leaf)

    def opaque(self, leaf: Leaf, here: Any) -> Any:
        """What stands for an object that has no kind."""
        looks = self.looks(leaf, here)
        if type(leaf.obj) is set:
            known = set(looks.observed("content", None))
            self.tracer.watch(known, leaf.path)
            return known
        return looks.stand_in

    def looks(self, leaf: Leaf, here: Any = None, stand_in: Any = None) -> Looks:
        """What is known of an object that captured code looks at."""
        known = self._opaque.get(id(leaf.obj))
        if known is None:
            made = Looks(self, leaf.obj, leaf, here, stand_in)
            known = self._opaque[id(leaf.obj)] = made
        else:
            known.is_again(leaf, here)
        return known

    def note_seen(self, owner: Any, name: list[Any], probe: Any, leaf: Leaf) -> None:
        """Record what captured code has seen of an object."""
        self.note_read(owner, "seen", name, {None: probe}, probe).leaf = leaf

    @staticmethod
    def outside(obj: Any) -> Any:
        """The module outside of captured code for which an object stands; else the object."""
        is_module = type(obj) in (UserModule, NumpyModule)
        return obj.__dict__["_parts"][1] if is_module else obj

    def key(self, key: Any) -> Any:
        """What stands for a key of a dict, or an item of a set."""
        if type(key) in (tuple, frozenset):
            return type(key)(map(self.key, key))
        if not has_text(key):
            return self.looks(Leaf(OPAQUE, "a key", key)).stand_in
        return self.replaced(key, None, getattr(key, "__name__", ""), None)

    def _builtin(self, obj: Any, name: str) -> Any:
        replacement = self.builtins.get(obj.__name__)
        if replacement is not None and getattr(builtins, obj.__name__, None) is obj:
            return replacement
        if is_random(obj.__self__):
            from .python_random import method_outside

            return method_outside(self, obj)
        twin = twin_of(obj)
        if twin is not None:
            return twin
        is_pure = isinstance(obj.__self__, np.ufunc) or type(obj.__self__) in IMMUTABLE
        is_pure = is_pure or f"{obj.__module__}.{obj.__name__}" in _PURE_FUNCTIONS
        if is_pure or obj.__module__ in _PURE_OWNERS:
            return obj
        is_rare = obj is warnings.warn
        does = "looks at the frames around" if is_rare else "may give another result at each call"
        what = f"`{name}` ({obj.__module__}.{obj.__name__}), which {does}"
        return Foreign(self.tracer, what, obj, OUTSIDE, is_rare)

    def _type(self, obj: type, name: str) -> Any:
        if obj in CONTEXTS:
            return CONTEXTS[obj]
        pure = obj.__module__ in (*_PURE_OWNERS, *_PURE_MODULES, "ml_dtypes")
        if pure or issubclass(obj, BaseException) or hasattr(obj, "_fields"):
            return obj
        if is_plain_class(obj) or is_scipys_class(obj):
            return self.classes.of(obj)
        if id(obj) not in self._classes:
            kind = Enumeration if issubclass(obj, enum.Enum) else OutsideClass
            self._classes[id(obj)] = kind(self.tracer, f"the class `{name}`", obj, OUTSIDE)
        return self._classes[id(obj)]

    def module(self, obj: types.ModuleType, here: Any) -> Any:
        """The replacement of a module; one that no name leads to is found by its own name."""
        name = obj.__name__
        if here is None and sys.modules.get(name) is obj:
            here = (("module", name),)
        if name.split(".")[0] in _PURE_MODULES:
            return obj
        if isinstance(obj, Wrapped):
            obj, name = obj.__wrapped__, obj.__wrapped__.__name__
        if id(obj) not in self._modules:
            kind = NumpyModule if name.split(".")[0] == "numpy" else UserModule
            self._modules[id(obj)] = kind(self, obj, here)
        return self._modules[id(obj)]

    def numpy_object(self, obj: Any) -> Any:
        """The replacement of something that belongs to NumPy."""
        obj = unwrapped(obj)
        name = getattr(obj, "__name__", "")
        if obj is np.errstate:
            return self.errstate
        module = getattr(obj, "__module__", None) or ""
        if _is_global_random(obj):
            return getattr(self.random_state(), name)
        if id(obj) not in self._numpys:
            self._numpys[id(obj)] = obj, self._of_numpy(obj, name, module)
        return self._numpys[id(obj)][1]

    def _of_numpy(self, obj: Any, name: str, module: str) -> Any:
        is_plain = isinstance(obj, np.ufunc | np.dtype | np.generic)
        is_random = module.startswith("numpy.random")
        is_testing = module.startswith("numpy.testing")
        is_impure = name in IMPURE_NUMPY or is_random or is_testing
        if is_random and isinstance(obj, type):
            return obj  # what a call of it does, `numpy/seeding.py` says
        if is_impure and not is_plain:
            made = dispatch.stand_in(obj) if is_random or is_testing else None
            name = f"testing.{name}" if is_testing else name
            return _Refused(self.tracer, f"np.{name}", obj) if made is None else made
        made = dispatch.stand_in(obj, is_numpys=True)
        return obj if made is None else made

    def random_state(self) -> Any:
        """What stands for the RandomState of which the functions of `np.random` are methods."""
        if self._random_state is None:
            from numpy.random import mtrand

            way = (("module", mtrand.__name__),)
            self._random_state = self.read(way, "attr", "_rand", mtrand.__dict__, mtrand._rand)
        return self._random_state


def _is_global_random(obj: Any) -> bool:
    """Whether an object is a function of `np.random` that draws from the stream of all."""
    owner = getattr(obj, "__self__", None)
    module = sys.modules.get("numpy.random.mtrand")
    return owner is not None and module is not None and owner is module._rand


def _is_numpy(obj: Any) -> bool:
    if isinstance(obj, np.ufunc):
        return True
    if isinstance(obj, np.ndarray | np.generic | np.dtype):
        return isinstance(obj, np.dtype)
    if not isinstance(obj, type | types.FunctionType | types.BuiltinFunctionType | type(np.sum)):
        return False
    return (getattr(obj, "__module__", None) or "").split(".")[0] == "numpy"


def _contents(function: types.FunctionType) -> Iterator[tuple[str, Any, Any]]:
    """Names, cells and contents of a closure; cells that aren't assigned yet left out."""
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            yield name, cell, cell.cell_contents
        except ValueError as error:
            let_out(error)
            continue  # reading it is the user's NameError


class Globals(dict):
    """The globals of rebuilt functions; names are looked up, and recorded, when they are read.

    Python asks ``__getitem__`` because this isn't exactly a dict.
    """

    def __init__(self, rebuilder: Rebuilder, original: dict[str, Any], owner: Any) -> None:
        super().__init__(__builtins__=rebuilder.builtins, __name__=original.get("__name__"))
        self.rebuilder, self.original, self.owner, self.kind = rebuilder, original, owner, "global"
        self.memo: dict[str, Any] = {}
        name = original.get("__name__")
        if owner is None and vars(sys.modules.get(name, self)) is original:
            self.owner, self.kind = (("module", name),), "attr"

    def __getitem__(self, name: str) -> Any:
        if name not in self.memo:
            if name not in self.original:
                if not self._is_fixed:  # one would hide Python's own
                    self.rebuilder.note_nothing(self.owner, self.kind, name, self.original)
                raise KeyError(name)
            obj = self.original[name]
            if obj is warnings and self._is_fixed:  # compiled code gives none
                self.memo[name] = types.SimpleNamespace(warn=lambda *args, **kwargs: None)
            elif self._is_fixed:  # NumPy's own modules don't change, nor do ours
                self.memo[name] = self.rebuilder.replaced(obj, None, name, None)
            else:
                self.memo[name] = self.rebuilder.read(
                    self.owner, self.kind, name, self.original, obj
                )
        return self.memo[name]

    @property
    def _is_fixed(self) -> bool:
        return (self.original.get("__name__") or "").split(".")[0] in ("numpy", "quernel")

    def assigned(self) -> list[str]:
        """Names of globals that captured code assigned."""
        return [name for name in self if name not in ("__builtins__", "__name__")]


class UserModule:
    """A module other than NumPy, seen from captured code."""

    def __init__(self, rebuilder: Rebuilder, module: types.ModuleType, here: Any) -> None:
        self.__dict__["_parts"] = (rebuilder, module, here)

    def __getattr__(self, name: str) -> Any:
        rebuilder, module, here = self.__dict__["_parts"]
        try:
            obj = getattr(module, name)
        except AttributeError:
            if not is_dunder(name):
                rebuilder.note_nothing(here, "attr", name, module.__dict__)
            raise
        replacement = rebuilder.read(here, "attr", name, module.__dict__, obj)
        self.__dict__[name] = replacement
        return replacement

    def __setattr__(self, name: str, value: Any) -> None:
        rebuilder, module, *_ = self.__dict__["_parts"]
        rebuilder.tracer.fail(f"assigning to `{module.__name__}.{name}`", "return the value")


class NumpyModule:
    """NumPy, or one of its modules, seen from captured code."""

    def __init__(self, rebuilder: Rebuilder, module: types.ModuleType, here: Any) -> None:
        self.__dict__["_parts"] = (rebuilder, module, here)

    __setattr__ = UserModule.__setattr__

    def __getattr__(self, name: str) -> Any:
        rebuilder, module, _ = self.__dict__["_parts"]
        obj = getattr(module, name)
        is_random = name == "random" or module.__name__ == "numpy.random"
        if name in IMPURE_NUMPY and not is_random:
            replacement = _Refused(rebuilder.tracer, f"{module.__name__}.{name}", obj)
        elif isinstance(obj, types.ModuleType):
            replacement = rebuilder.module(obj, None)
        else:
            replacement = rebuilder.numpy_object(obj)
        self.__dict__[name] = replacement
        return replacement


class _Refused(Foreign):
    """A part of NumPy whose calls can't be captured."""

    def __init__(self, tracer: Tracer, name: str, obj: Any) -> None:
        name = name.replace("numpy", "np", 1)
        hint = _HINTS.get(name if name in _HINTS else name.rpartition(".")[0], OUTSIDE)
        super().__init__(tracer, name, obj, hint)

    def __getattr__(self, name: str) -> Any:
        return _Refused(self._tracer, f"{self._what}.{name}", getattr(self._obj, name))
