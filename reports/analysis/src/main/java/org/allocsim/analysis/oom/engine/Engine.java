package org.allocsim.analysis.oom.engine;

/** An inference engine whose log is understood. */
public enum Engine {
  /** Versions 0.4 to 0.2x of vLLM. */
  VLLM("vLLM"),
  /** Versions 0.3 to 0.5 of SGLang. */
  SGLANG("SGLang"),
  /** Versions 0.9 to 1.2 of TensorRT-LLM. */
  TENSORRT_LLM("TensorRT-LLM"),
  /** The programs of llama.cpp, builds of January 2025 to May 2026. */
  LLAMA_CPP("llama.cpp"),
  /** Ollama, which runs llama.cpp. */
  OLLAMA("Ollama");

  private final String label;

  Engine(String label) {
    this.label = label;
  }

  /** Its name as its makers write it. */
  public String label() {
    return label;
  }
}
