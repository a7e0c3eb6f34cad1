"""The fuzzer itself: what its judge sees, what its writer writes, what its shrinker leaves."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from .arguments import LAYOUTS, Arguments, make
from .attributes import with_attributes
from .command import main
from .exactness import bound_of, disturbed, is_exact
from .judge import How, Outcome
from .oracle import WIDE, differences, observe
from .pool import Worker
from .program import Program, read
from .shrink import shrink
from .writer.generate import KINDS, program

SPEC: dict[str, Any] = {
    "arguments": [["a", "float64", ["n"], ""], ["e", "int32", ["m", "n"], ""]],
    "calls": [{"n": 5, "m": 3, "seed": 1, "layouts": ["C", "C"], "special": False}],
    "dynamic": None,
}


def arguments(layout: str = "C") -> Arguments:
    return make(SPEC, {**SPEC["calls"][0], "layouts": [layout, layout]})


def kinds_of(theirs: Callable, ours: Callable, layout: str = "C") -> list[str]:
    """The kinds of differences between two functions."""
    pair = (observe(theirs, arguments(layout)), observe(ours, arguments(layout)))
    return [difference.kind for difference in differences(*pair, None, True)]


def behind(a: np.ndarray) -> np.ndarray:
    """One element more than an array has."""
    return np.lib.stride_tricks.as_strided(a, (len(a) + 1,))


def raising(write: bool) -> Callable:
    def compute(a: np.ndarray, e: np.ndarray) -> None:
        if write:
            a[0] = 99
        raise ValueError("x")

    return compute


def warning(a: np.ndarray, e: np.ndarray) -> Any:
    return np.log(a * 0 - 1) * 0 if a[0] < 99 else a


@pytest.mark.parametrize(
    ("theirs", "ours", "kind"),
    [
        (lambda a, e: a + 1, lambda a, e: a + 2, "wrong"),
        (lambda a, e: a + 1, lambda a, e: (a + 1).astype(np.float32), "wrong"),
        (lambda a, e: a + 1, lambda a, e: (a + 1)[:, None], "wrong"),
        (lambda a, e: (a + 1, 2), lambda a, e: [a + 1, 2], "wrong"),
        (lambda a, e: None, lambda a, e: behind(a).fill(0), "wrong"),
        (lambda a, e: None, lambda a, e: e.fill(3), "wrong"),
        (lambda a, e: a * np.nan, lambda a, e: a * np.inf, "wrong"),
        (lambda a, e: a * 0.0, lambda a, e: -(a * 0.0), "wrong"),
        (raising(False), lambda a, e: None, "exception"),
        (raising(False), raising(True), "lost"),
        (lambda a, e: a, lambda a, e: a.copy(), "alias"),
        (lambda a, e: a[1:], lambda a, e: a[1:].copy(), "alias"),
        (lambda a, e: a, lambda a, e: a[:], "alias"),
        (lambda a, e: (x := a + 1, x), lambda a, e: (a + 1, a + 1), "alias"),
        (lambda a, e: a[::-1], lambda a, e: np.broadcast_to(a[::-1], a.shape), "alias"),
        (lambda a, e: 0, lambda a, e: 0.0, "type"),
        (lambda a, e: a[0], lambda a, e: float(a[0]), "type"),
        (lambda a, e: np.sqrt(a * 0 - 1) * 0, lambda a, e: a * np.nan, "warning"),
    ],
)
def test_judge_sees(theirs: Callable, ours: Callable, kind: str) -> None:
    assert kind in kinds_of(theirs, ours)
    assert not kinds_of(theirs, theirs)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts_hold_the_same_values(layout: str) -> None:
    plain, other = arguments("C"), arguments(layout)
    for x, y in zip(plain.values, other.values, strict=True):
        np.testing.assert_array_equal(x, y)
    assert other.are_guards_whole()
    other.buffers[1][70 if layout == "sliced" else -1] ^= 1
    assert not other.are_guards_whole()


@pytest.mark.parametrize("how", ["same", "view", "reversed", "shifted"])
def test_arguments_overlap(how: str) -> None:
    spec = {**SPEC, "arguments": [["a", "float64", ["n"], ""], ["d", "float64", ["n"], ""]]}
    made = make(spec, {**SPEC["calls"][0], "overlap": [["d", "a", how]]})
    a, d = made.values
    assert np.shares_memory(a, d) and (a is d) == (how == "same")
    assert a.shape == d.shape == (5,)


def test_inexact_results_have_a_bound() -> None:
    text = "import numpy as np\ndef compute(a, e):\n    return np.exp(a)\n"
    assert not is_exact(text, SPEC)
    assert is_exact(text.replace("np.exp(a)", "a * 3 / 7"), SPEC)
    assert bound_of(text, SPEC) == WIDE
    assert bound_of(text.replace("np.exp(a)", "np.maximum(a, 0)"), SPEC) == 0
    assert bound_of(text.replace("np.exp(a)", "-a"), SPEC) is None
    pair = (
        observe(lambda a, e: np.exp(a), arguments()),
        observe(disturbed(text, SPEC, 0), arguments()),
    )
    assert differences(*pair, 0.0, False)
    assert not differences(*pair, WIDE, False)


def test_inexact_results_in_place_are_disturbed() -> None:
    text = "import numpy as np\ndef compute(a, e):\n    a[1:] **= 3\n    return a\n"
    moved = observe(disturbed(text, SPEC, 0), arguments())
    want = arguments().values[0]
    want[1:] **= 3
    assert moved.result[0] == want[0] and np.any(moved.result[1:] != want[1:])
    np.testing.assert_allclose(moved.result, want, rtol=WIDE)


def test_overflown_complex_products_are_disturbed() -> None:
    text = "import numpy as np\ndef compute(a, e):\n    return (a + 1e200j) * (a * 1e200)\n"
    want, *moved = (
        observe(lambda a, e: (a + 1e200j) * (a * 1e200), arguments()),
        *(observe(disturbed(text, SPEC, seed), arguments()) for seed in range(4)),
    )
    assert not np.all(np.isfinite(want.result))
    assert any(differences(want, x, WIDE, False) for x in moved)


def test_signs_of_zeros_are_disturbed() -> None:
    text = "import numpy as np\ndef compute(a, e):\n    return 1 / np.fmax(a * 0, 0)\n"
    plain = observe(lambda a, e: 1 / np.fmax(a * 0, 0), arguments())
    moved = observe(disturbed(text, SPEC, 0), arguments())
    assert bound_of(text, SPEC) == 0
    assert [found.kind for found in differences(plain, moved, 0.0, False)] == ["wrong"]
    quotient = text.replace("1 / ", "2 * ")
    moved = observe(disturbed(quotient, SPEC, 0), arguments())
    assert not differences(observe(lambda a, e: a * 0.0, arguments()), moved, 0.0, False)


def test_signs_of_nan_are_disturbed() -> None:
    text = "import numpy as np\ndef compute(a, e):\n    return np.copysign(a, np.log(a * 0 - 1))\n"
    with np.errstate(all="ignore"):
        plain = observe(lambda a, e: np.copysign(a, np.log(a * 0 - 1)), arguments())
        moved = observe(disturbed(text, SPEC, 0), arguments())
    assert [found.kind for found in differences(plain, moved, 0.0, False)] == ["wrong"]


def test_signs_of_nan_of_arithmetic_are_disturbed() -> None:
    text = "import numpy as np\ndef compute(a, e):\n    return ((a - a) / (a - a)).view('int64')\n"
    assert bound_of(text, SPEC) is None
    with np.errstate(all="ignore"):
        plain = observe(lambda a, e: (a * 0 / (a * 0)).view("int64"), arguments())
        moved = [observe(disturbed(text, SPEC, seed), arguments()) for seed in range(4)]
    assert any(differences(plain, x, None, False) for x in moved)


def test_what_is_assigned_from_the_same_memory_is_copied_first() -> None:
    text = "import numpy as np\ndef compute(a, e):\n    a[1::2] = a[:2]\n    return a\n"
    moved = observe(disturbed(text, SPEC, 0), arguments())
    want = arguments().values[0]
    want[1::2] = want[:2].copy()
    np.testing.assert_array_equal(moved.result, want)


@pytest.mark.parametrize("kind", KINDS)
def test_seeds_stay(kind: str) -> None:
    for seed in range(5):
        made = program(kind, seed)
        assert made == program(kind, seed)
        assert made.text != program(kind, seed + 1).text
        ast.parse(made.file())


def test_files_are_read_back(tmp_path: Path) -> None:
    made = program("mixed", 1)
    path = tmp_path / "kept.py"
    path.write_text(made.file(("a note",)))
    back = read(path)
    assert back.spec == made.spec
    assert ast.dump(ast.parse(back.text)) == ast.dump(ast.parse(made.text))


def test_shrinker_leaves_what_matters() -> None:
    text = """import numpy as np
def compute(a, e):
    n = len(a)
    for i in range(n):
        if a[i] > 1:
            a[i] = np.abs(a[i]) + 3
            e[0] = 5 * (2 + n)
    return a, e
"""
    calls = [{**SPEC["calls"][0], "n": n} for n in (5, 7, 9)]

    def run(candidate: Program) -> Outcome:
        return Outcome("wrong" if "np.abs" in candidate.text else "pass")

    _, small = shrink(Program("x", text, {**SPEC, "calls": calls}), run)
    lines = small.text.split("\n")
    assert len(lines) <= 5 and "np.abs" in small.text
    assert len(small.spec["calls"]) == 1 and len(small.spec["arguments"]) == 1


def ended(text: str) -> str:
    """The outcome of a program whose body ends its process."""
    worker = Worker(timeout=2)
    try:
        return worker.run(Program("x", text, SPEC), How()).kind
    finally:
        worker.stop()


def test_workers_outlive_programs() -> None:
    assert ended("import os\ndef compute(a, e):\n    os.abort()\n") == "crash"
    assert ended("def compute(a, e):\n    while True:\n        pass\n") == "hang"


def test_failures_after_others_say_so() -> None:
    compute = "def compute(a, e):\n    return a + 1\n"
    changes = Program("changes", f"import sys\nsys.changed = True\n{compute}", SPEC)
    minds = f"import os, sys\nif hasattr(sys, 'changed'):\n    os.abort()\n{compute}"
    worker = Worker(timeout=20)
    try:
        assert worker.run(changes, How()).kind == "pass"
        outcome = worker.run(Program("minds", minds, SPEC), How())
        assert worker.run(changes, How()).kind == "pass"
        assert worker.run(Program("minds", minds, SPEC), How(batch=1)).kind == "pass"
    finally:
        worker.stop()
    assert outcome.kind == "crash" and outcome.reason.endswith("(after others)")
    assert "By itself: pass. It came after changes." in outcome.detail


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    assert main(["--seeds", "1", "--kind", "expressions", "--jobs", "1"]) in (0, 1)
    assert "expressions" in capsys.readouterr().out
    good = Program("good", "def compute(a, e):\n    return a + 1\n", SPEC)
    (tmp_path / "good.py").write_text(good.file())
    assert main(["--run", str(tmp_path / "good.py")]) == 0
    assert "good.py: pass" in capsys.readouterr().out


def test_first_calls_are_timed(capsys: pytest.CaptureFixture) -> None:
    assert main(["--seeds", "4", "--loops", "--jobs", "1", "--slow", "0"]) in (0, 1)
    out = capsys.readouterr().out
    assert "first calls: median 0" in out and "1 above 0 s [nests-4 " in out


def test_stored_arrays_of_lists_are_no_copies_when_disturbed() -> None:
    text = "def compute(a, e):\n    rows = [0]\n    rows[0] = a\n    a[0] = 7\n    return rows\n"
    assert observe(disturbed(text, SPEC, 0), arguments()).result[0][0] == 7


def test_variables_become_attributes() -> None:
    text = """
def compute(a, k):
    kept = lambda k: k + a
    for i, x in enumerate(a):
        k += sum(x * i for x in [i])
        del i
    return k, kept(1)
"""
    made = with_attributes(Program("p", text, {})).text
    for line in (
        "box.kept = lambda k: k + box.a",
        "for box.i, box.x in enumerate(box.a):",
        "box.k += sum((x * box.i for x in [box.i]))",
        "return (box.k, box.kept(1))",
    ):
        assert line in made
    called = with_attributes(Program("p", text, {}), as_argument=True).text
    names: dict[str, Any] = {}
    exec(called, names)
    result, attributes = names["compute"](np.ones(2), 1)
    assert result[0] == attributes["k"] == 2.0
