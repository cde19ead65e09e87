package org.allocsim.simulator.policy.pytorch;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Which of two free blocks of one size comes first where the older segment lies higher. */
class SegmentAgeOrderTest {
  private static final long MIB = 1L << 20;
  private static final long OLDER = 1L << 40;
  private static final long NEWER = 1L << 39;

  @ParameterizedTest
  @EnumSource(
      names = {"V2_13", "V2_14", "V2_15"},
      mode = EnumSource.Mode.INCLUDE)
  void newReleasesTakeAndReleaseTheOldestSegmentFirst(PyTorchVersion version) {
    assertEquals(List.of(OLDER, OLDER, NEWER), takenThenReleased(version));
  }

  @ParameterizedTest
  @EnumSource(
      names = {"V2_12", "V2_13", "V2_14", "V2_15"},
      mode = EnumSource.Mode.EXCLUDE)
  void oldReleasesTakeAndReleaseTheLowestSegmentFirst(PyTorchVersion version) {
    assertEquals(List.of(NEWER, NEWER, OLDER), takenThenReleased(version));
  }

  @ParameterizedTest
  @EnumSource(names = {"V2_11", "V2_14"})
  void withinASegmentTheLowestAddressComesFirst(PyTorchVersion version) {
    CachingAllocator allocator = allocator(version, new ArrayList<>());
    for (int id = 0; id < 5; id++) {
      allocator.allocate(id, 2 * MIB, 0, 0);
    }
    allocator.free(3);
    allocator.free(1);
    assertEquals(OLDER + 2 * MIB, allocator.allocate(5, 2 * MIB, 0, 0));
  }

  /** The segment that a request takes, and the order in which both are released. */
  private static List<Long> takenThenReleased(PyTorchVersion version) {
    List<Long> released = new ArrayList<>();
    CachingAllocator allocator = allocator(version, released);
    assertEquals(OLDER, allocator.allocate(0, 30 * MIB, 0, 0));
    assertEquals(NEWER, allocator.allocate(1, 30 * MIB, 0, 0));
    allocator.free(0);
    allocator.free(1);
    long taken = allocator.allocate(2, 30 * MIB, 0, 0);
    allocator.free(2);
    allocator.emptyCache();
    released.addFirst(taken);
    return released;
  }

  private static CachingAllocator allocator(PyTorchVersion version, List<Long> released) {
    return new CachingAllocator(
        AllocatorConfig.DEFAULT, version, -1, new Descending(released), new EffectListener() {});
  }

  /** A device whose second segment lies below the first. */
  private record Descending(List<Long> released, int[] calls) implements DeviceMemory {
    Descending(List<Long> released) {
      this(released, new int[1]);
    }

    @Override
    public long allocate(long bytes) {
      return calls[0]++ == 0 ? OLDER : NEWER;
    }

    @Override
    public void free(long address, long bytes) {
      released.add(address);
    }

    @Override
    public long reserve(long bytes, long pageBytes, int stream) {
      throw new AssertionError();
    }

    @Override
    public void unreserve(long address, long bytes) {
      throw new AssertionError();
    }

    @Override
    public boolean map(long address, long bytes, long pageBytes) {
      throw new AssertionError();
    }

    @Override
    public void unmap(long address, long bytes, long pageBytes) {
      throw new AssertionError();
    }

    @Override
    public long freeBytes() {
      return 0;
    }

    @Override
    public long totalBytes() {
      return -1;
    }
  }
}
