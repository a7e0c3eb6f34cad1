"""Programs of the cache are found by code, wherever it stands; errors name the lines of now."""

from __future__ import annotations

import traceback

import numpy as np
import pytest
from support import module_of

import quernel as qn

TEXT = """{above}import numpy as np
def helper(x, k):{inside}
    return x[int(k)]
{between}
def outer(x, k):
    y = x * 2
    return helper(y, k[0])
def loop(x, k):
    for i in range(3):{inside}
        x[i] = 1
        x[int(k[0]) + i] = 2
    return [x[int(v)] for v in k]
"""
MOVES = [
    ("first", "", "", ""),
    ("first", "", "\n\n", ""),
    ("first", "# one\n\n", "", "\n    # said"),
    ("second", "\n", "\n", "\n\n"),
]


def load(folder, name, above, between, inside):
    text = TEXT.format(above=above, between=between, inside=inside)
    return module_of(folder / f"{name}.py", text)


def raised(function):
    with pytest.raises(IndexError) as info:
        function(np.arange(5.0), np.array([7.0]))
    places = traceback.extract_tb(info.value.__traceback__)[1:]
    return str(info.value), [(frame.filename, frame.lineno, frame.name) for frame in places]


@pytest.mark.parametrize("name", ["outer", "loop"])
def test_errors_after_an_edit(tmp_path, monkeypatch, name):
    monkeypatch.setenv("QUERNEL_CACHE_DIR", str(tmp_path / "cache"))
    made = []
    for place in MOVES:
        function = getattr(load(tmp_path, *place), name)
        compiled = qn.compile(function)
        text, places = raised(function)
        got, mine = raised(compiled)
        assert (got, mine[-1]) == (text, places[-1])
        assert [frame for frame in mine if frame[0].startswith(str(tmp_path))] == mine
        made.append(compiled.stats()["compiles"])
    assert made == [1, 0, 0, 0]
