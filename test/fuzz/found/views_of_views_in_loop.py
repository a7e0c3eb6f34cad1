def compute(a, d):
    x = d
    y = d[:]
    for i in range(len(a)):
        d[1] = 0.25
        d = d[:]
        if a[i] > 1:
            x = x[...]
        y = y[:]
    return d, x, y


SPEC = {
    "arguments": [["a", "float64", ["n"], ""], ["d", "float64", ["n"], ""]],
    "calls": [
        {"n": 7, "m": 7, "seed": 1, "layouts": ["C", "C"], "special": False},
        {"n": 2, "m": 7, "seed": 2, "layouts": ["C", "C"], "special": False},
        {
            "n": 7,
            "m": 7,
            "seed": 3,
            "layouts": ["C", "C"],
            "special": False,
            "overlap": [["d", "a", "shifted"]],
        },
    ],
    "dynamic": None,
}
