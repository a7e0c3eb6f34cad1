"""`quernel.load`: functions of the user's own C++ texts."""

from __future__ import annotations

import functools
import glob
import json
import os
import re
import types
from typing import Any

from . import _runtime
from .build_id import BUILD
from .cache import store
from .cache.target import host_target
from .call.sections import check_compiler, section
from .describe import digest
from .errors import LoadError, NoCompilerError, no_compiler
from .files import is_folder
from .loaded.functions import Text, loaded_function
from .loaded.glue import INCLUDE, names_of, whole_text
from .loaded.signatures import Signature
from .signals import let_out

_SUFFIXES = (".cpp", ".cc", ".cxx", ".c++", ".cu")
_INCLUDE = re.compile(r"^\s*#\s*include\s*(?!<quernel\.h>)", re.MULTILINE)
_NOWHERE = "/text.cpp"
_known: dict[str, tuple[list[list[str]], Text]] = {}


def load(source: Any, /, **signatures: str) -> Any:
    """Compile functions of one's own in C++, or take them from the cache.

    Parameters
    ----------
    source : str or path
        The text, or the path of a file: a path object, or one line that ends with ``.cpp``.
    **signatures : str
        What each function takes and gives, by its name in the text, for example
        ``axpy="float64, float64[n], float64[n] -> float64[n]"``.

    Returns
    -------
    function, or namespace of functions
        Those that have signatures. They take NumPy arrays, and may be called by compiled functions.
        Equal calls have to give equal results.

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
    text, path, name = _read(source)
    read = {function: Signature.of(signature) for function, signature in signatures.items()}
    beside = path if _INCLUDE.search(text) else ""
    mark = digest(text, beside, *(part for item in signatures.items() for part in item))[:12]
    entries = {f"{function}_{mark}": (function, read[function]) for function in read}
    form = {
        "text": whole_text(text, name, entries),
        "path": path,
        "entries": [each for entry in entries for each in names_of(entry)],
        "name": name if path == _NOWHERE else path,
        "lines": text.splitlines(),
        "folders": [INCLUDE, *_system_folders()],
    }
    compiled = _compiled(form, name)
    try:
        made = [
            loaded_function(function, signature, entry, compiled)
            for entry, (function, signature) in entries.items()
        ]
    except OSError as error:
        let_out(error)
        raise LoadError(f"{name} can't be loaded: {error}") from None
    if len(made) == 1:
        return made[0]
    return types.SimpleNamespace(**dict(zip(read, made, strict=True)))


def _read(source: Any) -> tuple[str, str, str]:
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
    if path.endswith(".cu"):
        raise LoadError(f"{os.path.basename(path)} is a text in CUDA C++; load takes C++")
    with open(path, encoding="utf-8") as file:
        return file.read(), path, os.path.basename(path)


def _compiled(form: dict[str, Any], name: str) -> Text:
    """What is compiled of a text, from the cache where that has it.

    A text is compiled anew where a file that it includes, but for the system's headers, changes.

    Raises
    ------
    LoadError
    """
    target, includes_any = host_target(), _INCLUDE.search(form["text"]) is not None
    places = [form["path"], *form["folders"]] if includes_any else []
    key = digest(BUILD, str(_runtime.abi_version), target, form["text"], *places)
    known = _known.get(key)
    if known is not None and _are_current(known[0]):
        return known[1]
    found = store.load_program(key)
    includes = [] if found is None else json.loads(found[1])
    code = None if found is None else found[0]
    if found is None or not _are_current(includes):
        try:
            code, includes = _compile(form, name, target)
            store.own().store("program", key, json.dumps(includes).encode(), code)
        except NoCompilerError:
            if includes_any:
                raise
            code, includes = None, []  # programs that call its functions may be there all the same
    text = Text(digest(form["text"], *(known for _, known in includes)), form, code)
    if code is not None:
        _known[key] = includes, text
    return text


def _compile(form: dict[str, Any], name: str, target: str) -> tuple[bytes, list[list[str]]]:
    """The object of a text, and the files that it includes with their digests."""
    check_compiler()
    with section:
        try:
            from . import _compiler
        except ImportError as error:
            if isinstance(error.__cause__ or error.__context__, KeyboardInterrupt):
                raise KeyboardInterrupt from None  # Ctrl-C while the module was set up
            raise no_compiler(error) from None
        try:
            code, paths = _compiler.compile_text(form, target)
        except RuntimeError as error:
            let_out(error)
            raise LoadError(f"{name} can't be compiled:\n{str(error).rstrip()}") from None
    return code, [[path, _digest_of(path)] for path in paths if path != form["path"]]


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
