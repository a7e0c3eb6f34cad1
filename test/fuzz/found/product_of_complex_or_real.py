# A number that is complex or an integer, times infinity.
import numpy as np

def compute(a, b, p):
    b[:] = a[0] * (b[0, 0] if a <= 3 else p)


SPEC = {'arguments': [['a', 'float64', ['n'], ''],
               ['b', 'complex64', ['n', 'n'], ''],
               ['p', 'int', [], '']],
 'calls': [{'n': 1, 'm': 1, 'seed': 969294, 'layouts': ['C', 'C', 'C'], 'special': True}],
 'dynamic': None}
