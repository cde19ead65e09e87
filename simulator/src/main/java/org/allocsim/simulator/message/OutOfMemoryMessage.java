package org.allocsim.simulator.message;

import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.stats.ByteFormat;

/**
 * The text of PyTorch's {@code torch.cuda.OutOfMemoryError}, one line, in the wording of several
 * versions. All amounts are bytes.
 *
 * @param deviceIndex number of the GPU
 * @param segmentBytes size of the segment that was wanted (not of the request)
 * @param deviceTotalBytes size of the device, −1 where it is not known (the text then says
 *     "unknown")
 * @param deviceFreeBytes free bytes of the device
 * @param limitBytes the allocator's own limit, −1 without one
 * @param allocatedBytes {@code allocated_bytes.all.current}
 * @param reservedBytes {@code reserved_bytes.all.current}
 * @param privateFreeBytes free bytes inside private pools
 * @param processes the sentences about the processes on the device, each ending with a blank; ""
 *     where the driver lists none
 */
public record OutOfMemoryMessage(
    int deviceIndex,
    long segmentBytes,
    long deviceTotalBytes,
    long deviceFreeBytes,
    long limitBytes,
    long allocatedBytes,
    long reservedBytes,
    long privateFreeBytes,
    String processes) {

  /** Text of the error for requests of 2^60 bytes and more, which never reach the allocator. */
  public static final String MORE_THAN_ONE_EXABYTE =
      "CUDA out of memory. Tried to allocate more than 1EB memory.";

  /** Wordings of the message, named by the first version that has them. */
  public enum Template {
    /** Before the setting {@code max_split_size_mb} existed: no hint at all (1.x). */
    V1,
    /** Up to 2.0: amounts in parentheses, hint at {@code max_split_size_mb}. */
    V2_0,
    /** 2.1: sentences, with the misspelt "capacty". */
    V2_1,
    /** 2.2 and 2.3: hint at {@code expandable_segments}. */
    V2_2,
    /** 2.4: names memory held by private pools. */
    V2_4,
    /** 2.5 to 2.9: names the allocator's own limit again. */
    V2_5,
    /** 2.10: hint names {@code PYTORCH_ALLOC_CONF}. */
    V2_10,
    /** 2.11 to 2.14: hint names {@code PYTORCH_CUDA_ALLOC_CONF} again. */
    V2_11,
    /** 2.14 where expandable segments are on: no hint. */
    V2_14_EXPANDABLE;

    /**
     * The wording of a release.
     *
     * @param expandableSegments whether the allocator was set to use expandable segments
     */
    public static Template of(PyTorchVersion version, boolean expandableSegments) {
      return switch (version) {
        case V2_0 -> V2_0;
        case V2_1 -> V2_1;
        case V2_2, V2_3 -> V2_2;
        case V2_4 -> V2_4;
        case V2_5, V2_6, V2_7, V2_8, V2_9 -> V2_5;
        case V2_10 -> V2_10;
        case V2_11, V2_12, V2_13 -> V2_11;
        case V2_14, V2_15 -> expandableSegments ? V2_14_EXPANDABLE : V2_11;
      };
    }
  }

  private static final String HINT = " If reserved but unallocated memory is large";

  private static final String OLD_HINT =
      " try setting max_split_size_mb to avoid fragmentation."
          + "  See documentation for Memory Management and PYTORCH_CUDA_ALLOC_CONF";

  /** The message in the given wording. */
  public String text(Template template) {
    return switch (template) {
      case V1 -> parenthesized();
      case V2_0 -> parenthesized() + " If reserved memory is >> allocated memory" + OLD_HINT;
      case V2_1 -> sentences("capacty", "", false) + HINT + OLD_HINT;
      case V2_2 -> sentences("capacity", "", false) + environmentHint("PYTORCH_CUDA_ALLOC_CONF");
      case V2_4 -> sentences("capacity", "", true) + environmentHint("PYTORCH_CUDA_ALLOC_CONF");
      case V2_5 ->
          sentences("capacity", allowed(), true) + environmentHint("PYTORCH_CUDA_ALLOC_CONF");
      case V2_10 -> sentences("capacity", allowed(), true) + environmentHint("PYTORCH_ALLOC_CONF");
      case V2_11 ->
          sentences("capacity", allowed(), true)
              + expandableHint("PYTORCH_CUDA_ALLOC_CONF")
              + "(https://docs.pytorch.org/docs/stable/notes/cuda.html"
              + "#optimizing-memory-usage-with-pytorch-cuda-alloc-conf)";
      case V2_14_EXPANDABLE -> sentences("capacity", allowed(), true);
    };
  }

  private static String environmentHint(String variable) {
    return expandableHint(variable)
        + "(https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)";
  }

  private static String expandableHint(String variable) {
    return HINT
        + " try setting "
        + variable
        + "=expandable_segments:True to avoid fragmentation."
        + "  See documentation for Memory Management  ";
  }

  private String parenthesized() {
    return "CUDA out of memory. Tried to allocate "
        + ByteFormat.formatSize(segmentBytes)
        + " (GPU "
        + deviceIndex
        + "; "
        + total()
        + " total capacity; "
        + ByteFormat.formatSize(allocatedBytes)
        + " already allocated; "
        + ByteFormat.formatSize(deviceFreeBytes)
        + " free; "
        + allowed()
        + ByteFormat.formatSize(reservedBytes)
        + " reserved in total by PyTorch)";
  }

  private String sentences(String capacity, String limit, boolean withPrivatePools) {
    long held = withPrivatePools ? privateFreeBytes : 0;
    String privatePools =
        held > 0
            ? "with "
                + ByteFormat.formatSize(held)
                + " allocated in private pools (e.g., CUDA Graphs), "
            : "";
    return "CUDA out of memory. Tried to allocate "
        + ByteFormat.formatSize(segmentBytes)
        + ". GPU "
        + deviceIndex
        + " has a total "
        + capacity
        + " of "
        + total()
        + " of which "
        + ByteFormat.formatSize(deviceFreeBytes)
        + " is free. "
        + processes
        + limit
        + "Of the allocated memory "
        + ByteFormat.formatSize(allocatedBytes + held)
        + " is allocated by PyTorch, "
        + privatePools
        + "and "
        + ByteFormat.formatSize(reservedBytes - allocatedBytes - held)
        + " is reserved by PyTorch but unallocated.";
  }

  private String total() {
    return deviceTotalBytes < 0 ? "unknown" : ByteFormat.formatSize(deviceTotalBytes);
  }

  private String allowed() {
    return limitBytes < 0 ? "" : ByteFormat.formatSize(limitBytes) + " allowed; ";
  }
}
