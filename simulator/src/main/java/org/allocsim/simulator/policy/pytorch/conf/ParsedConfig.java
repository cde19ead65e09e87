package org.allocsim.simulator.policy.pytorch.conf;

import java.util.Arrays;
import java.util.List;
import org.allocsim.simulator.policy.pytorch.AllocatorConfig;

/**
 * A whole configuration string after parsing: what changes the allocator's decisions, and the
 * settings that do not.
 *
 * @param text the string as given, which PyTorch keeps as its "last settings"
 * @param allocator settings that change decisions
 * @param backend which allocator serves requests
 * @param releaseLockOnCudaMalloc whether other threads may enter during {@code cudaMalloc}
 * @param pinnedUseBackgroundThreads whether pinned memory is recycled by a background thread
 * @param pinnedUseCudaHostRegister whether pinned memory is made by registering pages
 * @param pinnedNumRegisterThreads threads that touch pages before they are registered, 1 to 128
 * @param pinnedReserveSegmentMebibytes size in MiB of the pinned segment reserved at first use,
 *     unsigned, 0 for none
 * @param warnings what PyTorch would print, and settings that were accepted but have no effect here
 */
public record ParsedConfig(
    String text,
    AllocatorConfig allocator,
    Backend backend,
    boolean releaseLockOnCudaMalloc,
    boolean pinnedUseBackgroundThreads,
    boolean pinnedUseCudaHostRegister,
    long pinnedNumRegisterThreads,
    long pinnedReserveSegmentMebibytes,
    List<String> warnings) {

  /** The allocators that PyTorch can be started with. */
  public enum Backend {
    /** The caching allocator that PyTorch brings along. */
    NATIVE("native"),
    /** The stream-ordered memory pool of the CUDA driver. */
    CUDA_MALLOC_ASYNC("cudaMallocAsync");

    /** All names. */
    static final List<String> LABELS = Arrays.stream(values()).map(Backend::label).toList();

    private final String label;

    Backend(String label) {
      this.label = label;
    }

    /** The name in configuration strings. */
    public String label() {
      return label;
    }
  }

  /** Keeps its own copy of the warnings. */
  public ParsedConfig {
    warnings = List.copyOf(warnings);
  }
}
