package org.allocsim.workloads.transform;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.StackTable;
import org.allocsim.simulator.trace.Work;
import org.allocsim.workloads.transform.SizeFit.Run;
import org.junit.jupiter.api.Test;

/** Sizes at a batch that was not recorded, from runs that were. */
class SizeFitTest {
  /** Weights, activations that are proportional to the batch, and a tensor with both parts. */
  private static AllocationTrace batch(long batch, boolean withExtra) {
    AllocationTrace.Builder builder = new AllocationTrace.Builder();
    int weights = builder.allocate(4_000, 0, PoolId.DEFAULT);
    int activations = builder.allocate(96_000 * batch, 0, PoolId.DEFAULT);
    int padded = builder.allocate(100 + 3_000 * batch, 0, PoolId.DEFAULT);
    int host = builder.allocateHost(8 * batch);
    builder.launch(new Work.Timed(5), 0);
    builder.free(activations);
    builder.free(padded);
    builder.freeHost(host);
    builder.free(weights);
    if (withExtra) {
      builder.free(builder.allocate(3_000 * batch + 100, 0, PoolId.DEFAULT));
    }
    return builder.build(StackTable.empty());
  }

  private static Run run(long batch, boolean withExtra) {
    return new Run(batch(batch, withExtra), Run.ALL_DEVICES, batch);
  }

  private static List<Object> program(AllocationTrace trace) {
    List<Object> requests = new ArrayList<>();
    for (int event = 0; event < trace.eventCount(); event++) {
      requests.add(TransformTest.request(trace, event));
    }
    return requests;
  }

  @Test
  void twoRunsShowTheSizesOfEveryBatch() {
    SizeFit fit = SizeFit.of(List.of(run(8, false), run(16, false)));
    for (long wanted : List.of(4L, 8L, 12L, 16L, 40L, 1L)) {
      assertEquals(program(batch(wanted, false)), program(fit.at(wanted, 0)), "batch " + wanted);
    }
    assertEquals(1, fit.sharedRatio(0));
    assertTrue(fit.isProportional());
  }

  @Test
  void aRequestOfOneRunAloneGrowsAsThoseOfItsSize() {
    SizeFit fit = SizeFit.of(List.of(run(8, false), run(16, true)));
    assertEquals(program(batch(40, true)), program(fit.at(40, 1)), "the larger run is followed");
    assertEquals(program(batch(40, false)), program(fit.at(40, 0)), "the smaller run is followed");
    assertEquals(4 / 5.0, fit.sharedRatio(1));
  }

  @Test
  void wrongValuesShowInSizesOfWhichNoneIsProportional() {
    Run wrong = new Run(batch(16, false), Run.ALL_DEVICES, 24);
    assertFalse(SizeFit.of(List.of(run(8, false), wrong)).isProportional());
  }

  @Test
  void threeSizesThatLieOnNoLineLieOnAParabola() {
    double[] values = {1, 2, 4};
    double[] squares = {1e6 + 3e5, 4e6 + 6e5, 16e6 + 12e5};
    assertEquals(64e6 + 24e5, SizeFit.sizeAt(values, squares, 8), 1e-3);
    double[] padded = {512 * 1e6, 1024 * 1e6 + 512, 2048 * 1e6};
    assertEquals(4096 * 1e6, SizeFit.sizeAt(values, padded, 8), 1e-3);
  }

  @Test
  void twoSizesThatGrowFasterThanTheParameterHaveASquarePart() {
    double[] sizes = {1e6 + 3e5, 4e6 + 6e5};
    assertEquals(64e6 + 24e5, SizeFit.sizeAt(new double[] {1, 2}, sizes, 8), 1e-3);
  }

  /** How many tokens an expert gets is decided by the data. */
  @Test
  void sizesThatScatterAroundAShareOfTheParameterStayProportional() {
    double[] three = {4.2e6, 7.7e6, 12.1e6};
    assertEquals(32e6, SizeFit.sizeAt(new double[] {4, 8, 12}, three, 32), 1e6);
    double[] slower = {4.2e6, 8.1e6, 11.7e6};
    assertEquals(32e6, SizeFit.sizeAt(new double[] {4, 8, 12}, slower, 32), 1e6);
  }

  /** One row fewer than the parameter. */
  @Test
  void twoSizesThatAreNearlyProportionalLieOnALine() {
    double[] sizes = {255 * 1e5, 511 * 1e5};
    assertEquals(1535 * 1e5, SizeFit.sizeAt(new double[] {256, 512}, sizes, 1536), 1e-3);
  }

  /** Tensors do not shrink, and do not grow more slowly at larger values. */
  @Test
  void aSizeThatShrinksOrSaturatesKeepsThatOfTheNearestRun() {
    double[] values = {2, 4, 8};
    assertEquals(1e6, SizeFit.sizeAt(values, new double[] {9e6, 5e6, 1e6}, 32), 0);
    assertEquals(8e6, SizeFit.sizeAt(values, new double[] {1e6, 8e6, 8e6}, 32), 0);
    assertEquals(3e6, SizeFit.sizeAt(new double[] {2, 4}, new double[] {4e6, 3e6}, 32), 0);
    assertEquals(4e6, SizeFit.sizeAt(new double[] {2, 4}, new double[] {4e6, 3e6}, 1), 0);
  }

  @Test
  void runsOfDifferentProgramsAreRefused() {
    AllocationTrace.Builder builder = new AllocationTrace.Builder();
    builder.allocate(4_000, 0, PoolId.DEFAULT);
    Run other = new Run(builder.build(StackTable.empty()), Run.ALL_DEVICES, 2);
    assertThrows(IllegalArgumentException.class, () -> SizeFit.of(List.of(run(8, false), other)));
  }

  @Test
  void valuesThatAreNoneAreRefused() {
    for (double value : new double[] {8, 0, -1, Double.NaN, Double.POSITIVE_INFINITY}) {
      Run other = new Run(batch(16, false), Run.ALL_DEVICES, value);
      assertThrows(
          IllegalArgumentException.class,
          () -> SizeFit.of(List.of(run(8, false), other)),
          "value " + value);
    }
    assertThrows(IllegalArgumentException.class, () -> SizeFit.of(List.of(run(8, false))));
  }

  @Test
  void sizesThatNoAllocatorIsAskedForAreRefused() {
    SizeFit fit = SizeFit.of(List.of(run(8, false), run(16, false)));
    assertThrows(IllegalArgumentException.class, () -> fit.at(1e18, 0));
  }
}
