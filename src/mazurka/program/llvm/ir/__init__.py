"""LLVM IR as data: types, modules, and the reader of their text."""
