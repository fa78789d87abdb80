"""LLVM IR: a nest as the text of one module, vectorised for the CPU."""
