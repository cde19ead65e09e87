package org.allocsim.validation.torch;

/**
 * Requests to be sent to PyTorch.
 *
 * @param id distinguishes the job from others of the same run
 * @param requests what is sent
 * @param limitBytes the allocator's own limit, −1 for none
 */
public record TorchJob(int id, TorchRequests requests, long limitBytes) {}
