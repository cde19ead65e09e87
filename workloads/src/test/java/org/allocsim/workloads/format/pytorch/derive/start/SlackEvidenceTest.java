package org.allocsim.workloads.format.pytorch.derive.start;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.TreeMap;
import org.allocsim.simulator.policy.LayoutVisitor.BlockState;
import org.allocsim.simulator.policy.pytorch.AllocatorConfig;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.workloads.format.pytorch.derive.start.StartReconstruction.Block;
import org.allocsim.workloads.format.pytorch.derive.start.StartReconstruction.Run;
import org.junit.jupiter.api.Test;

/** A block of 3 MiB, then 8 MiB of which up to 1 MiB may belong to it; other blocks far above. */
class SlackEvidenceTest {
  private static final long MIB = 1L << 20;
  private static final long BASE = 1L << 40;
  private static final long END = BASE + 3 * MIB;
  private static final long FAR = BASE + (1L << 32);

  private final TreeMap<Long, Block> blocks = new TreeMap<>();
  private final SlackEvidence evidence = new SlackEvidence(AllocatorConfig.DEFAULT);
  private final Block gap = block(run(BASE, 0), END, 8 * MIB, BlockState.INACTIVE);

  SlackEvidenceTest() {
    Block block = block(run(BASE, 0), BASE, 3 * MIB, BlockState.ACTIVE_ALLOCATED);
    evidence.watch(block, gap);
  }

  @Test
  void nothingIsAddedWithoutEvidence() {
    assertEquals(END, end());
  }

  @Test
  void anAllocationAfterTheBlockShowsWhereItEnds() {
    evidence.allocated(blocks, END + 4096, 2 * MIB, gap, false);
    assertEquals(END + 4096, end());
  }

  @Test
  void aFreeBlockThatBestFitPassedOverWasTooSmall() {
    // 8 MiB would have been the better fit than 9 MiB.
    evidence.allocated(blocks, FAR, 7 * MIB + 512 * 1024, free(0, 9 * MIB), false);
    assertEquals(END + 512 * 1024 + 512, end());
  }

  @Test
  void aFreeBlockThatWasPassedOverForOneOfItsSizeLiesAbove() {
    evidence.allocated(blocks, FAR, 8 * MIB, free(0, 8 * MIB), false);
    assertEquals(END + 512, end());
  }

  @Test
  void aSmallerFreeBlockThatWasTakenShowsNothing() {
    evidence.allocated(blocks, FAR, 2 * MIB, free(0, 4 * MIB), false);
    assertEquals(END, end());
  }

  @Test
  void memoryFromTheDeviceShowsThatNoFreeBlockWasLargeEnough() {
    evidence.allocated(blocks, FAR, 8 * MIB - 512, free(0, 20 * MIB), true);
    assertEquals(END + 1024, end());
  }

  @Test
  void aFailureShowsThatNoFreeBlockWasLargeEnough() {
    evidence.failed(blocks, 8 * MIB - 512, 0);
    assertEquals(END + 1024, end());
  }

  @Test
  void whatAnotherStreamGetsShowsNothing() {
    evidence.allocated(blocks, FAR, 8 * MIB, free(1, 20 * MIB), true);
    evidence.failed(blocks, 8 * MIB, 1);
    assertEquals(END, end());
  }

  @Test
  void aBlockThatLivesNoMoreShowsNothing() {
    blocks.remove(BASE);
    evidence.failed(blocks, 8 * MIB, 0);
    assertEquals(END, end());
  }

  private long end() {
    long[] end = new long[1];
    evidence.forEach((address, found) -> end[0] = found);
    return end[0];
  }

  private Block free(int stream, long bytes) {
    return block(run(FAR, stream), FAR, bytes, BlockState.INACTIVE);
  }

  private static Run run(long address, int stream) {
    return new Run(address, stream, false, PoolId.DEFAULT, false);
  }

  private Block block(Run run, long address, long bytes, BlockState state) {
    Block block = new Block(run, address, bytes, state);
    blocks.put(address, block);
    return block;
  }
}
