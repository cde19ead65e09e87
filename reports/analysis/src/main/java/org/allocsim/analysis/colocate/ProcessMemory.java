package org.allocsim.analysis.colocate;

import org.allocsim.simulator.device.DeviceProfile;

/**
 * The driver's memory for processes that share a GPU, as measured on an H200 with driver
 * 580.159.04.
 *
 * @param gpu the GPU, whose profile has the context of a process that is alone
 * @param isUnderMps whether the processes are clients of Multi-Process Service
 */
public record ProcessMemory(DeviceProfile gpu, boolean isUnderMps) {
  /**
   * What the driver keeps once a GPU is in use, which is in the context of a profile: the second
   * process has so much more than the first.
   */
  private static final long KEPT_BYTES = 3_342_336;

  /**
   * Memory of the server of Multi-Process Service, and what a client's context lacks beside one
   * without it. NVIDIA's guide to MPS says that since Volta the saving is small, as clients are
   * isolated from each other.
   */
  private static final long MPS_SERVER_BYTES = 64L << 20;

  private static final long MPS_SAVED_BYTES = 6_946_816;

  /**
   * What of a client's context counts against its limit: a Tesla T4 reports 1 GiB and 4 GiB less as
   * much as free to a client with these limits that has allocated nothing, and its whole memory as
   * total (a public note on {@code CUDA_MPS_PINNED_DEVICE_MEM_LIMIT}). Other GPUs may differ.
   */
  private static final long MPS_COUNTED_BYTES = 24_252_432;

  /** A GPU on which contexts take memory: a capacity is what is free before the first process. */
  public static DeviceProfile withContexts(DeviceProfile gpu) {
    return gpu.contextBytes() == 0
        ? gpu.withTotal(Math.max(gpu.totalBytes(), DeviceProfile.CONTEXT_BYTES))
            .withContext(DeviceProfile.CONTEXT_BYTES)
        : gpu;
  }

  /** The context of the process with a number from 1. */
  public long contextBytes(int number) {
    long bare = gpu.contextBytes() - (number == 1 ? 0 : KEPT_BYTES);
    long changed =
        !isUnderMps ? bare : number == 1 ? bare + MPS_SERVER_BYTES : bare - MPS_SAVED_BYTES;
    return Math.max(0, changed);
  }

  /**
   * What a client's limit leaves beside its context and what else it holds; negative where they do
   * not fit.
   */
  public static long roomBytes(long limitBytes, long otherBytes) {
    return limitBytes - MPS_COUNTED_BYTES - otherBytes;
  }
}
