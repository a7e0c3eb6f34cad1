"""`python -m compatibility.table`, in test/, writes docs/coverage.md."""

from __future__ import annotations

import os
import tempfile
import warnings
from collections import Counter
from pathlib import Path

from .cases import CASES, SCIPY, Case
from .judge import Verdict, judge

DOCUMENT = Path(__file__).parents[2] / "docs" / "coverage.md"
HEAD = """# What is compiled of NumPy

This table is written by `python -m compatibility.table` in `test/`, which calls each function and
compares what it gives, in values, dtypes, shapes, memory and exceptions, with NumPy;
`test/compatibility` has the calls, and fails where a line isn't true any more. A function's class
says what its call becomes, as seen in the program:

- **fused**: loops of our own, fused with what stands beside them;
- **library**: a call of BLAS, LAPACK, a transform, a sort or SciPy's loops, with the kernels around
  it;
- **composed**: Python source, NumPy's own or ours for SciPy's, captured;
- **known**: an answer while the function is captured (a size, a dtype, a view): no code at all;
- **NumPy**: not compiled: NumPy, or SciPy, computes it, and the function around it is split there,
  or refused with `fullgraph=True`.

Each is called with bool, uint8, int32, int64, float16, float32, float64, complex64 and complex128
arrays where it takes arrays of any dtype. "not for" has the dtypes, of those that NumPy takes, for
which not every call is compiled.
"""


def row(case: Case, verdict: Verdict) -> str:
    """A function's line of the table."""
    missing = [dtype for dtype in verdict.taken if dtype not in verdict.compiled]
    notes = [
        f"{dtype}: {_short(reason)}" if dtype and verdict.compiled else _short(reason)
        for reason, dtype in list(verdict.refused.items())[:2]
    ]
    return f"| `{case.name}` | {verdict.kind} | {', '.join(missing)} | {'; '.join(notes)} |"


def _short(reason: str) -> str:
    text = " ".join(reason.split()).replace("|", "\\|")
    return text if len(text) <= 140 else text[:139] + "…"


def rows(text: str) -> dict[str, str]:
    """The lines of a table by the function that they are about."""
    lines = [line for line in text.splitlines() if line.startswith("| `")]
    return {line.split("`")[1]: line for line in lines}


def document(found: dict[Case, Verdict]) -> str:
    """The whole text."""
    parts = [HEAD]
    groups = {
        "Ufuncs and functions": "np.",
        "`np.linalg`": "np.linalg.",
        "`np.fft`": "np.fft.",
        "Methods and attributes of arrays": "ndarray.",
        **{f"Of `{module}`": f"{module}." for module in SCIPY},
    }
    for title, prefix in groups.items():
        own = {case: v for case, v in found.items() if case.name.rpartition(".")[0] == prefix[:-1]}
        counts = Counter(verdict.kind for verdict in own.values())
        kinds = ("fused", "library", "composed", "known", "NumPy")
        told = ", ".join(f"{counts[kind]} {kind}" for kind in kinds if counts[kind])
        parts.append(f"## {title}\n\n{len(own)}: {told}.\n")
        lines = [row(case, verdict) for case, verdict in own.items()]
        head = "| function | class | not for | why |\n| --- | --- | --- | --- |\n"
        parts.append(head + "\n".join(lines) + "\n")
    return "\n".join(parts)


def main() -> None:
    """Write the document."""
    found = {}
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        os.environ["QUERNEL_CACHE_DIR"] = str(Path(folder) / "cache")
        for case in CASES:
            found[case] = judge(case, Path(folder))
    DOCUMENT.write_text(document(found))


if __name__ == "__main__":
    main()
