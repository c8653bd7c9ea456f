"""C programs: LLVM IR, compiled to Python, run by the shared runtime."""
