"""``quernel build``: the programs of functions, ahead of time, in a bundle."""

from __future__ import annotations

import difflib
import os
import sys
import tempfile
import time
import types
import warnings
from typing import Any

from .. import _runtime, api
from ..cache import bundles
from ..cache.libraries import nvrtc_folders
from ..cache.target import USUAL_DEVICE_TARGETS, USUAL_TARGETS, capability, chosen
from ..describe import digest, function_digest
from ..errors import QuernelError, SignatureError, UnsupportedError
from ..options import Options
from ..signals import let_out
from . import config
from .target import ProgramError, UsageError, find, find_all

_BAR = 24


class Wanted:
    """A function, and what it is compiled for."""

    def __init__(self, name: str, found: Any, signatures: list[str], targets: list[str]) -> None:
        self.name = name
        is_compiled = isinstance(found, _runtime.Function)
        self.plain: types.FunctionType = found.__wrapped__ if is_compiled else found
        self.options: Options = found.prepare.__self__.options if is_compiled else Options()
        self.signatures = signatures or list(self.options.signatures)
        self._targets = targets

    def targets(self, signature: str) -> list[str]:
        """What a signature is compiled for: targets of its kind, for processors or for devices.

        Raises
        ------
        UsageError
            Where there is none of the kind, or the signature can't be read.
        """
        try:
            has_device_arrays = _has_device_arrays(signature)
        except SignatureError as error:
            raise UsageError(f"{self.name}: {error}") from None
        is_on_device = self.options.device_number() is not None or has_device_arrays
        usual = USUAL_DEVICE_TARGETS if is_on_device else USUAL_TARGETS
        found = [t for t in self._targets or usual if (capability(t) is not None) == is_on_device]
        if not found:
            kind = "CUDA devices" if is_on_device else "processors"
            raise UsageError(
                f"{self.name} ({signature}) is for {kind}, and none of the targets "
                f"{', '.join(self._targets)} is: add one, such as {usual[-1]}"
            )
        return found

    def compiled(self) -> Any:
        """The function with the user's options, of which no program is known yet."""
        return api.compile(self.plain, **{**vars(self.options), "signatures": ()})


def _has_device_arrays(signature: str) -> bool:
    """Whether a signature has arrays on devices.

    Raises
    ------
    SignatureError
        Where it can't be read.
    """
    from ..arguments.layouts import device_of
    from ..call.signatures import Example

    return any(device_of(argument) is not None for argument in Example(signature).args)


def register(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser("build", help="compile ahead of time into a bundle")
    parser.add_argument(
        "functions",
        nargs="*",
        metavar="FILE.py[:FUNC]",
        help="a function, or all of a file that have signatures; also package.module[:FUNC]; "
        "without any, those of ./quernel.toml",
    )
    parser.add_argument(
        "--sig",
        action="append",
        default=[],
        metavar="TYPES",
        help="a signature, such as 'float64[n,2], int64[k,2]'; may be repeated",
    )
    parser.add_argument("-o", "--output", metavar="BUNDLE", help="the file")
    parser.add_argument(
        "--target",
        metavar="LEVELS",
        help="such as x86-64-v3 or, for functions with device='cuda', sm_90, separated by commas; "
        f"else {','.join(USUAL_TARGETS)}, and for devices {','.join(USUAL_DEVICE_TARGETS)}",
    )
    parser.add_argument(
        "--lock", metavar="FILE", help="the lock file; that of ./quernel.toml is ./quernel.lock"
    )
    parser.add_argument(
        "--locked", action="store_true", help="fail where the lock file would change"
    )
    parser.set_defaults(run=run)


def run(options: Any) -> int:
    """Compile, and write the bundle and the lock file; or compare the latter."""
    if not options.output and not options.locked:
        raise UsageError("build needs -o BUNDLE, or --locked")
    wanted = _wanted(options)
    is_configured = options.locked or not options.functions
    lock_path = options.lock or (config.LOCK if is_configured else "")
    begun = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="quernel-build-") as folder:
        programs, records = _compile(wanted, folder)
    lock = config.lock_text(programs)
    if options.locked:
        return _check_lock(lock_path, lock)
    targets = list(dict.fromkeys(program["target"] for program in programs))
    known = [{k: v for k, v in p.items() if k != "digest"} for p in programs]
    _write(options.output, bundles.about(targets, known), records)
    if lock_path:
        config.write(lock_path, lock)
    seconds, size = time.perf_counter() - begun, os.path.getsize(options.output)
    print(f"{len(programs)} programs in {seconds:.1f} s: {options.output}, {size / 1e6:.2f} MB")
    return 0


def _wanted(options: Any) -> list[Wanted]:
    forced = _targets(options.target.split(",")) if options.target is not None else []
    if options.functions:
        return [item for name in options.functions for item in _named(name, options.sig, forced)]
    if options.sig:
        raise UsageError("--sig needs a function")
    return [
        Wanted(name, find(name), signatures, forced or _targets(targets))
        for name, signatures, targets in config.functions()
    ]


def _named(name: str, signatures: list[str], targets: list[str]) -> list[Wanted]:
    """What is to be compiled of a function, or of all compiled functions of a file or module."""
    if ":" in name:
        wanted = [Wanted(name, find(name), signatures, targets)]
    else:
        wanted = [Wanted(f"{name}:{key}", f, signatures, targets) for key, f in find_all(name)]
        wanted = [item for item in wanted if item.signatures]
        if not wanted:
            raise UsageError(f"{name} has no compiled function with signatures")
    for item in wanted:
        if not item.signatures:
            raise UsageError(f"{item.name} has no signatures; give them by --sig")
    return wanted


def _targets(names: Any) -> list[str]:
    from ..call.builder import builder

    compiler = builder().compiler()
    known = [name for name in compiler.targets() if name != "host"]
    if any(capability(name) is not None for name in names):
        try:
            known += compiler.device_targets({"nvrtc_path": nvrtc_folders()})
        except RuntimeError as error:
            let_out(error)
            raise ProgramError(str(error)) from None
    for name in names:
        if name not in known:
            raise UsageError(f"{name!r} is no target; there are {', '.join(known)}")
    return list(names)


def _compile(wanted: list[Wanted], folder: str) -> tuple[list[dict[str, str]], dict[str, bytes]]:
    """The programs, and all records, of what is wanted."""
    programs: list[dict[str, str]] = []
    records: dict[str, bytes] = {}
    steps = [
        (item, text, target)
        for item in wanted
        for text in item.signatures
        for target in item.targets(text)
    ]
    for number, (item, text, target) in enumerate(steps):
        begun = time.perf_counter()
        into = os.path.join(folder, target)
        _prepare(item, text, target, into)
        found = bundles.paths_in(into)
        made = sorted(n for n in found if n.endswith(".program") and n not in records)
        records.update({name: bundles.read(found[name]) for name in made})
        programs += [
            {
                "function": item.name,
                "signature": text,
                "target": target,
                "source": function_digest(item.plain),
                "program": name.partition(".")[0],
                "digest": digest(records[name]),
            }
            for name in made
        ]
        milliseconds = (time.perf_counter() - begun) * 1e3
        _tell(f"{item.name} ({text}) {target}: {milliseconds:.0f} ms", number + 1, len(steps))
    records.update(bundles.records_in(folder))  # the indexes have all their entries now
    return programs, records


def _tell(line: str, done: int, total: int) -> None:
    """A line for each program; on a terminal a bar below them."""
    if not sys.stdout.isatty():
        print(line)
        return
    filled = _BAR * done // total
    bar = f"[{'#' * filled}{'.' * (_BAR - filled)}] {done}/{total}"
    print(f"\r\x1b[K{line}\n{bar}", end="\r\x1b[K" if done == total else "", flush=True)


def _prepare(item: Wanted, text: str, target: str, folder: str) -> None:
    """Compile for a signature; a program that isn't in the folder afterwards is an error."""
    around = {name: os.environ.pop(name, None) for name in config.CACHE_VARIABLES}
    os.environ["QUERNEL_CACHE_DIR"] = folder
    try:
        with warnings.catch_warnings(), chosen(target):
            warnings.filterwarnings("error", "the cache at", RuntimeWarning)
            item.compiled().prepare(text, small=True)
    except SignatureError as error:
        raise UsageError(f"{item.name}: {error}") from None
    except UnsupportedError as error:
        raise ProgramError(f"{item.name} ({text}): {error}") from error
    except QuernelError as error:
        raise ProgramError(str(error)) from error
    except RuntimeWarning as warning:
        raise ProgramError(f"{text}: the program can't be written: {warning}") from None
    except (Exception, SystemExit) as error:
        raise ProgramError(f"{item.name} ({text}): {type(error).__name__}: {error}") from error
    finally:
        del os.environ["QUERNEL_CACHE_DIR"]
        os.environ.update({name: value for name, value in around.items() if value is not None})


def _write(path: str, about: dict[str, Any], records: dict[str, bytes]) -> None:
    try:
        bundles.write(path, about, records)
    except OSError as error:
        raise UsageError(f"{path!r} can't be written: {error.strerror}") from None


def _check_lock(path: str, lock: str) -> int:
    try:
        with open(path, encoding="utf-8") as file:
            old = file.read()
    except OSError as error:
        raise UsageError(f"there is no lock file {path}: {error.strerror}") from None
    if old == lock:
        print(f"{path} is as it would be made")
        return 0
    lines = difflib.unified_diff(old.splitlines(), lock.splitlines(), path, "as made now", n=2)
    print("\n".join(lines))
    print(f"quernel: {path} would change; run `quernel build` and commit it", file=sys.stderr)
    return 1
