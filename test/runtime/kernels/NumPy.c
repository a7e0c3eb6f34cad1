/* Stands in for NumPy's extension module: nothing but a dependency on a BLAS. */
int quernel_test_numpy(void) { return 1; }
