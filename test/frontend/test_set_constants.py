"""A function whose code has a set among its constants, which have no order in memory."""

import types

import numpy as np

import quernel as qn


def known(x, k):
    for _ in range(k):
        if k in {0, 8, 16, 24}:
            x = x * 2
        x = x + 1
    return x


def test_the_order_of_a_set_says_nothing_of_the_source():
    code = known.__code__
    place = next(i for i, constant in enumerate(code.co_consts) if type(constant) is frozenset)
    turned = frozenset([24, 16, 8, 0])
    assert turned == code.co_consts[place]
    assert repr(turned) != repr(code.co_consts[place])
    constants = (*code.co_consts[:place], turned, *code.co_consts[place + 1 :])
    other = types.FunctionType(code.replace(co_consts=constants), globals(), "known")
    compiled = qn.compile(other, fullgraph=True)
    for k in (3, 8):
        np.testing.assert_array_equal(compiled(np.ones(3), k), known(np.ones(3), k))
