package org.allocsim.analysis.oom;

import java.math.BigDecimal;
import java.math.RoundingMode;

/** Builds messages in the wording of their time from printed sizes. */
final class OomTexts {
  static final String SPLIT_HINT =
      " try setting max_split_size_mb to avoid fragmentation."
          + "  See documentation for Memory Management and PYTORCH_CUDA_ALLOC_CONF";

  private OomTexts() {}

  /** 1.0 to 1.4: "cached" is reserved minus allocated. */
  static String cached(
      String request, String capacity, String allocated, String free, String slack) {
    return "CUDA out of memory. Tried to allocate %s (GPU 0; %s total capacity; %s already allocated; %s free; %s cached)"
        .formatted(request, capacity, allocated, free, slack);
  }

  /** 1.5 to 2.0: the reserved total. */
  static String reserved(
      String request, String capacity, String allocated, String free, String slack, String hint) {
    return "CUDA out of memory. Tried to allocate %s (GPU 0; %s total capacity; %s already allocated; %s free; %s reserved in total by PyTorch)%s"
        .formatted(
            request,
            capacity,
            allocated,
            free,
            gib(bytes(allocated).add(bytes(slack))),
            hint.isEmpty() ? "" : " If reserved memory is >> allocated memory" + hint);
  }

  /** 2.1 and later; {@code between} stands in front of "Of the allocated memory". */
  static String sentences(
      String capacityWord,
      String request,
      String capacity,
      String allocated,
      String free,
      String slack,
      String between,
      String pools,
      String hint) {
    return "CUDA out of memory. Tried to allocate %s. GPU 0 has a total %s of %s of which %s is free. %sOf the allocated memory %s is allocated by PyTorch, %sand %s is reserved by PyTorch but unallocated. If reserved but unallocated memory is large%s"
        .formatted(
            request,
            capacityWord,
            capacity,
            free,
            between,
            allocated,
            pools.isEmpty()
                ? ""
                : "with " + pools + " allocated in private pools (e.g., CUDA Graphs), ",
            slack,
            hint);
  }

  static String expandableHint(String variable, String host) {
    return " try setting "
        + variable
        + "=expandable_segments:True to avoid fragmentation.  See documentation for Memory"
        + " Management  (https://"
        + host
        + "/docs/stable/notes/cuda.html#environment-variables)";
  }

  /** The six lines of cudaMallocAsync. */
  static String async(
      String request, String capacity, String allocated, String free, String limit) {
    return """
    Allocation on device 0 would exceed allowed memory. (out of memory)
    Currently allocated     : %s
    Requested               : %s
    Device limit            : %s
    Free (according to CUDA): %s
    PyTorch limit (set by user-supplied memory fraction)
                            : %s\
    """
        .formatted(allocated, request, capacity, free, limit);
  }

  private static BigDecimal bytes(String size) {
    String[] parts = size.split(" ");
    long unit =
        switch (parts[1]) {
          case "bytes" -> 1;
          case "KiB" -> 1L << 10;
          case "MiB" -> 1L << 20;
          default -> 1L << 30;
        };
    return new BigDecimal(parts[0]).multiply(BigDecimal.valueOf(unit));
  }

  private static String gib(BigDecimal bytes) {
    return bytes.divide(BigDecimal.valueOf(1L << 30), 2, RoundingMode.HALF_EVEN) + " GiB";
  }
}
