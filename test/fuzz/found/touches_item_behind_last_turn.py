# The condition of a loop that may be left looked at an element behind the array's last one.
def compute(b, e):
    for x in e:
        if x < -1:
            break
        b[:] = b[-1, 3] / (b / 7)
        e[0] &= e[1]
    return e


SPEC = {
    "arguments": [["b", "float64", ["m", "n"], ""], ["e", "bool", ["n"], ""]],
    "calls": [
        {"n": 7, "m": 5, "seed": 773115, "layouts": ["C", "C"], "special": False},
        {"n": 5, "m": 2, "seed": 1, "layouts": ["C", "sliced"], "special": False},
        {"n": 0, "m": 1, "seed": 1, "layouts": ["C", "C"], "special": False},
    ],
    "dynamic": None,
}
