package org.allocsim.analysis.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.allocsim.analysis.Analysis;
import org.allocsim.analysis.AnalysisException;
import org.allocsim.simulator.run.RunResult;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Jobs of two ranks that ran on two H200, each under two settings (validation/jobs). */
class RecordedJobsTest {
  private static final String EXPANDABLE = "expandable_segments:True";

  private static Path folder(String job) {
    Path folder = Path.of("validation", "jobs", "recorded");
    return (Files.isDirectory(folder) ? folder : Path.of("..", "..").resolve(folder)).resolve(job);
  }

  private static Path rank(String job, int rank) {
    return folder(job).resolve("run.rank" + rank + ".pickle.xz");
  }

  private static long recordedPeak(String job, int rank) throws AnalysisException {
    RunResult recorded = Analysis.open(rank(job, rank)).run();
    assertTrue(recorded.passes());
    return recorded.peakReservedBytes();
  }

  @ParameterizedTest
  @CsvSource({
    "fsdp2, 0, 3026190336",
    "fsdp2, 1, 3026190336",
    "tp, 0, 3611295744",
    "tp, 1, 3611295744",
    "moe, 0, 2290089984",
    "moe, 1, 2080374784",
    "pipe, 0, 1493172224",
    "pipe, 1, 1325400064",
    "ddp, 1, 3802136576",
    "fsdp2_mixed, 0, 2040528896",
    "fsdp2_mixed, 1, 2040528896",
    "tp_attention, 0, 4326424576",
    "tp_attention, 1, 4326424576",
    "sequence, 0, 4053794816",
    "sequence, 1, 4053794816",
    "zerobubble, 0, 1702887424",
    "zerobubble, 1, 1849688064",
    "interleaved, 1, 1556086784"
  })
  void whatARankReservesUnderOtherSettingsIsPredictedToTheByte(String job, int rank, long bytes)
      throws AnalysisException {
    // The number is what PyTorch itself said at the end of the run.
    assertEquals(bytes, recordedPeak(job + "_expandable", rank));
    assertEquals(bytes, Analysis.open(rank(job, rank)).under(EXPANDABLE).run().peakReservedBytes());
  }

  @ParameterizedTest
  @CsvSource({"fsdp2, 0", "fsdp2, 1", "tp, 0", "tp, 1", "moe, 0", "moe, 1"})
  void andTheOtherWayRound(String job, int rank) throws AnalysisException {
    assertEquals(
        recordedPeak(job, rank),
        Analysis.open(rank(job + "_expandable", rank))
            .under("expandable_segments:False")
            .run()
            .peakReservedBytes());
  }

  @Test
  void aRankThatWaitedForTheOneThatFailedHasARecordingToo() throws Exception {
    Job job = Job.open(folder("ddp_fails"));
    assertEquals(List.of("0", "1"), job.ranks().stream().map(Rank::id).toList());
    assertTrue(Analysis.open(rank("ddp_fails", 0)).run().passes());
    assertFalse(Analysis.open(rank("ddp_fails", 1)).run().passes());
  }

  private static JobBalance balance(String job) throws Exception {
    List<Ranked<RankPeak>> peaks = new ArrayList<>();
    for (Rank rank : Job.open(folder(job)).ranks()) {
      RunResult result = Analysis.open(rank.file()).run();
      peaks.add(
          new Ranked<>(
              rank,
              new RankPeak(
                  result.peakReservedBytes(), result.peakAllocatedBytes(), 0, new long[0])));
    }
    return JobBalance.of(peaks);
  }

  @ParameterizedTest
  @CsvSource({
    "fsdp2, true, 0",
    "tp, true, 0",
    "moe, false, 0",
    "pipe, false, 0",
    "ddp, false, 0",
    "ddp_expandable, true, 0",
    "ddp_fails, false, 1"
  })
  void theRankThatReservesTheMostIsTheOneOfTheRecordedRun(String job, boolean isEven, int rank)
      throws Exception {
    JobBalance balance = balance(job);
    assertEquals(isEven, balance.isEven());
    assertEquals(rank, balance.highest().rank().number());
  }

  @Test
  void theRanksOfTwoRunsOfAJobAreMatched() throws Exception {
    List<Job> jobs = List.of(Job.open(folder("moe")), Job.open(folder("moe_expandable")));
    List<Ranked<List<Path>>> common = Job.common(jobs);
    assertEquals(List.of(rank("moe", 1), rank("moe_expandable", 1)), common.getLast().found());
    assertEquals(List.of(), jobs.getFirst().without(common));
  }

  @Test
  void everyRecordedFolderIsOneJobOfAFleet() throws Exception {
    List<String> files = new ArrayList<>();
    for (String job : List.of("ddp", "moe", "pipe_expandable")) {
      Job.open(folder(job)).files().forEach(file -> files.add(file.toString()));
    }
    Map<String, NamedJobs.Member> members = NamedJobs.of(files);
    assertEquals(6, members.size());
    assertEquals(
        new NamedJobs.Member(folder("moe").toString(), 1, null),
        members.get(rank("moe", 1).toString()));
  }
}
