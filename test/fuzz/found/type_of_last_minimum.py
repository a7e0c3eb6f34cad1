def compute(a, k, p):
    s = 0.5
    for i in range(len(a)):
        s = min(i, k[-1])
    for x in a:
        if x <= p:
            return min(k[0], len(a)), s
    t = x
    return t, s


SPEC = {
    "arguments": [["a", "float64", ["n"], ""], ["k", "int64", ["n"], ""], ["p", "int", [], ""]],
    "calls": [
        {"n": 7, "m": 7, "seed": 1, "layouts": ["C", "C", "C"], "special": False},
        {"n": 7, "m": 7, "seed": 2, "layouts": ["C", "C", "C"], "special": False},
        {"n": 7, "m": 7, "seed": 3, "layouts": ["C", "C", "C"], "special": False},
    ],
    "dynamic": None,
}
