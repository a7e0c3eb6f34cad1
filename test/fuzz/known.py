"""What still goes wrong: outcomes by seed and by kept program. The lists only get shorter.

Each name has the outcomes that it may have; a program that is mended fails its test until it is
taken off. "pass" stands beside another where the processor decides.
"""

# At most so many of a chunk of seeds are refused.
MOST_REFUSED = 0.04

SEEDS: dict[str, tuple[str, ...]] = {}

FOUND: dict[str, tuple[str, ...]] = {
    "writes_through_cut_view": ("refused",),
}
