package org.allocsim.analysis.idle.timeline;

import java.util.Set;

/** What a call of the CUDA runtime or driver does. */
public enum CallKind {
  /** Queues kernels. */
  LAUNCH,
  /** Queues a copy, or copies. */
  COPY,
  /** Queues filling of memory. */
  FILL,
  /** Gets memory. */
  ALLOCATE,
  /** Gives memory back. */
  FREE,
  /** Waits for a stream. */
  SYNC_STREAM,
  /** Waits for an event. */
  SYNC_EVENT,
  /** Waits for the device. */
  SYNC_DEVICE,
  /** Lets a stream wait for an event. */
  STREAM_WAIT,
  /** Anything else. */
  OTHER;

  private static final Set<String> ALLOCATING =
      Set.of(
          "Malloc",
          "MallocAsync",
          "MallocManaged",
          "MallocHost",
          "HostAlloc",
          "HostMalloc",
          "HostRegister",
          "MemAlloc",
          "MemCreate",
          "MemMap",
          "MemSetAccess",
          "MemAddressReserve");

  private static final Set<String> FREEING =
      Set.of(
          "Free",
          "FreeAsync",
          "FreeHost",
          "HostFree",
          "HostUnregister",
          "MemFree",
          "MemUnmap",
          "MemRelease",
          "MemAddressFree");

  /**
   * The kind of a call by its name, such as {@code cudaMalloc}, {@code cuMemMap}, {@code hipFree}.
   */
  public static CallKind of(String call) {
    String name = bare(call);
    if (ALLOCATING.contains(name)) {
      return ALLOCATE;
    }
    if (FREEING.contains(name)) {
      return FREE;
    }
    if (name.contains("Launch")) {
      return LAUNCH;
    }
    if (name.startsWith("Memcpy")) {
      return COPY;
    }
    if (name.startsWith("Memset")) {
      return FILL;
    }
    return switch (name) {
      case "StreamSynchronize" -> SYNC_STREAM;
      case "EventSynchronize" -> SYNC_EVENT;
      case "DeviceSynchronize", "CtxSynchronize" -> SYNC_DEVICE;
      case "StreamWaitEvent" -> STREAM_WAIT;
      default -> OTHER;
    };
  }

  private static String bare(String call) {
    String name = call;
    for (String prefix : new String[] {"cuda", "hip", "cu"}) {
      if (call.startsWith(prefix)) {
        name = call.substring(prefix.length());
        break;
      }
    }
    // Variants of one call: cudaLaunchKernel_v7000, cuStreamSynchronize_ptsz.
    int variant = name.indexOf('_');
    return variant < 0 ? name : name.substring(0, variant);
  }
}
