package org.allocsim.simulator.policy.pytorch;

import static org.allocsim.simulator.policy.pytorch.AllocatorScript.K;
import static org.allocsim.simulator.policy.pytorch.AllocatorScript.M;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.policy.pytorch.conf.ConfigParser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code expandable_segments} of PyTorch 2.11. */
class ConformanceCasesExpandableTest {
  private static final String EXPANDABLE = "expandable_segments:True";

  private final AllocatorScript script = AllocatorScript.with(EXPANDABLE);

  @Test
  void case57_smallAndLargePoolMapPagesIntoTheirOwnRanges() {
    script
        .alloc("a", 1, "MAP(E1,2M) A(E1,1)")
        .alloc("b", 2 * M, "MAP(E2,20M) A(E2,2M)")
        .alloc("c", 30 * M, "MAP(E2+20M,20M) A(E2+2M,30M)")
        .expectStat("segment.all.current", 0)
        .expectStat("reserved_bytes.all.current", 42 * M)
        .expectStat("num_device_alloc", 3)
        .expectStat("inactive_split.all.allocated", 0);
  }

  @Test
  void case58_freeEndOfTheRangeGrowsToServeALargerRequest() {
    script
        .alloc("a", 30 * M, "MAP(E1,40M) A(E1,30M)")
        .free("a")
        .ignore()
        .alloc("b", 50 * M, "MAP(E1+40M,20M) A(E1,50M)");
  }

  @Test
  void case58_expandableBlocksAreSplitDownTo512Bytes() {
    script
        .alloc("a", 30 * M)
        .alloc("k", 10 * M)
        .free("a")
        .ignore()
        .alloc("b", 30 * M - 512, "A(E1,31456768)")
        .expectBlock("b", 30 * M - 512)
        .expectFreeBehind("b", 512);
  }

  @Test
  void case59_emptyCacheUnmapsThePagesThatLieWhollyInsideFreeBlocks() {
    script
        .alloc("a", 30 * M)
        .alloc("b", 30 * M)
        .free("a")
        .ignore()
        .emptyCache("UNMAP(E1,20M)")
        .alloc("c", 10 * M, "A(E1+20M,10M)");
  }

  @Test
  void case59_everyFreeBlockIsUnmappedOnItsOwn() {
    script
        .alloc("a", 25 * M)
        .alloc("b", 10 * M)
        .alloc("c", 25 * M)
        .free("a", "c")
        .ignore()
        .emptyCache("UNMAP(E1,20M) UNMAP(E1+40M,20M)")
        .expectStat("reserved_bytes.all.current", 20 * M)
        .expectStat("num_device_free", 2);
  }

  @Test
  void case60_gapIsMappedAgainAndMergedWithTheFreeBlockBehindIt() {
    script
        .alloc("a", 30 * M)
        .alloc("b", 20 * M)
        .free("a")
        .ignore()
        .emptyCache("UNMAP(E1,20M)")
        .alloc("c", 30 * M, "MAP(E1,20M) A(E1,30M)");
  }

  @Test
  void case60_rangeWithoutPagesIsGivenBackAndTheNextOneIsNew() {
    script
        .alloc("a", 30 * M)
        .free("a")
        .ignore()
        .emptyCache("UNMAP(E1,40M)")
        .alloc("b", 30 * M, "MAP(E2,40M) A(E2,30M)");
  }

  @Test
  void case60_refusedPagesLeaveNoTrace() {
    AllocatorScript.onDevice(EXPANDABLE, 100 * M)
        .alloc("a", 70 * M, "MAP(E1,80M) A(E1,70M)")
        .alloc("b", 31 * M, "OOM(31M)")
        .expectStat("reserved_bytes.all.current", 80 * M)
        .expectStat("num_device_alloc", 1)
        .expectStat("num_alloc_retries", 1);
  }

  @Test
  void case60_oversizeFreeBlockIsPassedOverAndTheRangeGrows() {
    AllocatorScript.with("expandable_segments:True,max_split_size_mb:64")
        .alloc("a", 91 * M)
        .alloc("b", 46 * M)
        .alloc("k", 2 * M)
        .free("a", "b")
        .ignore()
        .alloc("c", 91 * M, "MAP(E1+140M,100M) A(E1+139M,91M)");
  }

  @Test
  void limitIsComparedWithTheSegmentSizeEvenWhereMostOfItIsMapped() {
    AllocatorScript.limited(EXPANDABLE, 60 * M)
        .alloc("a", 30 * M, "MAP(E1,40M) A(E1,30M)")
        .alloc("b", 25 * M, "OOM(25M)")
        .alloc("c", 20 * M, "MAP(E1+40M,20M) A(E1+30M,20M)");
  }

  @Test
  void secondMappingThatIsRefusedLeavesTheFirstAsFreeMemory() {
    AllocatorScript.onDevice(EXPANDABLE, 60 * M)
        .alloc("a", 30 * M)
        .alloc("b", 10 * M)
        .free("a")
        .ignore()
        .emptyCache("UNMAP(E1,20M)")
        .free("b")
        .ignore()
        .alloc("c", 70 * M, "MAP(E1,20M) UNMAP(E1,40M) OOM(70M)");
  }

  @Test
  void largerBlockThatCannotGrowIsPreferredToASmallerOneThatCan() {
    script
        .alloc("a", 6 * M)
        .alloc("k", 10 * M)
        .expectFreeBehind("k", 4 * M)
        .free("a")
        .ignore()
        .alloc("c", 3 * M, "A(E1,3M)");
  }

  @Test
  void privatePoolsHaveTheirOwnRanges() {
    script
        .alloc("a", 2 * M, 0, 0, "MAP(E1,20M) A(E1,2M)")
        .alloc("b", 2 * M, 0, 1, "MAP(E2,20M) A(E2,2M)")
        .free("b")
        .ignore()
        .deletePool(1, "UNMAP(E2,20M)");
  }

  @Test
  void streamsHaveTheirOwnRanges() {
    script
        .alloc("a", 2 * M, 0, "MAP(E1,20M) A(E1,2M)")
        .alloc("b", 2 * M, 1, "MAP(E2,20M) A(E2,2M)");
  }

  @Test
  void rangeOfWhichNothingIsMappedGoesAndTheNextRequestMakesANewOne() {
    script
        .alloc("a", 30 * M)
        .alloc("b", 30 * M)
        .free("a", "b")
        .ignore()
        .emptyCache("UNMAP(E1,60M)")
        .alloc("c", 30 * M, "MAP(E2,40M) A(E2,30M)");
  }

  /** One that does not report its size, thus −1, is taken for an H100 of 81079 MiB. */
  @ParameterizedTest
  @CsvSource({"81, 100", "-1, 91220"})
  void rangeIsNineEighthsOfTheDeviceInWholePages(long deviceMib, long rangeMib) throws Exception {
    List<Long> reserved = new ArrayList<>();
    DeviceMemory device =
        (DeviceMemory)
            Proxy.newProxyInstance(
                DeviceMemory.class.getClassLoader(),
                new Class<?>[] {DeviceMemory.class},
                (_, method, arguments) ->
                    switch (method.getName()) {
                      case "totalBytes", "freeBytes" -> deviceMib < 0 ? -1 : deviceMib * M;
                      case "map" -> true;
                      case "reserve" -> {
                        reserved.add((Long) arguments[0]);
                        yield 1L << 40;
                      }
                      default -> throw new AssertionError(method);
                    });
    new CachingAllocator(
            ConfigParser.parse("expandable_segments:True", PyTorchVersion.V2_11).allocator(),
            PyTorchVersion.V2_11,
            -1,
            device,
            EffectListeners.NONE)
        .allocate(0, 5 * M, 0, 0);
    assertEquals(List.of(rangeMib * M), reserved);
  }

  /** The device has 1000 MiB, of which a segment reserves a tenth: 100 MiB, five pages. */
  @Test
  void aSegmentEndsWithItsReserveAndNoRequestSpansTwo() {
    AllocatorScript script =
        AllocatorScript.onDevice(
            "expandable_segments:True,expandable_segments_reserve:0.1",
            PyTorchVersion.V2_15,
            1000 * M);
    script
        .alloc("a", 60 * M, "MAP(E1,60M) A(E1,60M)")
        .alloc("b", 60 * M, "MAP(E2,60M) A(E2,60M)")
        .alloc("c", 40 * M, "MAP(E1+60M,40M) A(E1+60M,40M)")
        .alloc("d", 120 * M)
        .expectStat("num_ooms", 1)
        .expectStat("reserved_bytes.all.current", 160 * M);
  }

  @ParameterizedTest
  @CsvSource({"V2_9, 9961472", "V2_10, 10485760"})
  void poolOfAnotherAllocatorIsSplitFinelyUpTo29(PyTorchVersion version, long blockBytes) {
    AllocatorScript pool =
        AllocatorScript.onDevice(
            "expandable_segments:True", version, ScriptedDevice.UNLIMITED_BYTES);
    pool.allocator.definePool(1, new PrivatePoolOptions(false, false, true));
    pool.alloc("a", 10 * M, 0, 1)
        .free("a")
        .alloc("b", 10 * M - 512 * K, 0, 1)
        .expectBlock("b", blockBytes);
  }
}
