/**
 * The best-fit allocator with coalescing of TensorFlow, XLA and JAX, and ONNX Runtime's arena,
 * which shares its chunks.
 */
@NullMarked
package org.allocsim.simulator.policy.bfc;

import org.jspecify.annotations.NullMarked;
