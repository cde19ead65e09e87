package org.allocsim.reports.answer.idle;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.allocsim.analysis.idle.IdleAnalysis;
import org.allocsim.analysis.idle.ProfileText;
import org.allocsim.analysis.idle.replay.WhatIf;
import org.allocsim.reports.answer.AnswerFigures;
import org.allocsim.workloads.format.Progress;
import org.allocsim.workloads.format.TraceFormatException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class IdleAnswerTest {
  @TempDir private Path folder;

  private IdleAnalysis analysis(ProfileText profile, String name)
      throws IOException, TraceFormatException {
    return IdleAnalysis.read(profile.write(folder.resolve(name)), Progress.NONE);
  }

  private AnswerFigures figures(ProfileText profile) throws IOException, TraceFormatException {
    IdleAnalysis analysis = analysis(profile, "profile.json");
    WhatIf whatIf = new WhatIf(analysis, 0, null);
    return AnswerFigures.of(
        new IdleAnswer(
                analysis.result(),
                whatIf.recorded(),
                whatIf.unprofiled(),
                whatIf.errorNanos(),
                List.of(),
                null,
                null,
                whatIf.loader(),
                null)
            .document(null));
  }

  /** Two steps of 1 ms, in each of which the GPU waits for data until 0.75 ms. */
  private static ProfileText loading() {
    ProfileText profile = new ProfileText();
    for (int step = 0; step < 2; step++) {
      int at = 1_000 * step;
      profile
          .step(step, at, at + 1_000)
          .load(true, at, at + 750)
          .kernel("gemm", 7, at + 750, at + 750, at + 750, at + 1_000);
    }
    return profile;
  }

  @Test
  void theTimeOfTheStepsIsSplitAndItsGapsHaveACause() throws Exception {
    AnswerFigures answer = figures(loading());
    answer.says(
        "The GPU is idle 75.0 % of each recorded step (750.0 µs of 1.00 ms): 75.0 % waiting for"
            + " data (DataLoader).");
    answer.has("/steps", 2);
    answer.is("/total/step_nanos", 2_000_000);
    answer.is("/total/compute_nanos", 500_000);
    answer.is("/total/communicate_nanos", 0);
    answer.is("/total/copy_nanos", 0);
    answer.is("/total/idle_nanos", 1_500_000);
    answer.is("/steps/1/idle_nanos", 750_000);
    answer.has("/causes", 1);
    answer.is("/causes/0/cause", "data");
    answer.is("/causes/0/idle_nanos", 1_500_000);
    answer.is("/causes/0/idle_ratio", 0.75);
    answer.is("/causes/0/gaps", 2);
    answer.is("/gaps/1/begin_nanos", 1_000_000);
    answer.is("/gaps/1/idle_nanos", 750_000);
  }

  @Test
  void theReplayOfTheRecordingIsAsLong() throws Exception {
    AnswerFigures answer = figures(loading());
    answer.is("/recorded_step_nanos", 1_000_000);
    answer.is("/replay_error_nanos", 0);
    answer.has("/what_if", 1);
    answer.is("/what_if/0/change", "no change");
    answer.is("/what_if/0/saved_ratio", 0.0);
    answer.isMissing("/what_if/0/peak_reserved_bytes");
  }

  @Test
  void aStepHasTheMostMemoryInIt() throws Exception {
    AnswerFigures answer =
        figures(
            new ProfileText()
                .step(0, 0, 1_000)
                .memory(0, 10, 3 << 20, 4 << 20)
                .kernel("gemm", 7, 100, 110, 120, 990)
                .step(1, 1_000, 2_000)
                .memory(0, 1_010, 2 << 20, 8 << 20)
                .kernel("gemm", 7, 1_100, 1_110, 1_120, 2_000));
    answer.is("/steps/0/peak_allocated_bytes", 3 << 20);
    answer.is("/steps/0/peak_reserved_bytes", 4 << 20);
    answer.is("/steps/1/peak_reserved_bytes", 8 << 20);
    answer.is("/total/peak_allocated_bytes", 3 << 20);
    answer.is("/total/peak_reserved_bytes", 8 << 20);
  }

  /** Ranks of 1 ms of which the GPU computes so much and waits for the others until 0.9 ms. */
  @Test
  void theRankThatWaitsLeastInCollectivesIsTheStraggler() throws Exception {
    IdleRanksAnswer ranks =
        new IdleRanksAnswer(
            "job",
            List.of(
                analysis(rank(1, 800), "rank1.json").result(),
                analysis(rank(0, 300), "rank0.json").result()));
    AnswerFigures answer = AnswerFigures.of(ranks.document(false));
    answer.says(
        "The GPUs of 2 profiles are idle 10.0 % of the time; rank 1 is the straggler: rank 0"
            + " communicates 600.0 µs of each step, it 100.0 µs.");
    answer.is("/ranks/0/rank", 0);
    answer.is("/ranks/0/compute_nanos", 300_000);
    answer.is("/ranks/0/communicate_nanos", 600_000);
    answer.is("/ranks/0/idle_nanos", 100_000);
    answer.is("/ranks/1/rank", 1);
    answer.is("/ranks/1/compute_nanos", 800_000);
    answer.is("/ranks/1/communicate_nanos", 100_000);
  }

  private static ProfileText rank(int number, int computedUntil) {
    return new ProfileText()
        .header("\"distributedInfo\": {\"rank\": %d, \"world_size\": 2}".formatted(number))
        .step(1, 0, 1_000)
        .kernel("gemm", 7, 0, 0, 0, computedUntil)
        .kernel("ncclDevKernel_AllReduce", 8, 3, 4, computedUntil, 900);
  }
}
