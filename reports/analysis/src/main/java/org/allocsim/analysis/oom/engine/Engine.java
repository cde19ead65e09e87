package org.allocsim.analysis.oom.engine;

/** An inference engine whose log is understood. */
public enum Engine {
  /** Versions 0.6 to 0.11 of vLLM. */
  VLLM("vLLM"),
  /** Versions 0.4 to 0.5 of SGLang. */
  SGLANG("SGLang"),
  /** Versions 0.12 to 1.0 of TensorRT-LLM. */
  TENSORRT_LLM("TensorRT-LLM"),
  /** The programs of llama.cpp, builds of 2024 and 2025. */
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
