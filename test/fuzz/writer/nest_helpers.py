"""Helpers and classes of programs of nested loops, with holes as `nests` fills them.

`{L}` is a number, `{S}` a comparison, `{K}` a small integer. Each says how it is called: `{v}` is
an array, `{x}` a number, `{i}` a small integer; what it gives back is of the kind beside.
"""

# Name: the text, the call, the kind of its result (none for a statement).
HELPERS: dict[str, tuple[str, str, str | None]] = {
    "first_above": (
        """
def first_above(v, least={L}):
    for i, x in enumerate(v):
        if x {S} least:
            return x
    return None
""",
        "first_above({v})",
        "maybe",
    ),
    "place_of": (
        """
def place_of(v, x, *, start=0):
    k = start
    while k < len(v):
        if v[k] {S} x:
            return k
        k += 1
    return -1
""",
        "place_of({v}, {x}, start={i})",
        "count",
    ),
    "depth_of": (
        """
def depth_of(x, k={K}):
    if k <= 0 or x {S} {L}:
        return k
    return 1 + depth_of(x - 1, k - 1)
""",
        "depth_of({x})",
        "count",
    ),
    "halved": (
        """
def halved(v, k):
    if k == 0 or len(v) < 2:
        return v.sum()
    h = len(v) // 2
    return halved(v[:h], k - 1) - halved(v[h:], k - 1)
""",
        "halved({v}, {K})",
        "number",
    ),
    "bump": (
        """
def bump(v, by=1, skip=None):
    for i in range(len(v)):
        if i == skip:
            continue
        if v[i] {S} {L}:
            v[i] += by
            break
    else:
        by = 0
    return by
""",
        "bump({v}, {x}, skip={i})",
        "number",
    ),
    "checked": (
        """
def checked(x):
    if x {S} {L}:
        raise ValueError("too much")
    return x * 2
""",
        "checked({x})",
        "raises",
    ),
    "pair_of": (
        """
def pair_of(v, k=0):
    if v[k % len(v)] {S} {L}:
        return v, k
    return v * 2, k + 1
""",
        "pair_of({v}, {i})",
        "pair",
    ),
    "runs": (
        """
def runs(v):
    last = None
    for x in v:
        if last is not None and x {S} last:
            yield x - last
        last = x
""",
        "runs({v})",
        "generator",
    ),
    "counted": (
        """
def counted(v, limit={K}):
    k = 0
    while k < limit:
        yield k, v[k % len(v)]
        k += 1
""",
        "counted({v})",
        "paired",
    ),
}

CLASSES: dict[str, str] = {
    "Track": """
class Track:
    def __init__(self, state, total=0):
        self.state = state
        self.total = total
        self.best = None
        self.seen = []

    def add(self, x):
        self.total += x
        if self.best is None or x {S} self.best:
            self.best = x
        return self.total

    def step(self, k):
        if k % 2:
            self.state = self.state * 0.5
        else:
            self.state[0] += k
        return self

    def keep(self, x, most={K}):
        if len(self.seen) < most:
            self.seen.append(x)

    def swap(self, other):
        old, self.state = self.state, other
        return old
""",
}
