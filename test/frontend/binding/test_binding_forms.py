"""Malformed guards, outputs and results are refused with what is wrong."""

import numpy as np
import pytest
from binding_support import array, sym
from quernel._runtime import Specialization


def max_of(x, axis=0):
    return x.max(axis)


@pytest.mark.parametrize(
    ("guard", "error", "text"),
    [
        (3, TypeError, "parameters[0]: expected a tuple or a list, not int"),
        ((), ValueError, "parameters[0]: an empty tuple"),
        ((3,), TypeError, "parameters[0]: the kind must be a str, not int"),
        (("set", []), ValueError, "no guard is of the kind 'set'"),
        (("named", "Pair", []), TypeError, "the class of a named tuple must be a class of tuples"),
        (("named", dict, []), TypeError, "the class of a named tuple must be a class of tuples"),
        (("array", 0), ValueError, 'expected ("array", input, dtype, shape, layout, written)'),
        (array("x", (3,)), TypeError, "an input's number must be an int, not str"),
        (array(-1, (3,)), ValueError, "an input's number is out of range: -1"),
        (array(2**80, (3,)), ValueError, "an input's number is out of range"),
        (array(1, (3,)), ValueError, "no guard declares input 0"),
        (array(0, (3,), "float128"), ValueError, "programs have no dtype 'float128'"),
        (array(0, (3,), 5), TypeError, "a dtype must be a str, not int"),
        (array(0, 3), TypeError, "parameters[0].shape: expected a tuple or a list, not int"),
        (array(0, (-3,)), ValueError, "a dimension is out of range: -3"),
        (array(0, ("n",)), TypeError, "a dimension must be an int, not str"),
        (array(0, (True,)), TypeError, "a dimension must be an int, not bool"),
        (array(0, (("sym",),)), ValueError, 'expected ("sym", number, least size), got 1'),
        (array(0, (("dim", 0, 2),)), ValueError, 'a dimension is an int or ("sym", number, least'),
        (array(0, (sym(2),)), ValueError, "a symbol's number is out of range: 2"),
        (array(0, (1,) * 65), ValueError, "at most 64 dimensions"),
        (
            array(0, (3,), layout="F"),
            ValueError,
            'a layout is "C", "strided", ("dense", axes), ("nested", axes) or ',
        ),
        (
            array(0, (3,), layout=("dense",)),
            ValueError,
            "(\"strides\", axes, strides), not 'dense'",
        ),
        (array(0, (3,), layout=()), ValueError, "parameters[0].layout: a layout is"),
        (
            array(0, (3,), layout=("dense", (0, 1))),
            ValueError,
            "there is one axis for each dimension",
        ),
        (array(0, (3, 3), layout=("dense", (1, 1))), ValueError, "axis 1 is there twice"),
        (array(0, (3,), layout=("nested", (1,))), ValueError, "an axis is out of range: 1"),
        (array(0, (3,), written=1), TypeError, "written must be a bool, not int"),
        ((*array(0, (3,)), 4), TypeError, "parameters[0].flags: expected a tuple or a list"),
        ((*array(0, (3,)), (4,)), ValueError, "flags: expected a mask and the bits"),
        ((*array(0, (3,)), (-4, 0)), ValueError, "a mask of flags is out of range: -4"),
        (("scalar", 0), ValueError, 'expected ("scalar", input, kind)'),
        (("scalar", 0, "np.float128"), ValueError, "programs have no dtype 'float128'"),
        (("value",), ValueError, 'expected ("value", object)'),
        (("value", np.zeros(3)), ValueError, "isn't equal to itself"),
        (("is", 1, 2), ValueError, 'expected ("is", object)'),
        (("tuple", 3), TypeError, "parameters[0]: expected a tuple or a list"),
        (("list", [("value", 1), 3]), TypeError, "parameters[0][1]: expected a tuple or a list"),
        (("dict", ["a"]), ValueError, 'expected ("dict", keys, guards)'),
        (("dict", ["a"], []), ValueError, "1 keys for 0 guards"),
        (("dict", [[]], [("value", 1)]), TypeError, "unhashable"),
        (("dict", ["a"], [("value", 1)], 1), TypeError, "ordered must be a bool, not int"),
        (("entries", []), ValueError, 'expected ("entries", absent keys, keys, guards)'),
        (("entries", [], ["a"], []), ValueError, "1 keys for 0 guards"),
        (("entries", [[]], [], []), TypeError, "unhashable"),
        (("numbered", 0), ValueError, 'expected ("numbered", number, guard)'),
        (("numbered", 0, None), ValueError, "an object's number is out of range: 0"),
        (("numbered", 1, ("list", None)), ValueError, "an object's number is out of range: 1"),
        (
            ("object", 0),
            ValueError,
            'expected ("object", number, class, ',
        ),
        (("object", 1, dict, [], [], []), ValueError, "an object's number is out of range: 1"),
        (("object", 0, dict, None, [], []), ValueError, "an object's number is out of range: 0"),
        (("object", 0, 3, [], [], []), TypeError, "the class of an object must be a class"),
        (("object", 0, dict, [3], [], []), TypeError, "an attribute's name must be a str, not int"),
        (("object", 0, dict, [], ["a"], []), ValueError, "1 names for 0 guards"),
        (("object", 0, dict, [], ["a"], [3]), TypeError, "parameters[0].a: expected a tuple"),
        (("function",), ValueError, 'expected ("function", number, how, function, guards)'),
        (("function", 0, "code", len, []), TypeError, "expected a function, not builtin_function"),
        (
            ("function", 0, "so", max_of, []),
            ValueError,
            "a function is known in no such way as 'so'",
        ),
        (("function", 0, "again", max_of, []), ValueError, "an object's number is out of range: 0"),
        (("function", 1, "is", max_of, []), ValueError, "an object's number is out of range: 1"),
        (("function", 0, "code", max_of, []), ValueError, "0 guards for the 1 parts of a function"),
        (("parts", dict), ValueError, 'expected ("parts", class, names, guards)'),
        (("parts", 3, [], []), TypeError, "the class of an object must be a class"),
        (("parts", dict, ["a"], []), ValueError, "1 names for 0 guards"),
        (("parts", dict, ["get"], [("value", 1)]), ValueError, "get isn't in a slot"),
        (("tuple", [array(0, ()), ("scalar", 0, "int")]), ValueError, "input 0 is declared twice"),
    ],
)
def test_malformed_guards(make, guard, error, text):
    with pytest.raises(error) as raised:
        make("nothing", [guard])
    assert text in str(raised.value)


def view_of_output(views, names=None):
    """The details of a program that gives a view of its first output."""
    tree = ("view", ("output", 0), views, {} if names is None else names)
    return {"result": tree, "outputs": [("bool", (3,)), ("int32", ())]}


@pytest.mark.parametrize(
    ("details", "error", "text"),
    [
        ({"nargs": "1"}, TypeError, "nargs: the number must be an int, not str"),
        ({"nargs": -1}, ValueError, "nargs: the number is out of range: -1"),
        ({"nargs": 2}, ValueError, "parameters: 1 guards for 2 arguments"),
        ({"symbols": 1}, ValueError, "no array has a dimension with symbol 0"),
        ({"symbols": -1}, ValueError, "symbols: the number is out of range"),
        ({"threads": -1}, ValueError, "threads: the number is out of range"),
        ({"threads": None}, TypeError, "threads: the number must be an int"),
        ({"kwnames": 3, "nargs": 0}, TypeError, "kwnames: expected a tuple or a list"),
        ({"kwnames": (3,), "nargs": 0}, TypeError, "kwnames[0]: a name must be a str, not int"),
        (
            {"extras": [({}, "k")]},
            ValueError,
            "extras[0]: expected (namespace, class or cell, ",
        ),
        (
            {"extras": [(3, "k", ("value", 1))]},
            TypeError,
            "expected a dict, a class or a cell, not int",
        ),
        ({"extras": [({}, [], ("value", 1))]}, TypeError, "unhashable"),
        ({"extras": [({}, "k", ("x",))]}, ValueError, "extras[0]: no guard is of the kind 'x'"),
        ({"outputs": 3}, TypeError, "outputs: expected a tuple or a list"),
        ({"outputs": [("float64",)]}, ValueError, "outputs[0]: expected (dtype, shape)"),
        ({"outputs": [("bool", (3,), (0, 1))]}, ValueError, "there is one axis for each dimension"),
        ({"outputs": [("bool", (3, 3), (0, 0))]}, ValueError, "axis 0 is there twice"),
        ({"outputs": [("text", ())]}, ValueError, "outputs[0]: programs have no dtype 'text'"),
        ({"outputs": [("bool", None)]}, ValueError, "its dynamic dimensions are None"),
        ({"outputs": [("bool", (-1,))]}, ValueError, "a dimension is out of range: -1"),
        ({"outputs": [("bool", (0,) * 65)]}, ValueError, "at most 64 dimensions"),
        ({"outputs": [("bool", (None,))]}, ValueError, "the program has no function of shapes"),
        ({"result": ("output", 0)}, ValueError, "an output's number is out of range: 0"),
        ({"result": ("output",)}, ValueError, "result: expected (kind, number)"),
        ({"result": ("input", 1)}, ValueError, "an input's number is out of range: 1"),
        ({"result": ("input", 0)}, ValueError, "result: input 0 isn't an array"),
        ({"result": ("view", 0)}, ValueError, 'expected ("view", result, views, names)'),
        ({"result": ("named", "Fit", ("tuple", []))}, TypeError, "must be a class"),
        ({"result": ("named", tuple)}, ValueError, 'expected ("named", class, result)'),
        ({"result": ("numbers", ("const", 1), "python")}, ValueError, "not of 'const'"),
        ({"result": ("numbers", ("const", 1))}, ValueError, '"python" or "numpy"'),
        (
            {"result": ("view", ("const", 1), [], {})},
            ValueError,
            "views of inputs and outputs, not of 'const'",
        ),
        ({"result": ("view", ("input", 0), [], {})}, ValueError, "input 0 isn't an array"),
        (view_of_output([], names=3), TypeError, "the names of a view must be a dict"),
        (view_of_output([("turn",)]), ValueError, "no view is of the kind 'turn'"),
        (view_of_output([("slice", [0])]), ValueError, "'slice' takes 3 lists, not 1"),
        (view_of_output([("axes", ["s0"])]), ValueError, "nothing is called 's0'"),
        (view_of_output([("axes", [1.5])]), TypeError, "a size must be an int, not float"),
        *(
            (view_of_output([("axes", [text])]), ValueError, f"'{text}' is no size")
            for text in ("", "s", "1 +", "1 2", "(1", "x", "9" * 19, "(" * 40, "1 + (" * 33)
        ),
        (view_of_output([("axes", ["s0"])], {"s0": ("symbol", 0)}), ValueError, "out of range: 0"),
        (view_of_output([("axes", ["s0"])], {"s0": ("input", 0)}), ValueError, "kind 'input'"),
        (
            view_of_output([("axes", ["s0"])], {"s0": ("output", 1)}),
            ValueError,
            "output 1 isn't one int64, so it's no count",
        ),
        (
            {"result": ("either", 0, ("const", 1))},
            ValueError,
            'expected ("either", number of the condition, result, result)',
        ),
        (
            {"result": ("either", 0, ("const", 1), ("const", 2)), "outputs": [("int64", ())]},
            ValueError,
            "output 0 isn't one bool, so it's no condition",
        ),
        (
            {"result": ("either", 0, ("const", 1), ("x",)), "outputs": [("bool", ())]},
            ValueError,
            "result[1]: no result is of the kind 'x'",
        ),
        ({"result": ("ref", 0)}, ValueError, "a definition's number is out of range: 0"),
        ({"result": ("let", [("ref", 0)], ("const", 1))}, ValueError, "out of range: 0"),
        ({"result": ("let", ("const", 1))}, ValueError, 'expected ("let", definitions, result)'),
        ({"result": ("instance", 0)}, ValueError, "an object's number is out of range: 0"),
        ({"result": ("instance",)}, ValueError, 'expected ("instance", number)'),
        ({"result": ("object", dict)}, ValueError, 'expected ("object", class, places, results)'),
        ({"result": ("object", 3, [], [])}, TypeError, "the class of an object must be a class"),
        ({"result": ("object", dict, [()], [])}, ValueError, "places[0]: expected (name), got 0"),
        ({"result": ("object", dict, [(3,)], [])}, TypeError, "an attribute's name must be a str"),
        ({"result": ("object", dict, [("a",)], [])}, ValueError, "1 places for 0 results"),
        (
            {"result": ("object", dict, [("a", 0)], [("const", 1)]), "outputs": [("int64", ())]},
            ValueError,
            "output 0 isn't one bool, so it's no condition",
        ),
        ({"result": ("assign", 1)}, ValueError, 'expected ("assign", result, places, results)'),
        (
            {"result": ("assign", ("const", 1), [(0,)], [])},
            ValueError,
            "places[0]: expected (number or class, name), got 1 items",
        ),
        (
            {"result": ("assign", ("const", 1), [(0, "a")], [])},
            ValueError,
            "an object's number is out of range: 0",
        ),
        *(
            ({"result": ("assign", ("const", 1), [place], [])}, ValueError, text)
            for place, text in (
                (("items", 0), 'places[0]: expected ("items", number, low, high), got 2'),
                (("keys", 0), 'places[0]: expected ("keys", number, gone, keys), got 2'),
                (("keys", 0, [], []), "an object's number is out of range: 0"),
                (("parts", 0, [], []), "nothing is assigned to the 'parts' of an object"),
            )
        ),
        ({"result": ("const",)}, ValueError, 'expected ("const", object)'),
        ({"result": ("tuple", [("x",)])}, ValueError, "result[0]: no result is of the kind 'x'"),
        ({"result": ("list",)}, ValueError, "result: expected (kind, results)"),
        ({"result": ("dict", [1], [])}, ValueError, "1 keys for 0 results"),
        ({"result": ("dict", [[]], [("const", 1)])}, TypeError, "unhashable"),
        ({"result": None}, TypeError, "result: expected a tuple or a list, not NoneType"),
        (
            {"result": ("scalar", 0), "outputs": [("bool", (1,))]},
            ValueError,
            "output 0 has dimensions, so it's no scalar",
        ),
        (
            {"result": ("tuple", [("scalar", 0), ("output", 0)]), "outputs": [("bool", ())]},
            ValueError,
            "output 0 is both a scalar and an array",
        ),
        (
            {"result": ("handed", 0, "bool", [3])},
            ValueError,
            'expected ("handed", number of the address, dtype, sizes, axes)',
        ),
        (
            {"result": ("handed", 0, "bool", [3], [0]), "outputs": [("int64", (1,))]},
            ValueError,
            "output 0 isn't one int64, so it's no address",
        ),
        (
            {"result": ("handed", 0, "str", [3], [0]), "outputs": [("int64", ())]},
            ValueError,
            "str",
        ),
        (
            {"result": ("handed", 0, "bool", [], []), "outputs": [("int64", ())]},
            ValueError,
            "such an array has 1 to",
        ),
        ({"result": ("zipped",)}, ValueError, 'expected ("zipped", lists)'),
        (
            {"result": ("zipped", [("const", [1])])},
            ValueError,
            "lists of numbers are zipped, not those of 'const'",
        ),
        ({"result": ("prefix", 0)}, ValueError, 'expected ("prefix", number, number of the count)'),
        (
            {"result": ("prefix", 0, 1), "outputs": [("bool", (3,)), ("int32", ())]},
            ValueError,
            "output 1 isn't one int64, so it's no count",
        ),
        (
            {"result": ("prefix", 0, 1), "outputs": [("bool", (3,)), ("int64", (1,))]},
            ValueError,
            "output 1 isn't one int64, so it's no count",
        ),
        (
            {"result": ("prefix", 0, 1), "outputs": [("int64", ()), ("int64", ())]},
            ValueError,
            "output 0 has no dimensions",
        ),
        (
            {"result": ("prefix", 0, 2), "outputs": [("bool", (3,)), ("int64", ())]},
            ValueError,
            "an output's number is out of range: 2",
        ),
        (
            {
                "result": ("list", [("prefix", 0, 1), ("output", 0)]),
                "outputs": [("bool", (3,)), ("int64", ())],
            },
            ValueError,
            "output 0 is both cut to output 1 and an array",
        ),
        (
            {
                "result": ("list", [("prefix", 0, 1), ("scalar", 1)]),
                "outputs": [("bool", (3,)), ("int64", ())],
            },
            ValueError,
            "output 1 is both a count and a scalar",
        ),
        (
            {
                "result": ("list", [("prefix", 0, 1), ("prefix", 0, 2)]),
                "outputs": [("bool", (3,)), ("int64", ()), ("int64", ())],
            },
            ValueError,
            "output 0 is both cut to output 1 and cut to output 2",
        ),
    ],
)
def test_malformed_specializations(make, details, error, text):
    with pytest.raises(error) as raised:
        make("nothing", [("scalar", 0, "int")], **details)
    assert text in str(raised.value)


def test_specialization_of_no_program():
    with pytest.raises(TypeError, match="program: expected a Program, not str"):
        Specialization("p", nargs=0, parameters=[], symbols=0, outputs=[], result=("const", 0))
