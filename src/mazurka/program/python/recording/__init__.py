"""Recording of one execution with real threads, for `mazurka predict`."""
