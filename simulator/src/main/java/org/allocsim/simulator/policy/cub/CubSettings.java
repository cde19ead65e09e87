package org.allocsim.simulator.policy.cub;

import java.util.Arrays;

/**
 * Parameters of CUB's allocator: those of its constructor.
 *
 * @param growth quotient of the sizes of neighbouring bins, at least 2; bin {@code p} holds blocks
 *     of {@code growth^p} bytes
 * @param minBin number of the smallest bin
 * @param maxBin number of the largest bin; larger requests are never cached
 * @param maxCachedBytes most bytes that the cache may hold
 */
public record CubSettings(int growth, int minBin, int maxBin, long maxCachedBytes) {
  /** Those of the constructor without arguments: bins of 512 B to 2 MiB, 6 MiB less a byte. */
  public static final CubSettings DEFAULT = new CubSettings(8, 3, 7, 3 * (1L << 21) - 1);

  /** Refuses bins that do not exist. */
  public CubSettings {
    if (growth < 2 || minBin < 0 || maxBin < minBin || maxCachedBytes < 0) {
      throw new IllegalArgumentException(
          "growth %d, bins %d to %d, cache of %d bytes"
              .formatted(growth, minBin, maxBin, maxCachedBytes));
    }
  }

  /** Bytes of the bins from 0 to the largest, as far as they are below 2^63. */
  long[] binBytes() {
    long[] bytes = new long[Math.min(maxBin + 1, Long.SIZE)];
    int count = 0;
    for (long size = 1; count < bytes.length; size *= growth) {
      bytes[count++] = size;
      if (size > Long.MAX_VALUE / growth) {
        break;
      }
    }
    return Arrays.copyOf(bytes, count);
  }
}
