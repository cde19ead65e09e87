package org.allocsim.analysis.oom;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a BFC allocator (TensorFlow, JAX) printed about its chunks when a request failed.
 *
 * @param line number of the first line
 * @param allocator name of the allocator, such as {@code GPU_0_bfc}; empty where it is not printed
 * @param request bytes that the request took after rounding; null where they are not printed
 * @param limitBytes maximum bytes that the pool may have, −1 where it is not printed
 * @param regions number of regions, 0 where they are not printed
 * @param bins the bins that hold a chunk, by size
 * @param chunksInUse number of chunks in use
 * @param bytesInUse their bytes, unused parts included
 * @param freeChunks number of free chunks
 * @param freeBytes their bytes
 * @param largestFreeBytes bytes of the largest one, 0 without one
 */
public record BfcDump(
    long line,
    String allocator,
    @Nullable ByteRange request,
    long limitBytes,
    int regions,
    List<Bin> bins,
    long chunksInUse,
    long bytesInUse,
    long freeChunks,
    long freeBytes,
    long largestFreeBytes) {
  /**
   * The chunks of one range of sizes: from {@code minBytes} to less than twice that, the last one
   * without an end.
   */
  public record Bin(
      long minBytes, long chunksInUse, long bytesInUse, long freeChunks, long freeBytes) {}

  /** Keeps its own copy of the bins. */
  public BfcDump {
    bins = List.copyOf(bins);
  }

  /** Whether the chunks themselves were printed, without which nothing can be said. */
  public boolean hasChunks() {
    return chunksInUse + freeChunks > 0;
  }

  /** Whether the sums are known, from the chunks or from the statistics of the pool. */
  public boolean hasSums() {
    return hasChunks() || bytesInUse > 0;
  }

  /** Whether the memory is the host's, ordinary or pinned, by the allocator's name. */
  public boolean isOfHost() {
    return allocator.contains("host_bfc") || allocator.equals("cpu") || allocator.equals("mklcpu");
  }

  public long poolBytes() {
    return bytesInUse + freeBytes;
  }

  /** Bytes that the pool might still have got from the device; −1 where the limit is not known. */
  public long ungrownBytes() {
    return limitBytes < 0 ? -1 : Math.max(0, limitBytes - poolBytes());
  }

  /** Why the request failed. */
  public OomVerdict verdict() {
    if (isOfHost()) {
      return OomVerdict.HOST;
    }
    if (request == null || !hasSums() || largestFreeBytes >= request.high()) {
      return OomVerdict.UNKNOWN;
    }
    if (limitBytes >= 0 && request.low() > limitBytes) {
      return OomVerdict.IMPOSSIBLE;
    }
    if (request.high() <= ungrownBytes()) {
      // Within its limit the pool grows, in regions as small as the request: the driver refused.
      return OomVerdict.ELSEWHERE;
    }
    if (request.high() <= freeBytes + Math.max(0, ungrownBytes())) {
      return OomVerdict.FRAGMENTED;
    }
    boolean isShort = request.low() > freeBytes + Math.max(0, ungrownBytes());
    return limitBytes >= 0 && isShort ? OomVerdict.FULL : OomVerdict.UNKNOWN;
  }
}
