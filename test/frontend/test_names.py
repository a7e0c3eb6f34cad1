"""Variables, parameters and functions may be called whatever Python allows."""

import keyword
import linecache
import re
from pathlib import Path

import numpy as np
import pytest

import quernel as qn

PRELUDES = Path(__file__).parents[2] / "compiler" / "Emit" / "Preludes"
NUMBERED = "f64x8 i64x4 u8x32"
OPERATORS = "xor and_ bitor compl not_eq"
TYPES = "int32_t uint8_t uintptr_t size_t double static wchar_t char8_t nullptr false template"
MACROS = "NULL INFINITY NAN M_PI errno assert offsetof linux unix i386 EOF I stdin"
LIBRARY = "main malloc free memcpy exp sin abs y1 j0 gamma index div printf exit hypot fma"
PROGRAM = """
def {name}(x):
    return np.sin(x) + np.exp(x[::2]).sum()

def parameter({name}):
    return np.exp({name} * 2), np.floor({name} // 2)

def variable(x):
    {name} = np.sin(x[::2])
    for k in range(3):
        {name} = {name} + np.sqrt(np.abs(x[k])) // 1
    y = np.exp({name}) * {name}.sum()
    return y, np.cumsum({name})
"""


def defined() -> set[str]:
    """The words of the preludes outside of comments."""
    words: set[str] = set()
    for file in PRELUDES.glob("*.h"):
        words |= set(re.findall(r"\b[A-Za-z]\w*", re.sub(r"//.*", "", file.read_text())))
    return words


def usable(words: set[str]) -> list[str]:
    return sorted(word for word in words if not keyword.iskeyword(word) and word not in ("x", "np"))


GIVEN = usable({*" ".join([NUMBERED, OPERATORS, TYPES, MACROS, LIBRARY]).split()})
OURS = [word for word in usable(defined()) if word not in GIVEN]
PARTS = [GIVEN, *(OURS[k : k + 25] for k in range(0, len(OURS), 25))]


@pytest.mark.parametrize("words", PARTS, ids=lambda words: f"{words[0]}-{words[-1]}")
def test_any_name_compiles(words):
    x = np.arange(6.0)
    for name in words:
        text = PROGRAM.format(name=name)
        file = f"<named {name}>"
        linecache.cache[file] = (len(text), None, text.splitlines(True), file)
        made = {"np": np}
        exec(compile(text, file, "exec"), made)
        for function in (made[name], made["parameter"], made["variable"]):
            given = qn.compile(function, fullgraph=True)(x)
            np.testing.assert_allclose(np.hstack(given), np.hstack(function(x)), rtol=1e-12)
