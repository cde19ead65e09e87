package org.allocsim.reports.question.gpu;

/**
 * Which programs PyTorch runs, and how.
 *
 * @param python a Python that has PyTorch
 * @param random number of synthetic programs
 * @param sequences number of random sequences of allocator calls
 * @param seed number of the first synthetic program
 * @param jobs processes at the same time on the GPU
 * @param casesPerProcess most cases that a process serves
 * @param stopAfterSeconds time after which no case of a setting begins, 0 for none
 * @param keep folder to keep files in, or null
 * @param keepDiffering whether files are kept only of cases that differ
 */
public record TorchRuns(
    String python,
    int random,
    int sequences,
    long seed,
    int jobs,
    int casesPerProcess,
    int stopAfterSeconds,
    String keep,
    boolean keepDiffering) {}
