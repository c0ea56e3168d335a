"""Arrays in, arrays out: binning, ranks, monotone fits, kernels, resampling, intervals."""
