package org.allocsim.workloads.program.torch.memory;

import java.util.Arrays;
import org.allocsim.simulator.policy.pytorch.RequestSizes;

/** Bytes that a program holds, each allocation rounded up to PyTorch's smallest block. */
final class AllocatedBytes {
  private long[] bytesOf = new long[1024];
  private long currentBytes;
  private long peakBytes;

  void add(int allocation, long bytes) {
    if (allocation >= bytesOf.length) {
      bytesOf = Arrays.copyOf(bytesOf, Math.max(allocation + 1, bytesOf.length * 2));
    }
    bytesOf[allocation] =
        (bytes + RequestSizes.MIN_BLOCK_BYTES - 1)
            / RequestSizes.MIN_BLOCK_BYTES
            * RequestSizes.MIN_BLOCK_BYTES;
    currentBytes += bytesOf[allocation];
    peakBytes = Math.max(peakBytes, currentBytes);
  }

  void remove(int allocation) {
    currentBytes -= bytesOf[allocation];
  }

  long currentBytes() {
    return currentBytes;
  }

  long peakBytes() {
    return peakBytes;
  }

  void resetPeak() {
    peakBytes = currentBytes;
  }
}
