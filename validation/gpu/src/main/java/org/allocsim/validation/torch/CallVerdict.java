package org.allocsim.validation.torch;

import org.jspecify.annotations.Nullable;

/**
 * How PyTorch's allocator and the simulated one agree on a sequence of calls.
 *
 * @param kind what the sequence tries
 * @param seed what makes the sequence
 * @param conf settings
 * @param calls number of calls
 * @param events events of PyTorch's allocator, all compared up to the first difference
 * @param failures requests that failed for lack of memory, whose messages were compared
 * @param statistics statistics that were compared
 * @param broken whether PyTorch itself broke, by a failed assertion of its own or a crash: then
 *     only what came before is compared, and nothing where the process is gone
 * @param difference the first thing that differs, or null
 */
public record CallVerdict(
    String kind,
    long seed,
    String conf,
    int calls,
    int events,
    int failures,
    int statistics,
    boolean broken,
    @Nullable String difference) {}
