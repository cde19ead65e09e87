package org.allocsim.analysis.advice;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.List;
import org.allocsim.simulator.device.cost.ComputeProfile;
import org.allocsim.simulator.trace.Precision;
import org.allocsim.workloads.profile.ShippedProfiles;
import org.junit.jupiter.api.Test;

class StepWorkTest {
  private static final ComputeProfile GPU = ShippedProfiles.named("h200").compute();

  private static StepWork of(Precision precision, long flops, long bytes, long count) {
    return new StepWork(
        1, List.of(new StepWork.Operation(precision, flops, bytes, count)), 0, 0, 0);
  }

  @Test
  void anOperationTakesAsLongAsWhatTakesLongest() {
    long flops = GPU.bf16FlopsPerSecond() / 100;
    long bytes = GPU.memoryBytesPerSecond() / 50;
    assertEquals(10e6, of(Precision.BF16, flops, 0, 1).nanos(GPU), 1);
    assertEquals(20e6, of(Precision.BF16, flops, bytes, 1).nanos(GPU), 1);
    assertEquals(60e6, of(Precision.BF16, flops, bytes, 3).nanos(GPU), 1);
    assertEquals(7.0 * GPU.kernelNanos(), of(null, 0, 8, 7).nanos(GPU), 1);
  }

  @Test
  void copiesComeOneAfterTheOther() {
    StepWork copies =
        new StepWork(
            1, List.of(), 3, GPU.pinnedCopyBytesPerSecond(), GPU.pageableCopyBytesPerSecond());
    assertEquals(2e9 + 3.0 * GPU.copyNanos(), copies.nanos(GPU), 1);
    assertEquals(
        GPU.pinnedCopyBytesPerSecond() + GPU.pageableCopyBytesPerSecond(), copies.copiedBytes());
  }

  @Test
  void timesOfAStepAndOfAWholeRunAreNotCompared() {
    StepWork step = of(null, 0, 1 << 30, 1);
    StepWork run = new StepWork(0, step.operations(), 0, 0, 0);
    Trial.Outcome outcome = new Trial.Outcome(1, 1, 1, 1L, "", "", 1, null);
    Trial baseline = new Trial(List.of(), outcome, step, null, 1);
    Trial other = new Trial(List.of("a"), outcome, run, null, 1);
    Trials trials =
        new Trials(
            "p",
            ShippedProfiles.named("h200"),
            new Goal(1, false, 0),
            false,
            null,
            false,
            List.of(),
            List.of(baseline, other));
    assertNull(trials.addedTimeRatio(other));
    assertEquals(0.0, trials.addedTimeRatio(baseline));
  }
}
