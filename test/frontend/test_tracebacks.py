"""Errors of the user's program look as they do in NumPy."""

import traceback

import numpy as np
import pytest

import quernel as qn


def shapes(a, b):
    return a + b


def axis(a, b):
    return a.sum(axis=2)


def name(a, b):
    return a + undefined  # noqa: F821


def index(a, b):
    return a[7]


def too_many_indices(a, b):
    return a[0, 0, 0]


def reshaped(a, b):
    return a.reshape(7, 3)


def joined(a, b):
    return np.concatenate((a, b), axis=1)


def joined_along_nothing(a, b):
    return np.concatenate((a, b), axis=5)


def summed(a, b):
    return np.einsum("ij,jk", a, b) + np.einsum("ii", a)


def cast_in_place(a, b):
    c = np.arange(3)
    c += 1.5
    return c


def product(a, b):
    return a @ b


def attribute(a, b):
    return a.foo()


def keyword(a, b):
    return np.sum(a, axes=1)


def text(a, b):
    return a + "x"


def assigned(a, b):
    c = a.copy()
    c[0] = b
    return c


def unpacked(a, b):
    x, y = a
    return x + y


def stacked(a, b):
    return np.stack((a, b))


def truth(a, b):
    if a:
        return b
    return a


def broadcast(a, b):
    return np.broadcast_to(a, (2, 2))


def unbound(a, b):
    if len(a) > 100:
        q = 1
    return a + q


def inner(a, b):
    def twice(x):
        return x @ b.T @ x

    return twice(a)


def of_nothing(a, b):
    return np.argmax(a[:0])


def turned(x):
    return x.transpose(0, 1, 2)


def in_a_helper(a, b):
    return turned(a) + 1


def refused_and_wrong(a, b):
    print(end="")
    return a + b


MISTAKES = [
    shapes,
    axis,
    name,
    index,
    too_many_indices,
    reshaped,
    joined,
    joined_along_nothing,
    summed,
    cast_in_place,
    product,
    attribute,
    keyword,
    text,
    assigned,
    unpacked,
    stacked,
    truth,
    broadcast,
    unbound,
    inner,
    of_nothing,
    in_a_helper,
]


def raised(function):
    """The exception of a call, with its frames below this one."""
    try:
        function(np.arange(12.0).reshape(3, 4), np.arange(10.0).reshape(5, 2))
    except Exception as error:
        return error, traceback.extract_tb(error.__traceback__)[1:]
    raise AssertionError("nothing was raised")


@pytest.mark.parametrize("function", MISTAKES, ids=lambda f: f.__name__)
def test_a_mistake_looks_as_in_numpy(function):
    compiled = qn.compile(function)
    for _ in range(2):
        ours, our_frames = raised(compiled)
        theirs, their_frames = raised(function)
        assert type(ours) is type(theirs)
        assert str(ours) == str(theirs)
        assert our_frames == their_frames
        assert ours.__context__ is None or ours.__suppress_context__
        assert len(traceback.format_exception(ours)) <= len(traceback.format_exception(theirs))


@pytest.mark.filterwarnings("ignore::quernel.FallbackWarning")
def test_a_mistake_beside_a_refusal():
    ours, frames = raised(qn.compile(refused_and_wrong))
    theirs, _ = raised(refused_and_wrong)
    assert type(ours) is type(theirs)
    assert str(ours) == str(theirs)
    assert ours.__context__ is None
    assert {frame.filename for frame in frames} == {__file__}


def test_a_refusal_has_no_frames_of_the_package():
    with pytest.raises(qn.errors.UnsupportedError) as caught:
        qn.compile(refused_and_wrong, fullgraph=True)(np.ones(2), np.ones(2))
    assert [entry.path.name for entry in caught.traceback] == ["test_tracebacks.py"]
    assert caught.value.__suppress_context__


@pytest.mark.parametrize("name", ["inv", "cholesky", "solve"])
def test_errors_of_linear_algebra_end_at_the_users_line(name):
    def function(x):
        y = np.linalg.inv(x + np.eye(2))
        if name == "solve":
            return np.linalg.solve(x, y)
        return getattr(np.linalg, name)(x)

    x = -np.ones((2, 2)) * 2
    x[0, 0] = x[1, 1] = -2.0
    frames = []
    for called in (function, qn.compile(function, fullgraph=True)):
        with pytest.raises(np.linalg.LinAlgError) as raised:
            called(x)
        own = [entry.lineno for entry in raised.traceback if str(entry.path) == __file__]
        frames.append((str(raised.value), own[-1]))
    assert frames[0] == frames[1]


def entry_of(x, i):
    return x[i]


def row_of(x, i):
    doubled = x * 2
    return entry_of(doubled, i)[0]


def inverse_of(x):
    return np.linalg.inv(x)


def positive(x):
    if x[0, 0] < 4:
        raise ValueError("too small")
    return x


IN_HELPERS = {
    "index": lambda x, i: row_of(x, i) + 1,
    "loop": lambda x, i: sum(row_of(x, k) for k in range(i)),
    "two calls": lambda x, i: row_of(x, 0) + row_of(x, i),
    "linear algebra": lambda x, i: inverse_of(x * 0.0)[0],
    "raise": lambda x, i: positive(x)[i],
}


@pytest.mark.parametrize("dynamic", [None, True])
@pytest.mark.parametrize("name", IN_HELPERS)
def test_the_frames_of_callers(name, dynamic):
    def frames(called):
        try:
            called(np.ones((3, 3)), 7)
        except (IndexError, ValueError) as error:  # a LinAlgError is a ValueError
            shown = traceback.extract_tb(error.__traceback__)[1:]
            own = [(f.name, f.lineno, f.line) for f in shown if f.filename == __file__]
            return type(error), str(error), own
        raise AssertionError("nothing was raised")

    compiled = qn.compile(IN_HELPERS[name], dynamic=dynamic)
    for _ in range(2):
        ours, theirs = frames(compiled), frames(IN_HELPERS[name])
        if name != "loop":
            assert ours == theirs
        else:  # Python 3.11 and older have a frame for the generator, too
            assert ours[:2] == theirs[:2]
            assert [frame for frame in theirs[2] if frame in ours[2]] == ours[2]
            assert ours[2][-1] == theirs[2][-1]


def test_frames_in_other_files(tmp_path, monkeypatch):
    helper = tmp_path / "quernel_frames_helper.py"
    helper.write_text("def entry(x, i):\n    return x[i]\n")
    monkeypatch.syspath_prepend(tmp_path)
    import quernel_frames_helper

    user = tmp_path / "quernel_frames_user.py"
    user.write_text(
        "import quernel_frames_helper\n"
        "def of_module(x, i):\n    return quernel_frames_helper.entry(x, i) + 1\n"
        "from quernel_frames_helper import entry\n"
        "def of_name(x, i):\n    return entry(x, i) + 1\n"
    )
    import quernel_frames_user

    for function in (quernel_frames_user.of_module, quernel_frames_user.of_name):
        compiled = qn.compile(function, dynamic=True, fullgraph=True)
        with pytest.raises(IndexError) as ours:
            compiled(np.ones(3), 7)
        with pytest.raises(IndexError) as theirs:
            function(np.ones(3), 7)
        seen, wanted = (traceback.extract_tb(r.value.__traceback__)[1:] for r in (ours, theirs))
        assert seen == wanted
    assert quernel_frames_helper.__file__ == seen[-1].filename
