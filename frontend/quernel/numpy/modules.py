"""Which module says what stands for which of NumPy's functions: it is loaded when one is used.

What `loader` loads in any case isn't listed.
"""

from __future__ import annotations

MODULES = {
    "accumulation": (
        "cumsum cumprod nancumsum nancumprod cumulative_sum cumulative_prod diff ediff1d trapezoid"
    ),
    "bits": "packbits unpackbits",
    "choosing": "choose select unravel_index ravel_multi_index",
    "complexes": "real imag angle iscomplex isreal",
    "contraction": "einsum",
    "conversion": "_core._multiarray_umath._array_converter",
    "decompositions": (
        "linalg.svd linalg.svdvals linalg.qr linalg.slogdet linalg.matrix_rank linalg.pinv "
        "linalg.lstsq polyfit"
    ),
    "diagonals": (
        "eye identity tri tril triu diagonal trace diag diagflat fill_diagonal diag_indices "
        "diag_indices_from tril_indices tril_indices_from triu_indices triu_indices_from vander"
    ),
    "element_iterators": "nditer",
    "eigenvalues": "linalg.eig linalg.eigvals",
    "grids": "fromfunction meshgrid indices ix_ mgrid ogrid r_ c_",
    "histograms": "histogram histogram_bin_edges histogramdd",
    "iteration": "ndindex ndenumerate",
    "joining": (
        "concatenate stack vstack hstack dstack column_stack append block split array_split "
        "vsplit hsplit dsplit"
    ),
    "linear_algebra": (
        "linalg.matmul linalg.outer linalg.cross linalg.diagonal linalg.trace linalg.solve "
        "linalg.inv linalg.cholesky linalg.eigh linalg.eigvalsh linalg.det linalg.matrix_power "
        "linalg.multi_dot linalg.tensorsolve"
    ),
    "logic": (
        "where clip isclose allclose nan_to_num array_equal array_equiv isneginf isposinf "
        "real_if_close iscomplexobj isrealobj"
    ),
    "mapping": "vectorize",
    "memory": "frombuffer shares_memory may_share_memory lib.stride_tricks.as_strided",
    "norms": "linalg.norm linalg.vector_norm linalg.matrix_norm",
    "products": "dot inner vdot linalg.vecdot outer tensordot linalg.tensordot kron cross",
    "reductions": (
        "sum prod max amax min amin any all nanmin nanmax ptp argmin argmax nansum nanprod"
    ),
    "repeating": "roll rot90 tile repeat resize delete insert",
    "requirements": "require asarray_chkfinite fromiter iterable isfortran",
    "rounding": "round around fix sinc copyto",
    "searching": "searchsorted digitize interp bincount isin",
    "selection": (
        "take take_along_axis put_along_axis put putmask place "
        "nonzero flatnonzero argwhere compress "
        "extract"
    ),
    "sequences": "arange linspace logspace geomspace",
    "sets": "unique union1d intersect1d setdiff1d",
    "shapes": (
        "reshape ravel permute_dims transpose swapaxes matrix_transpose moveaxis rollaxis "
        "expand_dims squeeze broadcast_to broadcast_arrays atleast_1d atleast_2d atleast_3d flip "
        "flipud fliplr shape ndim size isscalar result_type"
    ),
    "sorting": (
        "sort argsort partition argpartition lexsort median nanmedian quantile percentile "
        "nanquantile nanpercentile"
    ),
    "statistics": "mean var std nanmean nanvar nanstd average cov corrcoef count_nonzero",
    "transforms": "fft._pocketfft._cook_nd_args",
    "windows": "pad lib.stride_tricks.sliding_window_view convolve correlate gradient",
}
