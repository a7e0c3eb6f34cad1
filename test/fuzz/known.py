"""What still goes wrong: outcomes by seed and by kept program. The lists only get shorter.

Each name has the outcomes that it may have; a program that is mended fails its test until it is
taken off. "pass" stands beside another where the processor decides.
"""

# At most so many of a chunk of seeds are refused.
MOST_REFUSED = 0.12

SEEDS: dict[str, tuple[str, ...]] = {
    "mixed-69": ("internal",),
}

FOUND: dict[str, tuple[str, ...]] = {
    "which_index_is_out_of_bounds": ("exception",),
    "writes_through_cut_view": ("refused",),
    "writes_through_flipped_view": ("refused",),
}
