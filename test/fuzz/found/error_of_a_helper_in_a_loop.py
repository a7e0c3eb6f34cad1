def first_above(x):
    for y in x:
        if y > least:  # noqa: F821
            return y


def compute(a, c):
    for i in range(0, len(a), 2):
        a[i] += 1
        first_above(c)
    return a


SPEC = {
    "arguments": [["a", "float64", ["n"], ""], ["c", "int64", ["n"], "index"]],
    "calls": [{"n": 3, "m": 7, "seed": 1, "layouts": ["C", "C"], "special": False}],
    "dynamic": None,
}
