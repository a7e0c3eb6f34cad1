def compute(d, c):
    c[d >= 1] = 0
    if d[0] > -100:
        raise IndexError("x")


SPEC = {
    "arguments": [["d", "float64", ["n"], ""], ["c", "int64", ["n"], "index"]],
    "calls": [{"n": 3, "m": 3, "seed": 1, "layouts": ["C", "C"], "special": False}],
    "dynamic": None,
}
