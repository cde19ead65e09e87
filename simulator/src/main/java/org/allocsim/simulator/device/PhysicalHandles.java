package org.allocsim.simulator.device;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Physical memory as the CUDA driver's handles: each takes its bytes from its creation until it is
 * both released and mapped nowhere ({@code cuMemCreate}, {@code cuMemRelease}, CUDA driver API
 * 13.0). Handles are row numbers; rows of memory that is gone are used again. Misuse that the
 * driver would answer with an error ends in an {@link IllegalArgumentException}.
 */
final class PhysicalHandles {
  private long[] bytes = new long[64];
  private int[] mappings = new int[64];
  private boolean[] held = new boolean[64];
  private int rows;
  private int[] unused = new int[64];
  private int unusedCount;
  private long takenBytes;

  /** Handle by the address that it is mapped at. */
  private final Map<Long, Integer> handleAt = new HashMap<>();

  /** Bytes of all handles whose memory is not free. */
  long takenBytes() {
    return takenBytes;
  }

  /** A new handle, which is held and mapped nowhere. */
  long create(long handleBytes) {
    int handle;
    if (unusedCount > 0) {
      handle = unused[--unusedCount];
    } else {
      if (rows == bytes.length) {
        bytes = Arrays.copyOf(bytes, rows * 2);
        mappings = Arrays.copyOf(mappings, rows * 2);
        held = Arrays.copyOf(held, rows * 2);
      }
      handle = rows++;
    }
    bytes[handle] = handleBytes;
    mappings[handle] = 0;
    held[handle] = true;
    takenBytes += handleBytes;
    return handle;
  }

  /** Throws unless all are handles of this size that were not released. */
  void requireHeld(long[] handles, int from, int count, long handleBytes) {
    for (int i = from; i < from + count; i++) {
      long handle = handles[i];
      if (handle < 0 || handle >= rows || !held[(int) handle]) {
        throw new IllegalArgumentException("handle " + handle + " does not exist");
      }
      if (bytes[(int) handle] != handleBytes) {
        throw new IllegalArgumentException(
            "handle %d has %d bytes, not %d".formatted(handle, bytes[(int) handle], handleBytes));
      }
    }
  }

  /** Throws unless exactly these handles are mapped there one behind the other. */
  void requireMapped(long address, long[] handles, int from, int count, long handleBytes) {
    for (int i = 0; i < count; i++) {
      long at = address + i * handleBytes;
      Integer handle = handleAt.get(at);
      if (handle == null || handle != handles[from + i]) {
        throw new IllegalArgumentException(
            "handle %d is not mapped at 0x%x".formatted(handles[from + i], at));
      }
    }
  }

  /** Notes that handles are mapped one behind the other. */
  void map(long address, long[] handles, int from, int count, long handleBytes) {
    for (int i = 0; i < count; i++) {
      int handle = (int) handles[from + i];
      mappings[handle]++;
      handleAt.put(address + i * handleBytes, handle);
    }
  }

  /** Notes that handles are mapped there no longer. */
  void unmap(long address, long[] handles, int from, int count, long handleBytes) {
    for (int i = 0; i < count; i++) {
      int handle = (int) handles[from + i];
      handleAt.remove(address + i * handleBytes);
      mappings[handle]--;
      giveBackIfUnused(handle);
    }
  }

  /** Notes that handles were given up. */
  void release(long[] handles, int from, int count) {
    for (int i = from; i < from + count; i++) {
      int handle = (int) handles[i];
      held[handle] = false;
      giveBackIfUnused(handle);
    }
  }

  private void giveBackIfUnused(int handle) {
    if (held[handle] || mappings[handle] > 0) {
      return;
    }
    takenBytes -= bytes[handle];
    if (unusedCount == unused.length) {
      unused = Arrays.copyOf(unused, unusedCount * 2);
    }
    unused[unusedCount++] = handle;
  }
}
