/**
 * The best-fit allocator with coalescing of TensorFlow, XLA and JAX, and ONNX Runtime's arena,
 * which shares its chunks.
 */
package org.allocsim.simulator.policy.bfc;
