/** The memory of llama.cpp: weights by layer, KV cache, compute buffers. */
@NullMarked
package org.allocsim.workloads.program.llama;

import org.jspecify.annotations.NullMarked;
