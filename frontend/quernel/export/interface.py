"""What an exported function takes and gives, and its programs."""

from __future__ import annotations

import contextlib
import inspect
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..arguments.simple_kinds import symbol_of
from ..call.builder import builder
from ..call.signatures import Example, fixed_size, sizes_varying
from ..errors import SignatureError, UnsupportedError
from ..raised import IN_NUMPY, RAISED_IN_NUMPY
from ..signals import let_out

# By dtypes: the part of the structs' names, C's type, C++'s.
TYPES = {
    "bool": ("bool", "bool", "bool"),
    **{
        f"{sign}int{bits}": (f"{sign or 'i'}{bits}", f"{sign}int{bits}_t", f"{sign}int{bits}_t")
        for sign in ("", "u")
        for bits in (8, 16, 32, 64)
    },
    "float16": ("f16", "uint16_t", "uint16_t"),
    "bfloat16": ("bf16", "uint16_t", "uint16_t"),
    "float32": ("f32", "float", "float"),
    "float64": ("f64", "double", "double"),
    "complex64": ("c64", "quernel_c64", "std::complex<float>"),
    "complex128": ("c128", "quernel_c128", "std::complex<double>"),
}
# Whose routines an exported program can call: those that need no NumPy in the process.
_LIBRARIES = ("blas", "lapack", "sorting")
_SYMBOL = re.compile(r"\b[ns](\d+)(?!\w)\??")


@dataclass(frozen=True)
class Parameter:
    """An argument.

    Attributes
    ----------
    dims : tuple of (int or str), optional
        The sizes of an array, or names of symbols as patterns have them; None for a number.
    buffer : int
        The program's input that it is; -1 where the program doesn't look at it.
    """

    name: str
    dtype: str
    dims: tuple[int | str, ...] | None
    buffer: int
    written: bool = False


@dataclass(frozen=True)
class Output:
    """What the program computes; the sizes are in the order of memory, as texts where they vary."""

    dtype: str
    dims: tuple[int | str, ...]


@dataclass(frozen=True)
class Result:
    """An output that the caller gets.

    Attributes
    ----------
    count : int
        The output that says how many entries of the first axis there are, or -1.
    axes : tuple of int, optional
        The axis that each one of memory is; None for C order.
    """

    name: str
    output: int
    dtype: str
    dims: tuple[int | str, ...]
    count: int = -1
    axes: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Raised:
    """An exception of the program: its text with the line, the types of its numbers, the status."""

    text: str
    types: str
    status: str


@dataclass(frozen=True)
class Function:
    """A function of a library: one signature of the user's.

    Attributes
    ----------
    sizes : tuple of str
        The name of each symbol in the user's signature, or of our own.
    least : tuple of int
        The least value of each.
    small : Function, optional
        The same for arguments of which a size is 0 or 1, where that could be compiled.
    returned : tuple of str
        The arguments that the Python function returns themselves.
    texts : dict of str to str
        The C++ text of its program, by target.
    entry : str
        The program's name in these texts.
    has_shapes : bool
        Whether these have a function that computes the sizes of the outputs.
    calls_libraries : bool
        Whether it calls routines of libraries.
    """

    name: str
    signature: str
    summary: str
    parameters: tuple[Parameter, ...]
    outputs: tuple[Output, ...]
    results: tuple[Result, ...]
    errors: tuple[Raised, ...]
    inputs: int
    sizes: tuple[str, ...]
    least: tuple[int, ...]
    returned: tuple[str, ...]
    texts: dict[str, str]
    entry: str
    has_shapes: bool
    calls_libraries: bool
    small: Function | None = None

    @property
    def face(self) -> tuple:
        """What callers see."""
        parameters = [(p.name, p.dtype, _rank(p.dims), p.written) for p in self.parameters]
        results = [(r.name, r.dtype, len(r.dims), r.count < 0, r.axes) for r in self.results]
        return parameters, results

    def shape_text(self, dims: tuple[int | str, ...]) -> str:
        """Sizes as the user would write them: ``n, 2``."""
        return ", ".join(_SYMBOL.sub(lambda m: self.sizes[int(m[1])], str(dim)) for dim in dims)

    @property
    def needs_shapes(self) -> bool:
        """Whether a caller has to ask for the shape of an array."""
        return any(result.dims for result in self.results)


def _rank(dims: tuple | None) -> int:
    return -1 if dims is None else len(dims)


@dataclass(frozen=True)
class Library:
    """All that is exported together."""

    name: str
    functions: tuple[Function, ...]
    targets: tuple[str, ...]

    @property
    def arrays(self) -> list[tuple[str, int]]:
        """The dtypes and ranks of which there are structs."""
        found = {(p.dtype, p.dims) for f in self.functions for p in f.parameters}
        found |= {(r.dtype, r.dims or None) for f in self.functions for r in f.results}
        return sorted({(dtype, len(dims)) for dtype, dims in found if dims is not None})

    @property
    def programs(self) -> dict[str, Function]:
        """The functions and those for small sizes, by names for their texts."""
        found = {function.name: function for function in self.functions}
        small = {f"{f.name}_small": f.small for f in self.functions if f.small is not None}
        return found | small

    @property
    def needs_sleef(self) -> bool:
        """Whether a program calls vector functions of math."""
        texts = (text for program in self.programs.values() for text in program.texts.values())
        return any("-lsleef" in text.partition("\n")[0] for text in texts)

    @property
    def needs_runtime(self) -> bool:
        """Whether a program calls routines of libraries."""
        return any(program.calls_libraries for program in self.programs.values())


def levels() -> list[str]:
    """The targets of which a library may have programs, the lowest first."""
    targets = builder().compiler().targets()
    return [name for name in targets if name != "host" and "+" not in name]


def level_of(target: str) -> int:
    """The number by which a library knows a target: other kinds of processors have no levels."""
    return levels().index(target) if target in levels() else 0


def struct_name(dtype: str, rank: int) -> str:
    """The name of the struct of arrays."""
    return f"quernel_{TYPES[dtype][0]}_{rank}"


def interface_of(dispatcher: Any, name: str, signature: str, targets: tuple[str, ...]) -> Function:
    """The function for a signature, compiled for all targets.

    Raises
    ------
    SignatureError
        Where the text can't be read, or the function can't be called like this.
    UnsupportedError
        Where the function can't be compiled, or does what only Python can.
    """
    example = Example(signature)
    try:
        inspect.signature(dispatcher.plain).bind(*example.args)
    except TypeError as error:
        let_out(error)
        raise SignatureError(f"{signature!r} doesn't fit the function: {error}") from None
    call = dispatcher.call_of(example.args, {})

    def compiled(captured: Any) -> Function:
        made = {}
        for target in targets:
            options = {**dispatcher.options.compiler(target), "text_only": True}
            made[target] = builder().compiler().compile(captured.graph, target, options)
        manifest, *others = (json.loads(one.manifest) for one in made.values())
        if any(other["errors"] != manifest["errors"] for other in others):
            raise UnsupportedError(
                f"the programs for {', '.join(targets)} raise their exceptions in another order",
                "export a library for each target",
            )
        texts = {target: one.source for target, one in made.items()}
        reader = _Reader(call, captured, example, manifest)
        return reader.function(name, signature, dispatcher.plain.__doc__, texts)

    generic = call.signature(set(), shapes=False)
    with _alone(dispatcher), sizes_varying(dispatcher, example, call) as places:
        function = compiled(builder().captured_call(dispatcher, call, generic))
        kind = dispatcher.kind(call, generic)
        small = places and builder().captured_for_any_size(dispatcher, call, kind, places)
    beside = _unless_refused(compiled, small) if small else None
    is_same = beside is not None and beside.face == function.face
    return replace(function, small=beside) if is_same else function


@contextlib.contextmanager
def _alone(dispatcher: Any) -> Iterator[None]:
    """While captures are of programs that run without Python."""
    own, dispatcher.options = dispatcher.options, dispatcher.options.alone()
    try:
        yield
    finally:
        dispatcher.options = own


def _unless_refused(compiled: Callable[[Any], Function], captured: Any) -> Function | None:
    """The function of a capture for small sizes, which may do what the other one doesn't."""
    try:
        return compiled(captured)
    except UnsupportedError:
        return None


class _Reader:
    """Reads the function from a capture and the compiler's manifest.

    Each thing that Python gives and C doesn't is refused.
    """

    def __init__(self, call: Any, captured: Any, example: Example, manifest: dict) -> None:
        self.call, self.captured, self.manifest = call, captured, manifest
        self.example = example
        self.symbols: dict[int, str] = {}
        self.returned: list[str] = []

    def function(
        self, name: str, signature: str, doc: str | None, texts: dict[str, str]
    ) -> Function:
        self._refuse_what_only_python_has()
        parameters = tuple(self._parameters())
        shown = self._shown(json.loads(json.dumps(self.captured.result)))
        results = tuple(self._named(shown, {p.name for p in parameters}))
        count = self.captured.symbols
        return Function(
            name=name,
            signature=signature,
            summary=(doc or "").strip().partition("\n")[0],
            parameters=parameters,
            outputs=tuple(
                Output(out["dtype"], tuple(out["shape"])) for out in self.manifest["outputs"]
            ),
            results=results,
            errors=tuple(map(_raised, self.manifest["errors"])),
            inputs=len(self.manifest["inputs"]),
            sizes=tuple(self.symbols.get(k, f"n{k}") for k in range(count)),
            least=self._least(),
            returned=tuple(self.returned),
            texts=texts,
            entry=self.manifest["entry"],
            has_shapes=self.manifest["shapes"] is not None,
            calls_libraries=bool(self.manifest["library_calls"]),
        )

    def _refuse_what_only_python_has(self) -> None:
        calls = self.manifest["library_calls"]
        missing = sorted({c["name"] for c in calls if c["library"] not in _LIBRARIES})
        if missing:
            names = ", ".join(name.removeprefix("qn_") for name in missing)
            raise UnsupportedError(
                f"an exported function that calls {names}",
                "it has BLAS, LAPACK and sorting beside it, not NumPy, nor functions of `qn.load`",
            )

    def _parameters(self) -> list[Parameter]:
        found = []
        for k, (leaf, pattern) in enumerate(
            zip(self.call.parameters, self.captured.parameters, strict=True)
        ):
            if pattern[0] == "array":
                found.append(self._array(k, leaf.path, pattern))
            elif pattern[0] == "scalar":
                dtype = self.manifest["inputs"][pattern[1]]["dtype"]
                found.append(Parameter(self._c_name(leaf.path), dtype, None, pattern[1]))
            elif k not in self.example.values:
                raise UnsupportedError(
                    f"the program depends on the value of `{leaf.path}`",
                    "write the number in the signature, in place of its type",
                )
        known = {parameter.buffer for parameter in found}
        for k, given in enumerate(self.manifest["inputs"]):
            if k not in known:
                raise UnsupportedError(
                    f"an exported function reads `{given['name']}` from outside",
                    "pass it as an argument",
                )
        return found

    def _array(self, position: int, path: str, pattern: Any) -> Parameter:
        _, buffer, dtype, dims, layout, written, *_ = pattern
        assert layout == "C", "signatures describe arrays in C order"
        for axis, dim in enumerate(dims):
            wanted = self.example.names.get((position, axis))
            if type(dim) is str and wanted:
                self.symbols.setdefault(symbol_of(dim)[0], wanted)
            elif wanted and type(dim) is int:
                raise fixed_size(axis, path)
        return Parameter(self._c_name(path), dtype, tuple(dims), buffer, written)

    def _least(self) -> tuple[int, ...]:
        """What each symbol is at least."""
        patterns = (p for p in self.captured.parameters if p[0] == "array")
        found = dict(symbol_of(dim) for p in patterns for dim in p[3] if type(dim) is str)
        return tuple(found[k] for k in range(self.captured.symbols))

    @staticmethod
    def _c_name(text: str) -> str:
        return builder().compiler().c_name(text)

    def _shown(self, node: list) -> list[tuple[int, int]]:
        """The outputs that a result shows, each with that which counts its entries, or -1."""
        kind = node[0]
        if kind in ("output", "scalar", "number"):
            return [(node[1], -1)]
        if kind == "prefix":
            return [(node[1], node[2])]
        if kind == "input":
            self.returned.append(self.manifest["inputs"][node[1]]["name"])
            return []
        if kind in ("tuple", "list"):
            return [shown for item in node[1] for shown in self._shown(item)]
        if kind in ("dict", "named"):
            items = node[2] if kind == "dict" else [node[2]]
            return [shown for item in items for shown in self._shown(item)]
        if node == ["const", None]:
            return []
        raise UnsupportedError(
            f"an exported function that returns {_WHAT.get(kind, f'a {kind}')}",
            "return new arrays and numbers",
        )

    def _named(self, shown: list[tuple[int, int]], taken: set[str]) -> list[Result]:
        results = []
        for k, (output, count) in enumerate(shown):
            name = "result" if len(shown) == 1 else f"result{k}"
            while name in taken:
                name += "_"
            known = self.manifest["outputs"][output]
            axes = self.captured.outputs[output][2:]
            order = tuple(axes[0]) if axes else None
            dims = list(known["shape"])
            for place, axis in enumerate(order or ()):
                dims[axis] = known["shape"][place]
            results.append(Result(name, output, known["dtype"], tuple(dims), count, order))
        return results


_WHAT = {
    "view": "a view of another array",
    "room": "an array of which the data decide several sizes",
    "handed": "an array whose size has no bound",
    "either": "one of two objects, as data choose",
    "numbers": "a list of numbers",
    "zipped": "a list of tuples",
    "const": "a constant",
    "let": "an object twice",
    "object": "an object",
    "instance": "an object",
    "assign": "after it has changed arguments",
}


def _raised(error: dict[str, Any]) -> Raised:
    name, _, types = error["exception"].partition("(")
    is_left = name in (IN_NUMPY, RAISED_IN_NUMPY)
    kinds = [
        np.dtype(kind.removeprefix("np.")).kind for kind in types.rstrip(")").split(", ") if kind
    ]
    letters = "".join("i" if kind == "b" else kind for kind in kinds)
    place = f" ({error['file']}:{error['line']})" if error["file"] else ""
    if is_left:
        return Raised(f"only Python can go on: {error['message']}{place}", letters, "leftToNumPy")
    if name in ("_ArrayMemoryError", "MemoryError"):
        return Raised(f"MemoryError: not enough memory{place}", "", "outOfMemory")
    return Raised(f"{name}: {error['message']}{place}", letters, "raised")
