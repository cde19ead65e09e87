package org.allocsim.workloads.program.llama;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.workloads.program.torch.memory.Device;

/**
 * The start of llama.cpp on one GPU: each of its buffers is one allocation of the CUDA driver,
 * which stays.
 *
 * <p><b>Source.</b> That of {@link ModelWeights}, {@link KvCells} and {@link ComputeGraph}.
 *
 * <p><b>Deviations.</b> The scratch memory of kernels, which ggml's pools give ({@code ggml-vmm}),
 * is not in the trace, nor are the CUDA context and cuBLAS.
 */
public final class LlamaCpp {
  private final LlamaCppSettings settings;
  private final Device device;
  private final List<Integer> buffersOnGpu = new ArrayList<>();

  /** A process that has not started. */
  public LlamaCpp(LlamaCppSettings settings, Device device) {
    this.settings = settings;
    this.device = device;
  }

  /** Starts and ends it; answers its allocations and frees. */
  public AllocationTrace run() {
    device.begin("start 0");
    allocate(
        "src/llama-model.cpp",
        "load_tensors",
        new ModelWeights(settings.model(), settings.format()).gpuBytes(settings.gpuLayers()));
    device.allocateHost(outputBytes());
    KvCells cells = new KvCells(settings);
    allocate("src/llama-kv-cache.cpp", "llama_kv_cache", cells.gpuBytes(false));
    allocate("src/llama-kv-cache-iswa.cpp", "llama_kv_cache_iswa", cells.gpuBytes(true));
    ComputeGraph.Buffers buffers = ComputeGraph.buffers(settings);
    allocate("src/llama-context.cpp", "graph_reserve", buffers.gpuBytes());
    device.allocateHost(buffers.hostBytes());
    device.end("start 0");
    buffersOnGpu.reversed().forEach(device::free);
    return device.trace();
  }

  /** Logits of each sequence's next token. */
  private long outputBytes() {
    return 4L * settings.model().vocabulary() * settings.sequences();
  }

  private void allocate(String file, String function, long bytes) {
    if (bytes > 0) {
      device.enter(file, function);
      buffersOnGpu.add(device.allocate(bytes));
      device.leave();
    }
  }
}
