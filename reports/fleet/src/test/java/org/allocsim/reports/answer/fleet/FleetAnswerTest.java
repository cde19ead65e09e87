package org.allocsim.reports.answer.fleet;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.allocsim.analysis.fleet.Family;
import org.allocsim.analysis.fleet.FleetAnalysis;
import org.allocsim.analysis.fleet.SweptRows;
import org.allocsim.reports.answer.AnswerFigures;
import org.junit.jupiter.api.Test;

/** Two traces on a GPU of 100 MiB, as they were recorded and under two settings. */
class FleetAnswerTest {
  private static final long MIB = 1L << 20;

  private static AnswerFigures figures(String... rows) throws IOException {
    String csv = String.join("\n", SweptRows.csv(rows)) + "\n";
    FleetAnalysis analysis =
        FleetAnalysis.read(
            new ByteArrayInputStream(csv.getBytes(StandardCharsets.UTF_8)), Family.of("folder"));
    return AnswerFigures.of(new FleetAnswer("swept", analysis).document(10, false));
  }

  @Test
  void aSettingHasTheFailuresThatItPreventsAndThoseThatItCauses() throws IOException {
    AnswerFigures answer =
        figures(
            "x/a,,true,100,true,100",
            "x/a,s,false,100,false,80",
            "x/a,t,false,100,true,100",
            "x/b,,true,100,false,100",
            "x/b,s,false,100,false,50",
            "x/b,t,false,100,true,100");
    answer.says("s prevents 1 of 1 failure and breaks nothing.");
    answer.is("/traces", 2);
    answer.is("/runs", 6);
    answer.is("/failures", 1);
    answer.is("/unpreventable_failures", 0);
    answer.has("/settings", 3);
    answer.is("/settings/0/conf", "s");
    answer.is("/settings/0/prevented_failures", 1);
    answer.is("/settings/0/introduced_failures", 0);
    answer.is("/settings/0/ooms", 0);
    answer.is("/settings/0/saving_p50_ratio", 0.5);
    answer.is("/settings/1/conf", "");
    answer.is("/settings/1/ooms", 1);
    answer.is("/settings/2/introduced_failures", 1);
    answer.isMissing("/settings/2/saving_p50_ratio");
    answer.is("/gpus/0/capacity_bytes", 100 * MIB);
    answer.is("/gpus/0/served_as_recorded", 1);
    answer.is("/gpus/0/served_by_best_setting", 2);
    answer.is("/gpus/0/too_large", 0);
    // Half of what the recorded run of b reserves; a is served by no recorded run.
    answer.is("/savings/7/saving_from_ratio", 0.5);
    answer.is("/savings/7/traces", 1);
    answer.is("/worst/0/peak_reserved_bytes", 100 * MIB);
    answer.is("/worst/0/best_peak_reserved_bytes", 50 * MIB);
    answer.isMissing("/worst/1/peak_reserved_bytes");
    answer.is("/worst/1/failures", 1);
    answer.is("/worst/1/unpreventable_failures", 0);
  }

  @Test
  void whereNothingFailsTheMedianSavingIsTheAnswer() throws IOException {
    AnswerFigures answer = figures("a,,true,100,false,100", "a,s,false,100,false,75");
    answer.says(
        "Every trace runs on every GPU as recorded; with s half of them reserve at least 25.0 %"
            + " less.");
    answer.is("/failures", 0);
  }

  @Test
  void aJobNeedsTheGpuOfItsFullestRank() throws IOException {
    AnswerFigures answer =
        figures(
            "job/rank0,,true,1000,false,500",
            "job/rank1,,true,1000,false,800",
            "job/rank2,,true,1000,false,500");
    answer.has("/jobs", 1);
    answer.is("/jobs/0/ranks", 3);
    answer.is("/jobs/0/max_reserved_rank", "1");
    answer.is("/jobs/0/max_reserved_bytes", 800 * MIB);
    answer.is("/jobs/0/median_reserved_bytes", 500 * MIB);
    answer.is("/jobs/0/imbalance_ratio", 1.6);
    answer.is("/jobs/0/best_peak_reserved_bytes", 800 * MIB);
  }
}
