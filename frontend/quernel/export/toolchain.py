"""The user's C++ compiler, which makes the library: its OpenMP is that of the programs around."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from .. import _runtime
from ..cache.libraries import bundled, of_exports
from ..errors import ExportError
from ..signals import let_out
from .interface import Library

FLAGS = "-std=c++17 -O3 -fopenmp -ffp-contract=off -fPIC -fvisibility=hidden -w".split()
_SLEEF = "libsleef.so.3"
_SHOWN = 2000  # characters of what a compiler says


def include_folder() -> Path:
    """The texts of the runtime that libraries are made of."""
    return Path(os.path.abspath(__file__)).parents[1] / "include"


def _bundled(name: str) -> str:
    """The library of that name that comes with Quernel."""
    paths = (*bundled(), of_exports())
    return next(path for path in paths if os.path.basename(path) == name)


def _put(source: str, place: Path) -> None:
    """Copy a library to a place, where a process may have the one loaded that is there now."""
    file, name = tempfile.mkstemp(dir=place.parent, prefix=f".{place.name}-")
    os.close(file)
    try:
        shutil.copyfile(source, name)
        shutil.copymode(source, name)
        os.replace(name, place)
    except BaseException:
        os.unlink(name)
        raise


class Toolchain:
    """The compiler that the variable ``CXX`` names, else ``c++``.

    Parameters
    ----------
    folder : Path
        Where libraries get what they need beside them.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.compiler = shlex.split(os.environ.get("CXX", "")) or ["c++"]

    def companions(self, library: Library) -> list[Path]:
        """Where the libraries lie that come with one of ours."""
        names = [_SLEEF] if library.needs_sleef else []
        names += [os.path.basename(of_exports())] if library.needs_runtime else []
        return [self.folder / name for name in names]

    def make(
        self,
        library: Library,
        texts: dict[str, tuple[str, str]],
        header: str,
        place: Path,
        is_static: bool,
    ) -> list[Path]:
        """Compile texts, each for its target, into a library; the paths of it and its companions.

        Raises
        ------
        ExportError
            Where there is no compiler, where it fails, or where the library can't be written.
        """
        if shutil.which(self.compiler[0]) is None:
            raise ExportError(
                f"there is no C++ compiler {self.compiler[0]!r}; install g++ or clang++, or name "
                "one by the variable CXX"
            )
        with tempfile.TemporaryDirectory(prefix="quernel-export-") as name:
            folder = Path(name)
            (folder / f"{library.name}.h").write_text(header, encoding="utf-8")
            objects = self._compile(texts, folder)
            made = folder / place.name
            if is_static:
                self._run(["ar", "rcs", str(made), *objects])
            else:
                flags = self._linked(library, folder)
                self._run([*self.compiler, "-shared", *objects, *flags, "-o", str(made)])
            try:
                place.parent.mkdir(parents=True, exist_ok=True)
                beside = self.companions(library)
                for path in beside:
                    _put(_bundled(path.name), path)
                _put(str(made), place)
            except OSError as error:
                let_out(error)
                raise ExportError(f"{place} can't be written: {error.strerror}") from None
        return [place, *beside]

    def _compile(self, texts: dict[str, tuple[str, str]], folder: Path) -> list[str]:
        commands = []
        for name, (target, text) in texts.items():
            (folder / name).write_text(text, encoding="utf-8")
            command = [*self.compiler, *FLAGS, f"-I{include_folder()}", "-c", str(folder / name)]
            command += [f"-march={target}"] if target else []
            commands.append([*command, "-o", str(folder / f"{name}.o")])
        with ThreadPoolExecutor(_runtime.default_threads()) as pool:
            list(pool.map(self._run, commands))
        return [command[-1] for command in commands]

    def _linked(self, library: Library, folder: Path) -> list[str]:
        """The flags of a shared library, which looks for its companions where it lies itself.

        Nobody sees more of it than the functions of the header.
        """
        public = [f"{library.name}_error", *(f.name for f in library.functions)]
        public += [f"{f.name}_shapes" for f in library.functions if f.needs_shapes]
        names = "".join(f" {name};" for name in public)
        script = folder / "public.map"
        script.write_text(f"{{ global:{names} local: *; }};\n", encoding="utf-8")
        beside = [_bundled(path.name) for path in self.companions(library)]
        return [
            "-fopenmp",
            "-Wl,-rpath,$ORIGIN",
            "-Wl,--no-undefined",
            f"-Wl,--version-script={script}",
            *beside,
        ]

    def _run(self, command: list[str]) -> None:
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        except OSError as error:
            let_out(error)
            raise ExportError(f"{command[0]} can't be run: {error.strerror}") from None
        if done.returncode:
            raise ExportError(f"`{shlex.join(command)}` fails:\n{done.stderr[:_SHOWN]}")
