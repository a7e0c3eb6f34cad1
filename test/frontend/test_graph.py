"""The graph builder's own refusals of loops and branches that aren't well formed."""

from __future__ import annotations

import pytest

from quernel import _compiler

ONE = (1).to_bytes(8, "little")


@pytest.fixture
def graph():
    return _compiler.Graph("f")


def number(graph):
    return graph.constant(ONE, "int64", [])


def test_a_value_of_a_forgotten_loop_is_refused(graph):
    graph.begin_for(0, 3)
    inside = number(graph)
    graph.discard()
    for use in (
        lambda: graph.op("negative", [inside]),
        lambda: graph.symbol_of(inside, None, None, "n"),
        lambda: graph.finish([inside]),
    ):
        with pytest.raises(TypeError, match="a loop or branch that was forgotten"):
            use()


def test_operations_ahead_are_seen_by_what_follows(graph):
    graph.begin_for(0, 3)
    graph.begin_ahead()
    ahead = number(graph)
    with pytest.raises(TypeError, match="ahead of all loops and branches already"):
        graph.begin_ahead()
    graph.end_ahead()
    graph.discard()
    graph.finish([graph.op("negative", [ahead])[-1]])
    text = graph.text()
    assert text.index("dense<1>") < text.index("negative")


def test_a_scalar_becomes_a_number_where_nothing_is_computed_from_it(graph):
    used, unused = graph.scalar("used", "int64"), graph.scalar("unused", "int64")
    made = graph.op("negative", [used])[-1]
    assert not graph.fix_scalar(used, ONE)
    assert graph.fix_scalar(unused, ONE)
    for other in (made, number(graph)):
        with pytest.raises(TypeError, match="only a scalar argument can become a number"):
            graph.fix_scalar(other, ONE)
    graph.finish([made, graph.op("add", [unused, used])[-1]])
    assert '"unused"' not in graph.text()


def test_ends_need_beginnings(graph):
    with pytest.raises(TypeError, match="no operations are added ahead"):
        graph.end_ahead()
    for use in (
        graph.discard,
        graph.begin_else,
        graph.end_for,
        graph.end_if,
        lambda: graph.enter(number(graph)),
        lambda: graph.enter(number(graph), 1),
    ):
        with pytest.raises(TypeError, match="no such loop or branch is open"):
            use()


def test_a_loop_carries_what_was_entered_with_one_type(graph):
    outside = number(graph)
    graph.begin_for(0, 3)
    inside = graph.enter(outside)
    with pytest.raises(TypeError, match="only what was entered"):
        graph.end_for([(outside, inside)])
    wide = graph.op("cast", [inside], {"dtype": "float64"})[0]
    with pytest.raises(TypeError, match="changes its dtype from int64 to float64"):
        graph.end_for([(inside, wide)])
    longer = graph.op("full", [inside], {"shape": [2]})[0]
    with pytest.raises(_compiler.ShapeError, match="changes its shape"):
        graph.end_for([(inside, longer)])


def test_a_while_loop_needs_a_condition(graph):
    graph.begin_while()
    with pytest.raises(TypeError, match="the loop has no condition yet"):
        graph.end_while()
    with pytest.raises(TypeError, match="a condition must be a bool without axes"):
        graph.while_condition(number(graph))


def test_what_a_while_loop_enters_and_does_not_carry_is_seen_by_its_turns(graph):
    graph.begin_while()
    entered = graph.enter(number(graph))
    graph.while_condition(graph.op("equal", [entered, number(graph)])[0])
    first = graph.enter(number(graph))
    graph.op("add", [entered, first])
    graph.end_while([(first, graph.op("add", [first, entered])[0])])
    graph.finish([])


def test_a_value_enters_a_loop_around_the_innermost_one(graph):
    start = number(graph)
    graph.begin_for(0, 3)
    graph.begin_while()
    assert graph.depth == 2
    entered = graph.enter(start, 1)
    inside = graph.enter(entered)
    graph.while_condition(graph.op("less", [inside, number(graph)])[0])
    graph.end_while([(inside, graph.op("add", [inside, inside])[0])])
    graph.end_for([(entered, graph.op("add", [entered, entered])[0])])
    with pytest.raises(TypeError, match="no such loop or branch is open"):
        graph.enter(start, 1)
    graph.finish([])


def test_steps_symbols_and_messages(graph):
    with pytest.raises(TypeError, match="a loop needs a positive step"):
        graph.begin_for(0, 3, 0)
    real = graph.op("cast", [number(graph)], {"dtype": "float64"})[0]
    with pytest.raises(TypeError, match="a symbol must be an int64 without axes"):
        graph.symbol_of(real, None, None, "n")
    certain = graph.op("equal", [number(graph), number(graph)])[0]
    with pytest.raises(TypeError, match="a value in a message must be an int64 without axes"):
        graph.check(certain, "ValueError", "{0}", [real])


def test_an_open_loop_cannot_be_finished(graph):
    graph.begin_for(0, 3)
    with pytest.raises(TypeError, match="a loop or branch isn't ended"):
        graph.finish([])


def test_sizes_are_proven_from_bounds(graph):
    n = graph.symbol("n", 10)
    i = graph.begin_for(1, n)
    j = graph.begin_for(0, i)
    assert graph.nonnegative(n - i - 1)
    assert graph.nonnegative(i - j - 1)
    assert graph.nonnegative((n + 1) // 2 - 1)
    assert not graph.nonnegative(j - 1)
    assert not graph.nonnegative(n - i - 2)
