package org.allocsim.workloads.program.torch;

/**
 * Where the gradient of one input of an operation goes.
 *
 * @param node the operation that made the input
 * @param output which of its outputs the input was
 * @param sizes sizes of the input, which its gradient must have
 * @param type element type of the input
 */
record Edge(Node node, int output, long[] sizes, DType type) {}
