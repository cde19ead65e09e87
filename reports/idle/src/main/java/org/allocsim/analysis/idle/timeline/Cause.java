package org.allocsim.analysis.idle.timeline;

/** Why the GPU has nothing to do. */
public enum Cause {
  /** The program waits for its data loader. */
  DATA("data", "waiting for data"),
  /** Copies from memory that is not pinned: the host copies first, and waits for the GPU. */
  PAGEABLE_COPY("pageable-copy", "pageable copies"),
  /** The host waits for copies from pinned memory. */
  BLOCKING_COPY("blocking-copy", "copies that the host waits for"),
  /** The host reads a result, so that it waits for the GPU, and then the GPU for it. */
  HOST_READ("host-read", "the host reading results"),
  /** The program waits for the GPU explicitly. */
  SYNCHRONIZE("synchronize", "explicit synchronisation"),
  /** The program empties the allocator's cache, which waits for the GPU and has to be refilled. */
  EMPTY_CACHE("empty-cache", "empty_cache()"),
  /** A cudaMalloc failed, so the allocator frees cached segments and tries again. */
  RETRY("retry", "allocation retries"),
  /**
   * The allocator frees cached segments before a cudaMalloc: its limit would be exceeded, which it
   * knows without asking the driver, or it collects garbage ({@code garbage_collection_threshold}).
   */
  RECLAIM("reclaim", "segments freed at the limit or by the allocator's garbage collection"),
  /** The allocator calls the driver for another reason. */
  ALLOCATOR("allocator", "the allocator's driver calls"),
  /** The host launches kernels more slowly than the GPU runs them. */
  LAUNCH("launch", "launches that are slower than the kernels"),
  /** The host runs code of the program between operators. */
  HOST_CODE("host-code", "host code between operators"),
  /** Work was queued behind that of another stream. */
  STREAM("stream", "another stream"),
  /** The next work is a collective that was queued already. */
  COLLECTIVE("collective", "collectives"),
  /** Python collects garbage. */
  GARBAGE_COLLECTION("gc", "Python's garbage collection"),
  /** The driver loads a kernel that was not used before. */
  KERNEL_LOADING("kernel-loading", "loading kernels for their first use"),
  /** The profiler itself. */
  PROFILER("profiler", "the profiler itself"),
  /** Gaps too short to look at. */
  SHORT("short", "gaps below 20 µs"),
  /** The profile does not show why. */
  UNKNOWN("unknown", "an unknown cause");

  private final String id;
  private final String words;

  Cause(String id, String words) {
    this.id = id;
    this.words = words;
  }

  /** Its name in files. */
  public String id() {
    return id;
  }

  /** What the GPU is said to be idle for. */
  public String words() {
    return words;
  }
}
