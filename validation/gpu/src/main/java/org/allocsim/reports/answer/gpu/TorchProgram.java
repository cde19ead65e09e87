package org.allocsim.reports.answer.gpu;

import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.validation.torch.TorchRequests;
import org.jspecify.annotations.Nullable;

/**
 * A program that PyTorch is to serve.
 *
 * @param name of the trace's file, or of the synthetic program
 * @param sha256 digest of the file, or null
 * @param conf settings that it was recorded with, or null
 * @param trace the requests as they are in the file
 * @param requests the requests as they are sent
 * @param limitBytes limit to run it under unless the user gives one, −1 for none
 * @param synthetic whether it comes from a seed
 */
public record TorchProgram(
    String name,
    @Nullable String sha256,
    @Nullable String conf,
    AllocationTrace trace,
    TorchRequests requests,
    long limitBytes,
    boolean synthetic) {}
