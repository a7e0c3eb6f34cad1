"""Short forms of guards, and callables, for the tests of the `_runtime` module."""

from quernel._runtime import Function


def sym(number, least=2):
    """The dimension of a symbol."""
    return ("sym", number, least)


def array(index, shape, dtype="float64", layout="C", written=False):
    """The guard of an array."""
    return ("array", index, dtype, shape, layout, written)


def no_match(args, kwargs):
    """Answer a call that no specialization fits."""
    return ("miss", args, kwargs)


def function(*specializations):
    """A callable that tries the last of these first."""
    made = Function(lambda: None, no_match)
    for specialization in specializations:
        made.add(specialization)
    return made
