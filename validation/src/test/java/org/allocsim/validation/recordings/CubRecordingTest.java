package org.allocsim.validation.recordings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.LayoutVisitor.BlockState;
import org.allocsim.simulator.policy.MemoryLayout;
import org.allocsim.simulator.policy.cub.CachingDeviceAllocator;
import org.allocsim.simulator.policy.cub.CubSettings;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The simulated CUB allocator reuses the very blocks that the real one (CUB 3.0.1) did, asks for
 * new ones where it did, and holds the same bytes after each operation.
 */
class CubRecordingTest {
  private static final Pattern HEAD =
      Pattern.compile(
          "# CUB 300001 growth (\\d+) min_bin (\\d+) max_bin (\\d+) max_cached (\\d+)"
              + " streams (\\d+) seed \\d+");

  private static final Pattern OPERATION =
      Pattern.compile(
          "(alloc|oom|free|free_all_cached) ?(\\d*)(?: (\\d+) (\\d+)(?: 0x([0-9a-f]+))?)?"
              + " \\| cached (\\d+) live (\\d+) nlive (\\d+)");

  /** Sums of the live blocks, and which addresses the allocator owns. */
  private static final class Live implements EffectListener {
    final Set<Long> owned = new HashSet<>();
    long bytes;
    int blocks;

    @Override
    public void blockAllocated(
        int id, long address, long requested, long block, int stream, boolean small) {
      bytes += block;
      blocks++;
    }

    @Override
    public void freeCompleted(
        int id, long address, long requested, long block, int stream, boolean small) {
      bytes -= block;
      blocks--;
    }

    @Override
    public void segmentAllocated(long address, long segmentBytes, int stream, boolean small) {
      assertTrue(owned.add(address), () -> "0x" + Long.toHexString(address) + " is owned already");
    }

    @Override
    public void segmentFreed(long address, long segmentBytes, int stream, boolean small) {
      owned.remove(address);
    }
  }

  static Stream<String> recordings() {
    return Recordings.list("cub", ".txt.xz");
  }

  @ParameterizedTest
  @MethodSource("recordings")
  void everyOperationIsExact(String name) {
    List<String> lines = Recordings.lines(name);
    CubSettings settings = settings(lines.getFirst());
    RecordedAddresses device = new RecordedAddresses();
    Live live = new Live();
    CachingDeviceAllocator cub = new CachingDeviceAllocator(settings, -1, device, live);
    Map<Integer, Integer> allocations = new HashMap<>();
    int reuses = 0;
    for (int line = 1; line < lines.size(); line++) {
      String where = name + " line " + (line + 1);
      Matcher operation = OPERATION.matcher(lines.get(line));
      assertTrue(operation.matches(), where);
      switch (operation.group(1)) {
        case "alloc" -> {
          int allocation = allocations.size();
          allocations.put(Integer.valueOf(operation.group(2)), allocation);
          long address = Long.parseUnsignedLong(operation.group(5), 16);
          // A block that the allocator owns cannot come from the driver again.
          boolean reused = live.owned.contains(address);
          reuses += reused ? 1 : 0;
          device.next(address);
          int calls = device.calls();
          assertEquals(
              address,
              cub.allocate(
                  allocation,
                  Long.parseLong(operation.group(3)),
                  Integer.parseInt(operation.group(4)),
                  0),
              where);
          assertEquals(reused, device.calls() == calls, where);
        }
        case "oom" -> {
          device.next(DeviceMemory.REFUSED);
          assertEquals(
              AllocatorPolicy.OUT_OF_MEMORY,
              cub.allocate(
                  allocations.size(),
                  Long.parseLong(operation.group(3)),
                  Integer.parseInt(operation.group(4)),
                  0),
              where);
        }
        case "free" -> {
          cub.free(allocations.get(Integer.valueOf(operation.group(2))));
          // The recorder waited for the device after every free.
          cub.synchronize();
        }
        default -> cub.emptyCache();
      }
      assertEquals(Long.parseLong(operation.group(6)), cub.cachedBytes(), where);
      assertEquals(Long.parseLong(operation.group(7)), live.bytes, where);
      assertEquals(Integer.parseInt(operation.group(8)), live.blocks, where);
    }
    assertEquals(cub.cachedBytes(), cachedBytes(MemoryLayout.of(cub)));
    assertTrue(reuses > 0, "no block was reused");
  }

  private static CubSettings settings(String head) {
    Matcher settings = HEAD.matcher(head);
    assertTrue(settings.matches(), head);
    long maxCachedBytes = Long.parseUnsignedLong(settings.group(4));
    return new CubSettings(
        Integer.parseInt(settings.group(1)),
        Integer.parseInt(settings.group(2)),
        Integer.parseInt(settings.group(3)),
        maxCachedBytes < 0 ? Long.MAX_VALUE : maxCachedBytes);
  }

  private static long cachedBytes(MemoryLayout layout) {
    long bytes = 0;
    for (int block = 0; block < layout.blockCount(); block++) {
      bytes += layout.state(block) == BlockState.INACTIVE ? layout.blockBytes(block) : 0;
    }
    return bytes;
  }
}
