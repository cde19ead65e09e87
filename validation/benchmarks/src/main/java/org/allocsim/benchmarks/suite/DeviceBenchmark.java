package org.allocsim.benchmarks.suite;

import java.util.concurrent.TimeUnit;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.device.simulated.SimulatedDevice;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * What driver calls cost a simulated device on which many blocks are live, with as many holes
 * between them. Each operation gives back what was taken 32 operations before and takes as much
 * again, so that numbers stay as they are.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class DeviceBenchmark {
  private static final long PAGE_BYTES = 2L << 20;
  private static final long UNIT_BYTES = 32L << 20;

  /** Address space has no room for more live blocks and holes of a unit each. */
  private static final long DEVICE_BYTES = 1L << 45;

  private static final int OPERATIONS = 1 << 10;
  private static final int RING = 1 << 5;
  private static final int CALLS_PER_OPERATION = 2;

  /** Where blocks and holes lie, and what the calls are. */
  public enum Layout {
    /** {@code cuMemAlloc} of a page; blocks and holes of a page lie in one reservation. */
    HOLES {
      @Override
      long fill(SimulatedDevice device, int blocks) {
        // The block in the rest of the last unit keeps the reservation.
        long bytes = (2L * blocks / 16 + 1) * UNIT_BYTES - PAGE_BYTES;
        long whole = device.allocate(bytes);
        device.allocate(PAGE_BYTES);
        device.free(whole, bytes);
        return takeAlternately(device, blocks, PAGE_BYTES);
      }

      @Override
      long take(SimulatedDevice device, long base, int slot) {
        return device.allocate(PAGE_BYTES);
      }

      @Override
      void free(SimulatedDevice device, long address) {
        device.free(address, PAGE_BYTES);
      }
    },
    /** {@code cuMemAlloc} of a unit: each a reservation of its own, and no gap is large enough. */
    RESERVATIONS {
      @Override
      long fill(SimulatedDevice device, int blocks) {
        return takeAlternately(device, blocks, UNIT_BYTES);
      }

      @Override
      long take(SimulatedDevice device, long base, int slot) {
        return device.allocate(UNIT_BYTES);
      }

      @Override
      void free(SimulatedDevice device, long address) {
        device.free(address, UNIT_BYTES);
      }
    },
    /** {@code cuMemAddressReserve} of two units, where gaps are of one unit. */
    RANGES {
      @Override
      long fill(SimulatedDevice device, int blocks) {
        long[] addresses = new long[2 * blocks];
        for (int i = 0; i < addresses.length; i++) {
          addresses[i] = device.reserve(UNIT_BYTES, PAGE_BYTES, 0);
        }
        for (int i = 0; i < addresses.length; i += 2) {
          device.unreserve(addresses[i], UNIT_BYTES);
        }
        return addresses[0];
      }

      @Override
      long take(SimulatedDevice device, long base, int slot) {
        return device.reserve(2 * UNIT_BYTES, PAGE_BYTES, 0);
      }

      @Override
      void free(SimulatedDevice device, long address) {
        device.unreserve(address, 2 * UNIT_BYTES);
      }
    },
    /** {@code cuMemMap} of a page in a range of which every second page is mapped. */
    MAPPED {
      @Override
      long fill(SimulatedDevice device, int blocks) {
        long range = device.reserve(2L * blocks * PAGE_BYTES, PAGE_BYTES, 0);
        for (int i = 0; i < blocks; i++) {
          device.map(range + 2L * i * PAGE_BYTES, PAGE_BYTES, PAGE_BYTES);
        }
        return range;
      }

      @Override
      long take(SimulatedDevice device, long base, int slot) {
        long address = base + (2L * slot + 1) * PAGE_BYTES;
        device.map(address, PAGE_BYTES, PAGE_BYTES);
        return address;
      }

      @Override
      void free(SimulatedDevice device, long address) {
        device.unmap(address, PAGE_BYTES, PAGE_BYTES);
      }
    };

    /** Fills the device; answers where the first block lies. */
    abstract long fill(SimulatedDevice device, int blocks);

    /** Takes what the operations hold in one of their slots; answers where it lies. */
    abstract long take(SimulatedDevice device, long base, int slot);

    abstract void free(SimulatedDevice device, long address);

    private static long takeAlternately(SimulatedDevice device, int blocks, long bytes) {
      long[] addresses = new long[2 * blocks];
      for (int i = 0; i < addresses.length; i++) {
        addresses[i] = device.allocate(bytes);
      }
      for (int i = 0; i < addresses.length; i += 2) {
        device.free(addresses[i], bytes);
      }
      return addresses[0];
    }
  }

  /** Live blocks, and as many holes. */
  @Param({"100", "1000", "10000", "100000"})
  public int blocks;

  /** Where they lie. */
  @Param({"HOLES", "RESERVATIONS", "RANGES", "MAPPED"})
  public Layout layout;

  private SimulatedDevice device;
  private long base;
  private final long[] ring = new long[RING];
  private int next;

  /** For JMH. */
  public DeviceBenchmark() {}

  /** Fills the device. */
  @Setup
  public void prepare() {
    device = new SimulatedDevice(DeviceProfiles.ofCapacity(DEVICE_BYTES));
    base = layout.fill(device, blocks);
    for (int slot = 0; slot < RING; slot++) {
      ring[slot] = layout.take(device, base, slot);
    }
  }

  /** Gives back and takes. */
  @Benchmark
  public long takeAndGiveBack(PassCounts counts) {
    long startNanos = PassCounts.now();
    for (int i = 0; i < OPERATIONS; i++) {
      layout.free(device, ring[next]);
      ring[next] = layout.take(device, base, next);
      next = (next + 1) & (RING - 1);
    }
    counts.add(OPERATIONS * CALLS_PER_OPERATION, OPERATIONS, startNanos);
    return ring[next];
  }
}
