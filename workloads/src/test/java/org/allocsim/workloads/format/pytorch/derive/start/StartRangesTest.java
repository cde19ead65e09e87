package org.allocsim.workloads.format.pytorch.derive.start;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.allocsim.simulator.effect.EffectKind;
import org.allocsim.simulator.effect.EffectLog;
import org.allocsim.simulator.policy.LayoutVisitor.BlockState;
import org.allocsim.simulator.policy.pytorch.AllocatorConfig;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.workloads.format.pytorch.derive.start.StartReconstruction.Block;
import org.allocsim.workloads.format.pytorch.derive.start.StartReconstruction.Run;
import org.junit.jupiter.api.Test;

class StartRangesTest {
  private static final long PAGE = 20L << 20;
  private static final Run DEFAULT = new Run(0, 0, false, PoolId.DEFAULT, true);
  private static final Run PRIVATE = new Run(0, 0, false, new PoolId(0, 1), true);

  private final EffectLog effects = new EffectLog();

  @Test
  void aRangeBeginsAtTheLowestPageThatIsMappedLater() {
    effects.add(EffectKind.SEGMENT_MAP, 2 * PAGE, PAGE, 0);
    assertEquals(2 * PAGE, ranges(page(DEFAULT, 5)).startOf(5 * PAGE));
  }

  @Test
  void pagesOfAnotherStreamDoNotBelongToIt() {
    effects.add(EffectKind.SEGMENT_MAP, 2 * PAGE, PAGE, 1);
    assertEquals(5 * PAGE, ranges(page(DEFAULT, 5)).startOf(5 * PAGE));
  }

  @Test
  void whatIsMappedAfterAllWasUnmappedIsAnotherRange() {
    effects.add(EffectKind.SEGMENT_UNMAP, 5 * PAGE, PAGE, 0);
    effects.add(EffectKind.SEGMENT_MAP, 2 * PAGE, PAGE, 0);
    assertEquals(5 * PAGE, ranges(page(DEFAULT, 5)).startOf(5 * PAGE));
  }

  @Test
  void rangesOfDifferentPoolsNeverBeginAtTheSamePage() {
    effects.add(EffectKind.SEGMENT_MAP, 2 * PAGE, PAGE, 0);
    effects.add(EffectKind.SEGMENT_UNMAP, 5 * PAGE, PAGE, 0);
    effects.add(EffectKind.SEGMENT_UNMAP, 2 * PAGE, PAGE, 0);
    effects.add(EffectKind.SEGMENT_MAP, 2 * PAGE, PAGE, 0);
    StartRanges ranges = ranges(page(DEFAULT, 5), page(PRIVATE, 9));
    assertEquals(2 * PAGE, ranges.startOf(5 * PAGE));
    assertEquals(9 * PAGE, ranges.startOf(9 * PAGE));
  }

  @Test
  void aRangeDoesNotReachIntoAnother() {
    Run otherStream = new Run(0, 1, false, PoolId.DEFAULT, true);
    effects.add(EffectKind.SEGMENT_UNMAP, 5 * PAGE, PAGE, 1);
    effects.add(EffectKind.SEGMENT_MAP, 5 * PAGE, PAGE, 0);
    assertEquals(9 * PAGE, ranges(page(otherStream, 5), page(DEFAULT, 9)).startOf(9 * PAGE));
  }

  @Test
  void pagesOfOnePoolOnBothSidesOfAnotherLieInTwoRanges() {
    StartRanges ranges = ranges(page(DEFAULT, 5), page(PRIVATE, 9), page(DEFAULT, 12));
    assertEquals(5 * PAGE, ranges.startOf(5 * PAGE));
    assertEquals(12 * PAGE, ranges.startOf(12 * PAGE));
  }

  private StartRanges ranges(Block... blocks) {
    return new StartRanges(
        effects, List.of(blocks), new PageKinds(effects, AllocatorConfig.DEFAULT));
  }

  private static Block page(Run run, int number) {
    return new Block(run, number * PAGE, PAGE, BlockState.INACTIVE);
  }
}
