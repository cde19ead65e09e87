package org.allocsim.simulator.policy.offline;

import java.util.Arrays;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.effect.OutOfMemory;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.LayoutVisitor;

/**
 * The bound that no allocator passes: it holds exactly the bytes that are live.
 *
 * <p><b>Rules.</b> Each allocation is a segment of just its bytes, which comes and goes with it, as
 * if memory could be moved for nothing. Addresses are made up, and the device is only asked how
 * large it is: a request fails where the live bytes do not fit into the device or the limit, so
 * that its failure shows that no allocator can serve the trace there.
 *
 * <p><b>Cost.</b> Constant time for a request or free. <b>Limits.</b> It is no allocator; pages and
 * rounding, which real ones pay, are not in it.
 */
final class MaxLive implements AllocatorPolicy {
  private static final long NONE = -1;

  /** Made-up addresses begin here: not at the null address. */
  private static final long FIRST_ADDRESS = 1L << 40;

  private final long mostBytes;
  private final long limitBytes;
  private final DeviceMemory device;
  private final EffectListener listener;
  private long[] addresses = new long[1024];
  private long[] bytes = new long[1024];
  private int[] streams = new int[1024];
  private long liveBytes;
  private long nextAddress = FIRST_ADDRESS;

  MaxLive(long limitBytes, DeviceMemory device, EffectListener listener) {
    this.limitBytes = limitBytes;
    this.device = device;
    this.listener = listener;
    long limit = limitBytes < 0 ? Long.MAX_VALUE : limitBytes;
    mostBytes = Math.min(limit, device.freeBytes());
    Arrays.fill(addresses, NONE);
  }

  @Override
  public long allocate(int allocation, long requestedBytes, int stream, int pool) {
    if (requestedBytes == 0) {
      return 0;
    }
    if (requestedBytes > mostBytes - liveBytes) {
      listener.outOfMemory(
          new OutOfMemory(
              allocation,
              requestedBytes,
              requestedBytes,
              requestedBytes,
              stream,
              limitBytes,
              0,
              device.freeBytes() - liveBytes,
              device.totalBytes()));
      return OUT_OF_MEMORY;
    }
    if (allocation >= addresses.length) {
      int old = addresses.length;
      int capacity = Math.max(allocation + 1, old + (old >> 1));
      addresses = Arrays.copyOf(addresses, capacity);
      Arrays.fill(addresses, old, capacity, NONE);
      bytes = Arrays.copyOf(bytes, capacity);
      streams = Arrays.copyOf(streams, capacity);
    }
    long address = nextAddress;
    nextAddress += requestedBytes;
    addresses[allocation] = address;
    bytes[allocation] = requestedBytes;
    streams[allocation] = stream;
    liveBytes += requestedBytes;
    listener.segmentAllocated(address, requestedBytes, stream, false);
    listener.blockAllocated(allocation, address, requestedBytes, requestedBytes, stream, false);
    return address;
  }

  @Override
  public void free(int allocation) {
    if (allocation >= addresses.length || addresses[allocation] == NONE) {
      return;
    }
    long address = addresses[allocation];
    long size = bytes[allocation];
    int stream = streams[allocation];
    addresses[allocation] = NONE;
    liveBytes -= size;
    listener.freeRequested(allocation, address, size, size, stream, false);
    listener.freeCompleted(allocation, address, size, size, stream, false);
    listener.segmentFreed(address, size, stream, false);
  }

  @Override
  public void describeLayout(LayoutVisitor visitor) {
    int[] live = new int[addresses.length];
    int count = 0;
    for (int allocation = 0; allocation < addresses.length; allocation++) {
      if (addresses[allocation] != NONE) {
        live[count++] = allocation;
      }
    }
    long[] keys = new long[count];
    for (int i = 0; i < count; i++) {
      keys[i] = addresses[live[i]];
    }
    Placed.sort(keys, live, count);
    for (int i = 0; i < count; i++) {
      int allocation = live[i];
      visitor.segment(
          addresses[allocation], bytes[allocation], streams[allocation], false, 0, false);
      visitor.block(
          addresses[allocation],
          bytes[allocation],
          bytes[allocation],
          LayoutVisitor.BlockState.ACTIVE_ALLOCATED,
          allocation);
    }
  }
}
