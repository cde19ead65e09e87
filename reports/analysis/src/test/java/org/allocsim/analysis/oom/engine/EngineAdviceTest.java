package org.allocsim.analysis.oom.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Each change is checked with the arithmetic that the engine itself does. */
class EngineAdviceTest {
  private static final double GIB = 0x1p30;
  private static final double MIB = 0x1p20;

  private static EngineLog.Figures figures(String... lines) {
    EngineLog log = new EngineLog();
    for (String line : lines) {
      assertTrue(EngineLog.mayHave(line), line);
      log.line(line, "");
    }
    return log.figures("").orElseThrow();
  }

  private static List<String> options(List<EngineChange> changes) {
    return changes.stream().map(each -> each.option() + " " + each.value()).toList();
  }

  @Test
  void aShareOfVllmThatStartsIsNamed() {
    EngineLog.Figures figures =
        figures(
            "ValueError: Free memory on device cuda:0 (30.10/39.50 GiB) on startup is less than"
                + " desired GPU memory utilization (0.85, 33.57 GiB).");
    assertEquals(List.of("--gpu-memory-utilization 0.76"), options(EngineAdvice.atStart(figures)));
    assertTrue(0.76 * 39.505 <= 30.095 && 0.77 * 39.495 > 30.105);
  }

  @Test
  void aShareOfVllmThatHoldsOneSequenceIsNamedBesideTheLengthThatFits() {
    EngineLog.Figures figures =
        figures(
            "the current vLLM instance can use total_gpu_memory (23.60GiB) x"
                + " gpu_memory_utilization (0.90) = 21.24GiB",
            "max seq len (32768), (4.00 GiB KV cache is needed, which is larger than the available"
                + " KV cache memory (3.50 GiB).");
    List<EngineChange> changes = EngineAdvice.atStart(figures);
    assertEquals(
        List.of("--gpu-memory-utilization 0.922", "--max-model-len 28592"), options(changes));
    assertTrue((0.922 - 0.9) * 23.595 >= 4.005 - 3.495);
    assertTrue(28592 / 32768.0 * 4.005 <= 3.495);
  }

  @Test
  void theLengthThatTheEngineFoundIsNotComputedAnew() {
    EngineLog.Figures figures =
        figures(
            "max seq len (90000), (5.26 GiB KV cache is needed, which is larger than the available"
                + " KV cache memory (5.25 GiB). Based on the available memory, the estimated"
                + " maximum model length is 89808.");
    assertEquals("--max-model-len 89808", options(EngineAdvice.atStart(figures)).getLast());
  }

  @Test
  void aRequestBesideTheCacheOfVllmLowersItsShareAndItsTokens() {
    EngineLog.Figures figures =
        figures(
            "non-default args: {'gpu_memory_utilization': 0.95}",
            "Available KV cache memory: 4.00 GiB",
            "GPU KV cache size: 100,000 tokens");
    List<EngineChange> changes = EngineAdvice.beside(figures, GIB, 40 * GIB);
    assertEquals(List.of("--gpu-memory-utilization 0.925"), options(changes));
    assertTrue(changes.getFirst().reason().contains("75,000 tokens instead of 100,000"));
  }

  @Test
  void captureInSglangLowersTheStaticShareAndTheLargestGraph() {
    String args = "server_args=ServerArgs(mem_fraction_static=0.88, cuda_graph_max_bs=160)";
    assertEquals(
        List.of("--mem-fraction-static 0.870", "--cuda-graph-max-bs 80"),
        options(EngineAdvice.beside(figures(args), 800 * MIB, 80 * GIB)));
    assertEquals(
        List.of("--mem-fraction-static lower by 0.01"),
        options(
            EngineAdvice.beside(
                figures("Memory pool end. avail mem=3.97 GB"), 83 * MIB, 95 * GIB)));
  }

  @Test
  void theSmallestStaticShareOfSglangHoldsTheWeights() {
    EngineLog.Figures figures =
        figures(
            "Load weight begin. avail mem=78.50 GB",
            "Load weight end. type=Llama, dtype=torch.bfloat16, avail mem=10.00 GB, mem"
                + " usage=68.50 GB.");
    assertEquals(List.of("--mem-fraction-static 0.88"), options(EngineAdvice.atStart(figures)));
    assertTrue(10.0 - 78.5 * (1 - 0.88) > 0 && 10.0 - 78.5 * (1 - 0.87) < 0);
  }

  @Test
  void theFractionOfTensorRtLlmIsOfWhatTheModelLeavesFree() {
    EngineLog.Figures figures =
        figures(
            "KvCacheConfig(free_gpu_memory_fraction=0.9)",
            "[TensorRT-LLM][INFO] [MemUsageChange] Allocated 54.00 GiB for max tokens in paged KV"
                + " cache (442304).");
    List<EngineChange> changes = EngineAdvice.beside(figures, GIB, 79 * GIB);
    assertEquals(List.of("--kv_cache_free_gpu_memory_fraction 0.88"), options(changes));
  }

  @Test
  void layersOrTokensThatFitAreNamedForLlamaCpp() {
    String free = "using device CUDA0 (NVIDIA GeForce RTX 3060) - 11000 MiB free";
    assertEquals(
        List.of("-ngl 26"),
        options(
            EngineAdvice.atStart(
                figures(
                    free,
                    "load_tensors: offloaded 81/81 layers to GPU",
                    "allocating 33000.00 MiB on device 0: cudaMalloc failed: out of memory"))));
    String[] lines = {
      free,
      "load_tensors:        CUDA0 model buffer size =  7000.00 MiB",
      "llama_context: n_ctx         = 32768",
      "allocating 8000.00 MiB on device 0: cudaMalloc failed: out of memory",
    };
    assertEquals(List.of("-c 16128"), options(EngineAdvice.atStart(figures(lines))));
    String[] ollama = lines.clone();
    ollama[3] = "ollama[7]: " + lines[3];
    assertEquals(
        List.of("OLLAMA_CONTEXT_LENGTH 16128"), options(EngineAdvice.atStart(figures(ollama))));
  }

  @Test
  void aProgramThatPrintsTheLengthOfItsSequencesIsNoEngine() {
    EngineLog log = new EngineLog();
    log.line("Namespace(max_seq_len=2048, n_ctx = 1024)", "");
    assertTrue(log.figures("").isEmpty());
  }

  @Test
  void aShareThatIsNotPrintedIsTakenFromADefaultOnlyWhereAnEngineHasACache() {
    assertEquals(
        List.of(),
        EngineAdvice.beside(figures("Model loading took 9.10 GiB memory"), GIB, 40 * GIB));
  }

  @Test
  void eachProcessHasItsOwnFiguresAndThoseOfTheOthers() {
    EngineLog log = new EngineLog();
    log.line("args: gpu_memory_utilization=0.8", "(APIServer pid=1)");
    log.line("Available KV cache memory: 2.00 GiB", "(Worker_TP0 pid=2)");
    log.line("Available KV cache memory: 3.00 GiB", "(Worker_TP1 pid=3)");
    EngineLog.Figures figures = log.figures("(Worker_TP0 pid=2)").orElseThrow();
    assertEquals(2 * GIB, figures.of(EngineFigure.KV_CACHE).orElseThrow().value());
    assertEquals(0.8, figures.of(EngineFigure.SHARE).orElseThrow().value());
  }
}
