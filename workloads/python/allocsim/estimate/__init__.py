"""What a PyTorch program would need of a GPU, found without one: the command ``allocsim estimate``.

The program runs as it is, in the CUDA build of PyTorch, on a library that takes the place of the GPU and computes nothing
(``program_standin.c``). Dispatcher, autograd and allocator are PyTorch's own, so that what is recorded is what
``allocsim record`` records.
"""
