package org.allocsim.analysis.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.allocsim.analysis.Analysis;
import org.allocsim.analysis.AnalysisException;
import org.allocsim.analysis.TracedProgram;
import org.allocsim.simulator.run.RunResult;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.RequestKind;
import org.junit.jupiter.api.Test;

/**
 * Programs of a rank, from parameters alone, beside the recordings of the same jobs on two H200
 * (validation/jobs).
 */
class PredictedJobsTest {
  private static final long LARGE_BYTES = 1L << 20;
  private static final double MAX_ERROR_PERCENT = 3;

  /**
   * PyTorch's, under which the jobs were recorded; 2.14 chooses among equal blocks by other rules.
   */
  private static final String RELEASE = "2.11";

  private static final String INTRODUCTION =
      """
      # Jobs from parameters

      What the programs of [jobs.py](jobs.py) reserve at most under PyTorch 2.11, found from their parameters alone: `generate` follows what
      PyTorch does, and one question of timing, named below, is answered from the recordings. A test makes this page.

      | job | rank | setting | predicted | recorded | error |
      | --- | --- | --- | ---: | ---: | ---: |
      """;

  private static final String REMARKS =
      """

      All programs ask for what was recorded, in the recorded order: every request above 1 MiB, as the test holds. When blocks come back that
      `record_stream` holds comes out of simulated time: the GPU computes, collectives run on the links at the same time, FSDP1's rate limiter waits.
      Speeds are those of the H200, of NCCL between two of them and of the host on other programs; nothing is fitted to these recordings.
      From the third step on FSDP1's blocks come back before the recorded request or within three of it, but for the last layer of a pass.
      A second row has a host that takes 150 µs for each kernel, as when it records stacks, so that memory comes back earlier.
      Where a peak differs, the host's pace in the first two steps decided, or `cudaMalloc` placed segments elsewhere than the model of the
      driver does. NCCL's watchdog looks every 100 ms only, so some ranks still held DDP's first bucket in the second forward pass
      (`watchdog=late`): the first rank of DDP by default, and with ZeRO 1 the second by default. The first rank of ZeRO 1 with expandable
      segments held all of its first buckets but one of 67 125 248 bytes, which is neither late nor prompt: 3 562 124 800 bytes allocated at
      most, 3 629 250 048 when late, 3 226 170 880 when prompt.
      The script of tp_attention keeps its result of 33 554 432 bytes until the next is there, which the program does not.
      The first rank of the interleaved pipeline reserved 1 694 498 816 bytes in another run under the same settings, that of 1F1B
      1 505 755 136: how long a message waits for the other rank is unknown here.
      """;

  private record Case(String job, int rank, String program) {}

  /** Host time of a kernel with which the GPU waits for the host; without it the host is ahead. */
  private static final int SLOW_HOST_NANOS = 150_000;

  private static final List<Case> CASES = new ArrayList<>();

  static {
    CASES.add(new Case("ddp", 0, "ddp(iterations=8;watchdog=late)"));
    CASES.add(new Case("ddp", 1, "ddp(iterations=8)"));
    CASES.add(new Case("ddp_expandable", 0, "ddp(iterations=8)"));
    CASES.add(new Case("ddp_expandable", 1, "ddp(iterations=8)"));
    CASES.add(new Case("zero1", 0, "ddp(iterations=5;zero=1;rank=0)"));
    CASES.add(new Case("zero1", 1, "ddp(iterations=5;zero=1;rank=1;watchdog=late)"));
    CASES.add(new Case("zero1_expandable", 0, "ddp(iterations=5;zero=1;rank=0;watchdog=late)"));
    CASES.add(new Case("zero1_expandable", 1, "ddp(iterations=5;zero=1;rank=1)"));
    for (String setting : List.of("", "_expandable")) {
      for (int rank = 0; rank < 2; rank++) {
        String named = ";rank=" + rank + ")";
        CASES.add(new Case("fsdp1" + setting, rank, "fsdp1(iterations=5" + named));
        CASES.add(
            new Case(
                "fsdp1" + setting,
                rank,
                "fsdp1(iterations=5;host-nanos-per-kernel=" + SLOW_HOST_NANOS + named));
        CASES.add(new Case("fsdp2" + setting, rank, "fsdp2(iterations=5" + named));
        CASES.add(
            new Case(
                "fsdp2_mixed" + setting, rank, "fsdp2(iterations=5;param-dtype=bfloat16" + named));
        CASES.add(
            new Case(
                "interleaved" + setting,
                rank,
                "pipeline(iterations=5;batch=32;schedule=interleaved;stages-each=2" + named));
        CASES.add(
            new Case(
                "zerobubble" + setting,
                rank,
                "pipeline(iterations=5;batch=32;schedule=zero-bubble;stages-each=2" + named));
        CASES.add(
            new Case(
                "tp_attention" + setting,
                rank,
                "tensor-parallel(iterations=5;attention=true;dtype=bfloat16;width=2048;inner=8192"
                    + ";batch=8;tokens=1024;foreach=false"
                    + named));
        CASES.add(
            new Case(
                "tp" + setting,
                rank,
                "tensor-parallel(iterations=5;width=2048;inner=8192;batch=8;tokens=512;foreach=false"
                    + named));
        CASES.add(new Case("pipe" + setting, rank, "pipeline(iterations=5;batch=32" + named));
        CASES.add(
            new Case(
                "moe" + setting, rank, "experts(iterations=6;layers=4;exchange=false" + named));
      }
    }
    CASES.sort((a, b) -> a.job().compareTo(b.job()));
  }

  private static Path jobs() {
    Path folder = Path.of("validation", "jobs");
    return Files.isDirectory(folder) ? folder : Path.of("..", "..").resolve(folder);
  }

  private static String setting(Case each) {
    return each.job().endsWith("_expandable")
        ? "expandable_segments:True"
        : "expandable_segments:False";
  }

  private static RunResult predicted(Case each) throws AnalysisException {
    return Analysis.open("program:" + each.program())
        .on("h200")
        .withRelease(RELEASE)
        .under(setting(each))
        .run();
  }

  private static Path file(Case each) {
    return jobs()
        .resolve("recorded")
        .resolve(each.job())
        .resolve("run.rank" + each.rank() + ".pickle.xz");
  }

  private static long recorded(Case each) throws AnalysisException {
    return Analysis.open(file(each)).run().peakReservedBytes();
  }

  /** What the page's remarks say of these is why, or that it is not known. */
  private static boolean isKnownToMiss(Case each) {
    return each.rank() == 0
        && (each.job().equals("zero1_expandable") || each.job().equals("interleaved"));
  }

  /** {@code -Dgolden.regenerate=true} writes the page. */
  @Test
  void peaksFromParametersAreThoseOfThePage() throws AnalysisException, IOException {
    StringBuilder page = new StringBuilder(INTRODUCTION);
    for (Case each : CASES) {
      long predicted = predicted(each).peakReservedBytes();
      long recorded = recorded(each);
      double error = 100.0 * (predicted - recorded) / recorded;
      assertTrue(isKnownToMiss(each) || Math.abs(error) <= MAX_ERROR_PERCENT, each::toString);
      page.append(
          "| %s | %d | %s | %s | %s | %s |%n"
              .formatted(
                  each.job().replace("_expandable", "")
                      + (each.program().contains("host-nanos") ? ", slow host" : ""),
                  each.rank(),
                  each.job().endsWith("_expandable") ? "expandable" : "default",
                  grouped(predicted),
                  grouped(recorded),
                  predicted == recorded ? "exact" : "%+.2f %%".formatted(error)));
    }
    page.append(REMARKS);
    Path file = jobs().resolve("PREDICTED.md");
    if (Boolean.getBoolean("golden.regenerate")) {
      Files.writeString(file, page);
    }
    assertEquals(Files.readString(file), page.toString());
  }

  private static List<Long> largeRequests(TracedProgram program) throws AnalysisException {
    AllocationTrace trace = program.requests().trace();
    List<Long> sizes = new ArrayList<>();
    for (int row = 0; row < trace.eventCount(); row++) {
      if (trace.kind(row) == RequestKind.ALLOCATE && trace.bytes(row) > LARGE_BYTES) {
        sizes.add(trace.bytes(row));
      }
    }
    return sizes;
  }

  @Test
  void programsAskForWhatWasRecordedInTheRecordedOrder() throws AnalysisException {
    for (Case each : CASES) {
      assertEquals(
          largeRequests(Analysis.open(file(each))),
          largeRequests(Analysis.open("program:" + each.program())),
          each.toString());
    }
  }

  private static String grouped(long bytes) {
    return "%,d".formatted(bytes).replace(',', ' ');
  }
}
