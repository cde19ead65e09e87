package org.allocsim.analysis.serving.kvcache;

import java.util.HashMap;
import java.util.Map;
import org.allocsim.simulator.column.IntColumn;
import org.allocsim.simulator.column.LongColumn;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.device.HandleMemory;

/** What a cache asked of the driver, in order, to be asked of a device. */
public final class CacheCallLog implements CacheCalls {
  /** First range of each call, or for an unmapping its complement. */
  private final IntColumn firstRanges = new IntColumn();

  private final IntColumn ranges = new IntColumn();
  private final LongColumn offsets = new LongColumn();

  @Override
  public void map(int firstRange, int rangeCount, long offsetBytes) {
    add(firstRange, rangeCount, offsetBytes);
  }

  @Override
  public void unmap(int firstRange, int rangeCount, long offsetBytes) {
    add(~firstRange, rangeCount, offsetBytes);
  }

  private void add(int firstRange, int rangeCount, long offsetBytes) {
    firstRanges.add(firstRange);
    ranges.add(rangeCount);
    offsets.add(offsetBytes);
  }

  /** Calls so far. */
  public int count() {
    return ranges.count();
  }

  /**
   * Makes the calls on a device, after what the cache takes at its start.
   *
   * @return how many of the calls were made: all, or those before the device lacked memory
   */
  public int replay(CacheLayout layout, DeviceMemory memory) {
    return new Making(layout, memory).all();
  }

  /** The calls being made on one device. */
  private final class Making {
    private final CacheLayout layout;
    private final DeviceMemory memory;
    private final long[] bases;

    /** Handles that are mapped nowhere: the last ones made, and given back, first. */
    private final long[] spare;

    private int spares;
    private final Map<Long, Long> handles = new HashMap<>();
    private final long[] one = new long[1];

    Making(CacheLayout layout, DeviceMemory memory) {
      this.layout = layout;
      this.memory = memory;
      bases = new long[layout.rangeBytes().size()];
      spare = new long[layout.handles()];
    }

    int all() {
      if (!begin()) {
        return 0;
      }
      for (int call = 0; call < count(); call++) {
        int firstRange = firstRanges.get(call);
        boolean isMapping = firstRange >= 0;
        int first = isMapping ? firstRange : ~firstRange;
        for (int range = first; range < first + ranges.get(call); range++) {
          long address = bases[range] + offsets.get(call);
          if (!(isMapping ? map(address) : unmap(address))) {
            return call;
          }
        }
      }
      return count();
    }

    private boolean begin() {
      for (int range = 0; range < bases.length; range++) {
        long bytes = layout.rangeBytes().get(range);
        bases[range] =
            layout.handleBytes() == 0
                ? memory.allocate(bytes)
                : memory.reserve(bytes, layout.handleBytes(), 0);
        if (bases[range] == DeviceMemory.REFUSED) {
          return false;
        }
      }
      spares = spare.length;
      return spares == 0 || handleMemory().create(spare, 0, spares, layout.handleBytes());
    }

    private HandleMemory handleMemory() {
      return memory.handleMemory().orElseThrow();
    }

    private boolean map(long address) {
      if (layout.handles() == 0) {
        return memory.map(address, layout.handleBytes(), layout.handleBytes());
      }
      spares--;
      handleMemory().map(address, spare, spares, 1, layout.handleBytes());
      handles.put(address, spare[spares]);
      return true;
    }

    private boolean unmap(long address) {
      if (layout.handles() == 0) {
        memory.unmap(address, layout.handleBytes(), layout.handleBytes());
        return true;
      }
      Long handle = handles.remove(address);
      if (handle == null) {
        throw new IllegalStateException("nothing is mapped at " + address);
      }
      one[0] = handle;
      handleMemory().unmap(address, one, 0, 1, layout.handleBytes());
      spare[spares++] = handle;
      return true;
    }
  }
}
