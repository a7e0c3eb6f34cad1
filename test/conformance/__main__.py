"""``python -m conformance numpy`` and ``python -m conformance array-api PATH``, in test/.

Each module of a suite runs twice, in processes of their own: with NumPy, and with `quernel.numpy`
in its place. Of the tests that pass with NumPy, those that fail then have to be in `expected.toml`,
with a reason, and all that are there have to fail. What counts is the tests that run at least one
compiled program.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .expected import Expected

TESTS = Path(__file__).resolve().parents[1]
_COLLECTION = "::collection"
# The test modules about functions that are compiled.
NUMPY = {
    "_core": (
        "test_numeric test_umath test_umath_complex test_ufunc test_multiarray test_indexing "
        "test_indexerrors test_item_selection test_shape_base test_einsum test_function_base "
        "test_mem_overlap test_nep50_promotions test_half test_errstate test_regression "
        "test_scalarmath test_protocols test_argparse test_deprecations test_overrides "
        "test_array_coercion test_api test_casting_floatingpoint_errors"
    ),
    "lib": (
        "test_function_base test_arraysetops test_nanfunctions test_index_tricks "
        "test_twodim_base test_type_check test_ufunclike test_stride_tricks test_arraypad "
        "test_histograms test_polynomial test_shape_base test_packbits test_regression "
        "test_array_utils test_utils test_mixins"
    ),
    "linalg": "test_linalg test_regression test_deprecations",
    "fft": "test_pocketfft test_helper",
    "random": (
        "test_generator_mt19937 test_generator_mt19937_regressions test_random test_randomstate "
        "test_randomstate_regression test_regression test_smoke"
    ),
}


@dataclass
class Suite:
    """Test modules, and how pytest runs them.

    Attributes
    ----------
    root : Path
        The folder that the modules' paths, and the names of tests, begin at.
    modules : list of str
    options : list of str
        Of pytest.
    environment : dict
        Of the process, by whether it is compiled.
    """

    root: Path
    modules: list[str]
    options: list[str] = field(default_factory=list)
    environment: dict[bool, dict[str, str]] = field(default_factory=lambda: {False: {}, True: {}})


def numpys() -> Suite:
    """The tests that NumPy installs."""
    spec = importlib.util.find_spec("numpy")
    assert spec and spec.origin
    modules = [
        f"numpy/{folder}/tests/{name}.py"
        for folder, names in NUMPY.items()
        for name in names.split()
    ]
    root = Path(spec.origin).parents[1]
    return Suite(root, modules, ["-m", "not slow", "--hypothesis-profile=np.test() profile"])


def array_apis(path: Path, examples: int) -> Suite:
    """The tests of a checkout of data-apis/array-api-tests."""
    modules = sorted(str(m.relative_to(path)) for m in path.glob("array_api_tests/test_*.py"))
    options = ["--derandomize", "--disable-deadline", f"--max-examples={examples}"]
    name, of_examples = "ARRAY_API_TESTS_MODULE", {"PYTHONWARNINGS": "ignore"}
    environment = {
        False: {name: "numpy", **of_examples},
        True: {name: "quernel.numpy", **of_examples},
    }
    return Suite(path.resolve(), modules, options, environment)


def main() -> int:
    """Run a suite; 1 where a test fails, or passes, that isn't expected to."""
    parser = argparse.ArgumentParser(prog="conformance", description=__doc__)
    parser.add_argument("suite", choices=("numpy", "array-api"))
    parser.add_argument("path", nargs="?", type=Path, help="the checkout of array-api-tests")
    parser.add_argument("--modules", nargs="*", default=[], metavar="TEXT", help="that have it")
    parser.add_argument("-k", default="", metavar="TESTS", help="as for pytest")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--time-limit", type=int, default=60, metavar="SECONDS", help="of a test")
    parser.add_argument("--examples", type=int, default=20, help="of each array API property")
    parser.add_argument("--cache", type=Path, metavar="DIR", help="where programs stay")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="where to write all outcomes")
    options = parser.parse_args()
    if options.suite == "array-api" and not (options.path and options.path.is_dir()):
        parser.error("array-api needs the path of a checkout of data-apis/array-api-tests")
    suite = numpys() if options.suite == "numpy" else array_apis(options.path, options.examples)
    if options.modules:
        suite.modules = [m for m in suite.modules if any(text in m for text in options.modules)]
    with tempfile.TemporaryDirectory() as folder:
        cache = (options.cache or Path(folder)) / sources_digest()
        with ThreadPoolExecutor(options.jobs) as pool:
            both = list(
                pool.map(lambda m: compared(suite, m, options, cache.resolve()), suite.modules)
            )
    expected = Expected.read(options.suite)
    return report(both, expected, whole=not options.k)


def sources_digest() -> str:
    """What Quernel itself is made of: programs of an earlier one would hide what has changed."""
    spec = importlib.util.find_spec("quernel")
    assert spec and spec.origin
    files = sorted(Path(spec.origin).parent.rglob("*.py"))
    files += sorted(Path(spec.origin).parent.rglob("*.so"))
    digest = hashlib.blake2b(digest_size=8)
    for file in files:
        digest.update(file.read_bytes())
    return digest.hexdigest()


def compared(
    suite: Suite, module: str, options: argparse.Namespace, cache: Path
) -> tuple[dict[str, Any], dict[str, Any]]:
    """How the tests of a module end, with NumPy and compiled."""
    plain = outcomes(suite, module, options, cache, compiled=False)
    compiled = outcomes(suite, module, options, cache, compiled=True)
    plain |= {name: {"outcome": "passed"} for name in compiled if name.endswith(_COLLECTION)}
    if options.keep:
        options.keep.mkdir(parents=True, exist_ok=True)
        file = options.keep / f"{module.replace('/', '.')}.json"
        file.write_text(json.dumps({"numpy": plain, "quernel": compiled}, indent=1))
    passed = [name for name, test in plain.items() if test["outcome"] == "passed"]
    reached = [name for name in passed if compiled.get(name, {}).get("programs", 1)]
    good = [name for name in reached if compiled.get(name, {}).get("outcome") == "passed"]
    print(
        f"{module}: {len(passed)} pass in NumPy, {len(reached)} of them run compiled code, "
        f"{len(good)} of these pass",
        flush=True,
    )
    return plain, compiled


def outcomes(
    suite: Suite, module: str, options: argparse.Namespace, cache: Path, compiled: bool
) -> dict[str, Any]:
    """How the tests of a module end, by their names; a test that ends the process has crashed.

    After a crash another process runs the tests that are left.
    """
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        path, done = Path(folder) / "outcomes", Path(folder) / "done"
        settings = Path(folder) / "pytest.ini"  # else this project's own settings are taken
        settings.write_text("[pytest]\n", encoding="utf-8")
        command = [
            *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"),
            *("-p", "conformance.plugin", "-c", str(settings), f"--rootdir={suite.root}"),
            *("--namespace", "quernel" if compiled else "numpy", "--outcomes", str(path)),
            *("--time-limit", str(options.time_limit), "--without", str(done), *suite.options),
            *(["-k", options.k] if options.k else []),
            module,
        ]
        environment = {
            **os.environ,
            **suite.environment[compiled],
            "QUERNEL_CACHE_DIR": str(cache),
            "PYTHONPATH": os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")]),
        }
        while True:
            done.write_text("\n".join(found), encoding="utf-8")
            ended = subprocess.run(
                command,
                cwd=suite.root,
                env=environment,
                capture_output=True,
                text=True,
                errors="replace",
                check=False,
            )
            lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
            new = {one["test"]: one for one in map(json.loads, lines)}
            if ended.returncode in (0, 1, 5):  # all has run
                return new
            crashed = [one for name, one in new.items() if name not in found]
            if not any(one["outcome"] == "crashed" for one in crashed):
                text = f"{ended.stdout[-3000:]}{ended.stderr[-3000:]}"
                if not compiled:
                    sys.exit(f"{module}: pytest fails\n{text}")
                return {**new, module + _COLLECTION: {"outcome": "failed", "text": text}}
            for one in crashed:
                if one["outcome"] == "crashed":
                    one["text"] = f"ends with {ended.returncode}\n{ended.stderr[:3000]}"
            with path.open("a", encoding="utf-8") as file:
                file.writelines(json.dumps(one) + "\n" for one in crashed)
            found = new


def report(both: list[tuple[dict, dict]], expected: Expected, whole: bool) -> int:
    """Print what the runs say; 1 where anything is unexpected."""
    faults, reasons = [], Counter()
    passed = failed = 0
    seen: dict[str, bool] = {}
    for plain, compiled in both:
        for name, test in plain.items():
            if test["outcome"] != "passed":
                continue
            other = compiled.get(name, {"outcome": "missing"})
            is_good = other["outcome"] == "passed"
            seen[name] = is_good
            if other.get("programs", 1) or not is_good:
                passed, failed = passed + is_good, failed + (not is_good)
            reason = expected.reason(name)
            if not is_good and reason is None:
                last = other.get("text", "").strip().rpartition("\n")[2]
                faults.append(f"{name} {other['outcome']}: {last}")
            elif not is_good:
                reasons[reason] += 1
    faults += expected.wrong(seen, {name for plain, _ in both for name in plain}, whole)
    for reason, count in reasons.most_common():
        print(f"{count:5} expected: {reason}")
    total = passed + failed
    print(f"{passed} of {total} tests that reach compiled code pass, {passed / max(total, 1):.2%}")
    print("\n".join(faults) or "nothing is unexpected")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
