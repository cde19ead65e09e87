package org.allocsim.analysis.idle.activity;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.allocsim.analysis.idle.IdleAnalysis;
import org.allocsim.analysis.idle.ProfileText;
import org.allocsim.analysis.idle.StepTime;
import org.allocsim.analysis.idle.replay.Change;
import org.allocsim.analysis.idle.replay.WhatIf;
import org.allocsim.analysis.idle.timeline.Cause;
import org.allocsim.analysis.idle.timeline.WorkKind;
import org.allocsim.workloads.format.Progress;
import org.allocsim.workloads.format.TraceFormatException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ActivityTest {
  private static final int COLUMNS = 100;

  @TempDir private Path folder;

  private IdleAnalysis analyse(ProfileText profile) throws IOException, TraceFormatException {
    return IdleAnalysis.read(profile.write(folder.resolve("trace.json")), Progress.NONE);
  }

  /** Steps of 10 ms: 6 ms of data, then kernels, the last of them with a copy beside it. */
  private static ProfileText steps() {
    ProfileText profile = new ProfileText();
    for (int step = 0; step < 3; step++) {
      int at = 10_000 * step;
      profile
          .step(step, at, at + 10_000)
          .load(true, at, at + 6_000)
          .copy(
              "Memcpy HtoD (Pinned -> Device)", 64, at + 6_000, at + 6_010, at + 6_020, at + 6_520)
          .kernel("gemm", 7, at + 6_030, at + 6_040, at + 6_050, at + 8_050)
          .kernel("gemm", 9, at + 8_060, at + 8_070, at + 8_080, at + 10_000);
    }
    return profile;
  }

  private static Lane lane(Activity activity, String name) {
    return activity.lanes().stream()
        .filter(lane -> lane.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private static long nanos(Lane lane, String part) {
    return lane.parts().stream()
        .filter(each -> each.id().equals(part))
        .mapToLong(Lane.Part::totalNanos)
        .sum();
  }

  @Test
  void lanesAddUpToWhatTheAnswerSays() throws Exception {
    IdleAnalysis analysis = analyse(steps());
    for (int step = 0; step < 3; step++) {
      Activity activity = Activity.ofStep(analysis, step, COLUMNS);
      StepTime time = analysis.result().steps().get(step);
      Lane idle = lane(activity, Activity.IDLE);
      assertEquals(time.idleNanos(), idle.parts().stream().mapToLong(Lane.Part::totalNanos).sum());
      assertEquals(2_000_000, nanos(lane(activity, "stream 7"), WorkKind.COMPUTE.id()));
      assertEquals(1_920_000, nanos(lane(activity, "stream 9"), WorkKind.COMPUTE.id()));
      assertEquals(500_000, nanos(lane(activity, "copies"), WorkKind.FROM_PINNED.id()));
    }
    Activity all = Activity.ofAll(analysis, COLUMNS);
    assertEquals(
        analysis.result().nanosOf(Cause.DATA), nanos(lane(all, Activity.IDLE), Cause.DATA.id()));
    assertEquals(2, all.gpuStepNanos().size(), "the boundaries within");
  }

  @Test
  void noColumnIsFullerThanItIsLong() throws Exception {
    ProfileText profile = steps();
    // A stream whose kernels overlap, as they do in some profiles.
    for (int kernel = 0; kernel < 50; kernel++) {
      int at = 21_000 + 100 * kernel;
      profile.kernel("small", 7, at, at + 1, at + 2, at + 250);
    }
    Activity activity = Activity.ofAll(analyse(profile), COLUMNS);
    for (Lane lane : activity.lanes()) {
      for (int column = 0; column < COLUMNS; column++) {
        int at = column;
        long sum = lane.parts().stream().mapToLong(part -> part.nanos()[at]).sum();
        assertTrue(
            sum <= activity.span().boundary(column + 1) - activity.span().boundary(column),
            lane.name() + " " + column);
      }
    }
  }

  @Test
  void manyStreamsShareTheLastLane() throws Exception {
    ProfileText profile = new ProfileText().step(1, 0, 10_000);
    for (int stream = 0; stream < 9; stream++) {
      int at = stream * 1_000;
      profile.kernel("gemm", 20 + stream, at, at + 5, at + 10, at + 900 - stream);
    }
    Activity activity = Activity.ofStep(analyse(profile), 0, COLUMNS);
    List<String> streams =
        activity.lanes().stream().map(Lane::name).filter(name -> name.contains("stream")).toList();
    assertEquals(
        List.of("stream 20", "stream 21", "stream 22", "stream 23", "5 other streams"), streams);
    long rest = 0;
    for (int stream = 4; stream < 9; stream++) {
      rest += (890 - stream) * 1_000L;
    }
    assertEquals(rest, nanos(lane(activity, "5 other streams"), WorkKind.COMPUTE.id()));
  }

  @Test
  void theTypicalStepIsTheOneOfMedianLength() throws Exception {
    ProfileText profile = new ProfileText();
    int at = 0;
    for (int length : new int[] {9_000, 2_000, 5_000, 4_000}) {
      profile.step(at, at, at + length).kernel("gemm", 7, at + 10, at + 20, at + 30, at + length);
      at += length;
    }
    assertEquals(3, Activity.typicalStep(analyse(profile)));
  }

  @Test
  void aStepReplayedWithoutAChangeIsTheRecordedOne() throws Exception {
    IdleAnalysis analysis = analyse(steps());
    WhatIf whatIf = new WhatIf(analysis, 0, null);
    Span recorded = Activity.ofStep(analysis, 1, COLUMNS).span();
    PredictedLane same =
        PredictedLane.of("GPU", whatIf.step(Change.parse("gpu=1x"), 1), recorded.nanos() / COLUMNS);
    StepTime time = analysis.result().steps().get(1);
    assertEquals(time.computeNanos(), nanos(same.lane(), WorkKind.COMPUTE.id()));
    assertEquals(time.copyNanos(), nanos(same.lane(), WorkKind.FROM_PINNED.id()));
    PredictedLane faster =
        PredictedLane.of("GPU", whatIf.step(Change.parse("gpu=2x"), 1), recorded.nanos() / COLUMNS);
    assertEquals(time.computeNanos() / 2, nanos(faster.lane(), WorkKind.COMPUTE.id()));
  }

  @Test
  void aColumnHasTheMostMemoryWithin() throws Exception {
    ProfileText profile = steps();
    profile
        .memory(0, 6_000, 100, 1_000)
        .memory(0, 6_010, 900, 2_000)
        .memory(0, 6_020, 200, 2_000)
        .memory(1, 6_030, 7_000, 7_000)
        .memory(0, 9_950, 50, 500);
    IdleAnalysis analysis = analyse(profile);
    MemoryLine first = Objects.requireNonNull(Activity.ofAll(analysis, 3).memory());
    assertArrayEquals(new long[] {900, 50, 50}, first.allocatedBytes());
    assertArrayEquals(new long[] {2_000, 500, 500}, first.reservedBytes());
    MemoryLine fine = Activity.ofAll(analysis, 30).memory();
    assertNotNull(fine);
    assertEquals(-1, fine.reservedBytes()[0], "not known yet");
    assertEquals(900, fine.allocatedBytes()[6]);
    assertEquals(200, fine.allocatedBytes()[7]);
    assertEquals(50, fine.allocatedBytes()[12]);
    assertNull(Activity.ofAll(analyse(steps()), 3).memory(), "a profile without memory");
  }
}
