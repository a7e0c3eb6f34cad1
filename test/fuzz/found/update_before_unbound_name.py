def compute(a, d):
    if d[0] > -100:
        a /= 2
    else:
        a *= 2
        v = a
    return v


SPEC = {
    "arguments": [["a", "float64", ["n"], ""], ["d", "float64", ["n"], ""]],
    "calls": [{"n": 2, "m": 2, "seed": 1, "layouts": ["C", "C"], "special": False}],
    "dynamic": None,
}
