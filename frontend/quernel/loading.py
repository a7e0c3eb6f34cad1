"""`quernel.load`: functions of the user's own texts, in C++ and in CUDA C++."""

from __future__ import annotations

import functools
import glob
import json
import os
import re
import types
from collections.abc import Callable
from typing import Any

from . import _runtime
from .api import compile
from .build_id import BUILD
from .cache import store
from .cache.libraries import cuda_headers, nvrtc_folders
from .cache.target import host_target
from .call.sections import check_compiler, section
from .call.siblings import placed
from .describe import digest
from .devices.selection import CPU, asked_for
from .errors import LoadError, NoCompilerError, no_compiler, no_nvrtc
from .files import is_folder
from .loaded.functions import LoadedFunction, Text, called_by, checked, loaded_function
from .loaded.glue import INCLUDE, names_of, whole_text
from .loaded.kernels import Kernel, device_text, host_text
from .loaded.signatures import Signature
from .signals import let_out

_SUFFIXES = (".cpp", ".cc", ".cxx", ".c++", ".cu")
_INCLUDE = re.compile(r"^\s*#\s*include\s*(?!<quernel\.h>)", re.MULTILINE)
_INCLUDE_BESIDE = re.compile(r'^\s*#\s*include\s*"([^"\n]+)"', re.MULTILINE)
#: What texts for devices are compiled for as they are loaded, to see what is wrong with them. No
#: device is asked, so that a process may still be forked.
_USUAL_DEVICE = "sm_80"
_NOWHERE = "/text.cpp"
_known: dict[str, tuple[list[list[str]], Text]] = {}


def load(source: Any, /, **signatures: str | Kernel) -> Any:
    """Compile functions of one's own in C++ or CUDA C++, or take them from the cache.

    Parameters
    ----------
    source : str or path
        The text, or the path of a file: a path object, or one line that ends with ``.cpp`` or
        ``.cu``.
    **signatures : str or Kernel
        What each function takes and gives, by its name in the text, for example
        ``axpy="float64, float64[n], float64[n] -> float64[n]"``; for the kernels of a text in
        CUDA C++ a `quernel.Kernel`, which says how they are launched, too.

    Returns
    -------
    function, or namespace of functions
        Those that have signatures. They take NumPy arrays, and may be called by compiled functions.
        Equal calls have to give equal results. Kernels take arrays on devices besides, whose
        results are there, too; the first device runs those of NumPy's arrays, or the one of
        ``with quernel.device(…)``. Compiled functions call them on devices alone.

    Raises
    ------
    LoadError
        Where the text can't be compiled, or hasn't got such a function; the error shows its lines.
    SignatureError
        Where a signature can't be read.
    OSError
        Where a file can't be read.
    """
    if not signatures:
        raise TypeError("quernel.load takes the signature of each function, by the function's name")
    kernels = {name: given for name, given in signatures.items() if isinstance(given, Kernel)}
    if kernels and len(kernels) < len(signatures):
        others = ", ".join(name for name in signatures if name not in kernels)
        raise TypeError(f"a text has functions or kernels, not both: {others} has no launch shape")
    text, path, name = _read(source, bool(kernels))
    beside = path if _INCLUDE.search(text) else ""
    known = (part for k, given in signatures.items() for part in (k, getattr(given, "text", given)))
    mark = digest(text, beside, *known)[:12]
    form = {
        "path": path,
        "name": name if path == _NOWHERE else path,
        "lines": text.splitlines(),
    }
    if kernels:
        made = _kernels(form, text, name, {f"{k}_{mark}": (k, kernels[k]) for k in kernels})
    else:
        read = {function: Signature.of(signature) for function, signature in signatures.items()}
        made = _functions(form, text, name, {f"{k}_{mark}": (k, read[k]) for k in read})
    if len(made) == 1:
        return made[0]
    return types.SimpleNamespace(**dict(zip(signatures, made, strict=True)))


def _functions(
    form: dict[str, Any], text: str, name: str, entries: dict[str, tuple[str, Signature]]
) -> list[LoadedFunction]:
    form["text"] = whole_text(text, name, entries)
    form["entries"] = [each for entry in entries for each in names_of(entry)]
    form["folders"] = [INCLUDE, *_system_folders()]
    form["cuda"], form["kernels"] = "", {}
    compiled = _compiled(form, name, host_target(), _includes_of_compiler)
    try:
        return [
            loaded_function(function, signature, entry, compiled)
            for entry, (function, signature) in entries.items()
        ]
    except OSError as error:
        let_out(error)
        raise LoadError(f"{name} can't be loaded: {error}") from None


def _kernels(
    form: dict[str, Any], text: str, name: str, entries: dict[str, tuple[str, Kernel]]
) -> list[LoadedFunction]:
    form["text"], form["cuda"] = host_text(entries), device_text(text, name, entries)
    form["entries"] = list(entries)
    form["kernels"] = {entry: function for entry, (function, _) in entries.items()}
    beside = [] if form["path"] == _NOWHERE else [os.path.dirname(form["path"])]
    form["folders"] = [INCLUDE, *beside, *cuda_headers()]
    compiled = _compiled(form, name, _USUAL_DEVICE, lambda _: _included(text, beside))
    return [
        _OnDevices(function, kernel, entry, compiled).function
        for entry, (function, kernel) in entries.items()
    ]


class _OnDevices:
    """What calls of a kernel in Python go through: a compiled function that calls it.

    Attributes
    ----------
    function : LoadedFunction
    """

    def __init__(self, name: str, kernel: Kernel, entry: str, text: Text) -> None:
        self._name, self._signature = name, kernel.read
        self.function = called_by(self._called, name, kernel.read, entry, text)
        inside = called_by(self._refused, name, kernel.read, entry, text)

        def call(*args: Any) -> Any:
            return inside(*args)

        call.__name__ = call.__qualname__ = name
        self._where_arrays_are = compile(call, fullgraph=True, dynamic=True)
        self._on_first = compile(call, fullgraph=True, dynamic=True, device="cuda")

    def _called(self, args: tuple) -> Any:
        given = placed(args, {})
        device = given.device or asked_for()
        answers = self._on_first if device in (None, CPU) else self._where_arrays_are
        return answers(*given.args)

    def _refused(self, args: tuple) -> Any:
        """Raise what a call raises that can't be captured, which is all that comes here."""
        checked(self._name, self._signature, args)
        raise TypeError(f"{self._name}() takes {self._signature.text}")


def _read(source: Any, has_kernels: bool) -> tuple[str, str, str]:
    """A text, its path and what diagnostics call it."""
    is_path = isinstance(source, os.PathLike) or (
        isinstance(source, str) and "\n" not in source and source.endswith(_SUFFIXES)
    )
    if not is_path:
        if not isinstance(source, str):
            kind = type(source).__name__
            raise TypeError(f"quernel.load takes a text or a path, not {kind}")
        return source, _NOWHERE, "the text"
    path = os.path.abspath(os.fspath(source))
    if path.endswith(".cu") and not has_kernels:
        raise LoadError(
            f"{os.path.basename(path)} is a text in CUDA C++: give the signature of each kernel as "
            "quernel.Kernel(signature, grid=…, block=…)"
        )
    with open(path, encoding="utf-8") as file:
        return file.read(), path, os.path.basename(path)


def _compiled(
    form: dict[str, Any], name: str, target: str, includes_of: Callable[[list[str]], list[str]]
) -> Text:
    """What is compiled of a text, from the cache where that has it.

    A text is compiled anew where a file that it includes, but for the system's headers, changes.

    Parameters
    ----------
    includes_of : callable
        The files that a text includes, which gets those that the compiler tells.

    Raises
    ------
    LoadError
    """
    whole = form["text"] + form["cuda"]
    includes_any = _INCLUDE.search(whole) is not None
    places = [form["path"], *form["folders"]] if includes_any else []
    key = digest(BUILD, str(_runtime.abi_version), target, whole, *places)
    known = _known.get(key)
    if known is not None and _are_current(known[0]):
        return known[1]
    found = store.load_program(key)
    includes = [] if found is None else json.loads(found[1])
    code = None if found is None else found[0]
    if found is None or not _are_current(includes):
        try:
            code, paths = _compile(form, name, target)
            includes = [[path, _digest_of(path)] for path in includes_of(paths)]
            store.own().store("program", key, json.dumps(includes).encode(), code)
        except NoCompilerError:
            if includes_any:
                raise
            code, includes = None, []  # programs that call its functions may be there all the same
    text = Text(digest(whole, *(known for _, known in includes)), form, code)
    if code is not None:
        _known[key] = includes, text
    return text


def _compile(form: dict[str, Any], name: str, target: str) -> tuple[bytes, list[str]]:
    """What a text is compiled to, and the files beside it that the compiler has read."""
    check_compiler()
    with section:
        try:
            from . import _compiler
        except ImportError as error:
            if isinstance(error.__cause__ or error.__context__, KeyboardInterrupt):
                raise KeyboardInterrupt from None  # Ctrl-C while the module was set up
            raise no_compiler(error) from None
        options = {"nvrtc_path": nvrtc_folders()} if form["cuda"] else {}
        if form["cuda"] and "not installed" in (reason := _compiler.nvrtc(options)):
            raise no_nvrtc(reason)
        try:
            code, paths = _compiler.compile_text(form, target, options)
        except RuntimeError as error:
            let_out(error)
            raise LoadError(f"{name} can't be compiled:\n{str(error).rstrip()}") from None
    return code, [path for path in paths if path != form["path"]]


def _includes_of_compiler(paths: list[str]) -> list[str]:
    return paths


def _included(text: str, folders: list[str]) -> list[str]:
    """The files that a text includes by ``"…"``, and those that they include, where there are any.

    NVRTC doesn't tell.
    """
    found: list[str] = []
    texts = [(text, folders)]
    while texts:
        read, beside = texts.pop()
        for name in _INCLUDE_BESIDE.findall(read):
            places = (os.path.join(folder, name) for folder in beside)
            path = next((place for place in places if os.path.isfile(place)), None)
            if path is None or path in found:
                continue
            found.append(path)
            with open(path, encoding="utf-8", errors="replace") as file:
                texts.append((file.read(), [os.path.dirname(path), *folders]))
    return found


def _are_current(includes: list[list[str]]) -> bool:
    return all(_digest_of(path) == known for path, known in includes)


def _digest_of(path: str) -> str:
    """The digest of a file; nothing where it can't be read."""
    try:
        with open(path, "rb") as file:
            return digest(file.read())
    except OSError as error:
        let_out(error)
        return ""


@functools.lru_cache(maxsize=1)
def _system_folders() -> tuple[str, ...]:
    """Folders of the headers of C++ and C, where this machine has some."""
    newest = max(glob.glob("/usr/include/c++/[0-9]*"), key=_version, default="")
    folders = [newest]
    if newest:
        version = os.path.basename(newest)
        folders += sorted(glob.glob(f"/usr/include/*-linux-gnu/c++/{version}"))
        folders.append(os.path.join(newest, "backward"))
    clang = max(glob.glob("/usr/lib/llvm-*/lib/clang/*/include"), key=_version, default="")
    gcc = max(glob.glob("/usr/lib/gcc/*-linux-gnu/*/include"), key=_version, default="")
    folders += [clang or gcc, "/usr/local/include"]
    folders += [*sorted(glob.glob("/usr/include/*-linux-gnu")), "/usr/include"]
    return tuple(folder for folder in folders if folder and is_folder(folder))


def _version(path: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", path)]
