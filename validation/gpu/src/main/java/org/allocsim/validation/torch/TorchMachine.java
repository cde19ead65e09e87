package org.allocsim.validation.torch;

/**
 * What a PyTorch process finds on this machine.
 *
 * @param torch version of PyTorch, such as {@code 2.11.0+cu130}
 * @param cuda version of CUDA that it was built with
 * @param device name of the GPU
 * @param totalBytes size of the GPU
 * @param freeBytes free memory of the GPU with the context of one process on it
 * @param mockDriver whether there is no GPU, and a stand-in that computes nothing takes its place
 */
public record TorchMachine(
    String torch,
    String cuda,
    String device,
    long totalBytes,
    long freeBytes,
    boolean mockDriver) {}
