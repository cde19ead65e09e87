/** The memory pools of ggml's CUDA back end, which llama.cpp, whisper.cpp and Ollama run on. */
@NullMarked
package org.allocsim.simulator.policy.ggml;

import org.jspecify.annotations.NullMarked;
