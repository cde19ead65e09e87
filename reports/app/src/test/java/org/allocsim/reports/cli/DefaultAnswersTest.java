package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.allocsim.analysis.program.Conditions;
import org.allocsim.analysis.program.Program;
import org.allocsim.analysis.tuning.Platform;
import org.allocsim.analysis.tuning.Tuning;
import org.allocsim.analysis.tuning.TuningGrid;
import org.allocsim.reports.question.page.RecordedTrial;
import org.allocsim.simulator.policy.Policies;
import org.allocsim.simulator.policy.PolicyChoice;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.run.RunResult;
import org.allocsim.workloads.source.DeviceTrace;
import org.allocsim.workloads.source.RecordedFailure;
import org.allocsim.workloads.source.Recording;
import org.allocsim.workloads.source.TraceSource;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Without options, the recorded settings do what the recording holds. */
class DefaultAnswersTest {
  private static Stream<DynamicTest> each(FileTest test) throws IOException {
    return SameAnswersTest.recordings().stream()
        .map(file ->
            DynamicTest.dynamicTest(file.getFileName().toString(), () -> test.accept(file)));
  }

  /** A test of a file. */
  private interface FileTest {
    void accept(Path file) throws Exception;
  }

  private static TraceSource source(Path file) throws Exception {
    return TraceSource.open(file.toString(), null, (_, _) -> {});
  }

  /** The release that recorded a file. */
  private static PyTorchVersion release(Path file) throws Exception {
    return source(file).release().orElseThrow();
  }

  private static Program open(Path file) throws Exception {
    return Program.open(source(file), Conditions.RECORDED.by(release(file)));
  }

  private static void requireRecorded(DeviceTrace input, RunResult result) {
    Recording recording = input.recording().orElseThrow();
    List<RecordedFailure> failures = recording.failures(input.device());
    assertEquals(recording.peakBytes(input.device()), result.peakReservedBytes());
    assertEquals(failures.size(), result.failureCount());
    for (int i = 0; i < result.failures().size(); i++) {
      assertEquals(failures.get(i).requestedBytes(), result.failures().get(i).requestedBytes());
    }
  }

  @TestFactory
  Stream<DynamicTest> tuneHasTheRecordingsPeakAndFailures() throws IOException {
    return each(file -> {
      Program program = open(file);
      DeviceTrace input = program.input();
      TuningGrid grid = new TuningGrid(Stream.of(input.conf(), "").distinct().toList(), Map.of());
      Tuning tuning = Tuning.run(program, grid, Platform.LINUX, (_, _) -> {});
      requireRecorded(input, tuning.recorded().result());
    });
  }

  @TestFactory
  Stream<DynamicTest> compareHasTheRecordingsPeakAndFailures() throws IOException {
    return each(file -> {
      Program program = open(file);
      DeviceTrace input = program.input();
      PolicyChoice recorded =
          new PolicyChoice(
              Policies.named("pytorch").orElseThrow(),
              Map.of("conf", input.conf(), "torch-version", release(file).id()));
      RunResult result =
          new RecordedTrial(program, false)
              .runAll(List.of(recorded), (_, _) -> {})
              .getFirst()
              .result();
      requireRecorded(input, result);
    });
  }

  @TestFactory
  Stream<DynamicTest> verifyIsExact() throws IOException {
    return each(file -> {
      CommandRun run = CommandRun.of("verify", file);
      assertEquals("", run.err());
      assertEquals(0, run.exitCode(), run.out());
    });
  }

  /** What is lacking is lacking: with so much more the best setting serves every request. */
  @Test
  void withWhatIsSaidToBeMissingASettingServesEveryRequest() {
    Path sample = Path.of("samples", "gpt_oom.pickle.xz");
    String text = CommandRun.of("diagnose", sample).out();
    Matcher said =
        Pattern.compile(
                "can\\s+have [^(]*\\(([0-9 ]+) B\\); the\\s+best of the usual settings needs"
                    + " ([0-9.]+) MiB more")
            .matcher(text.replace('\u202f', ' ').replaceAll("\\s+", " "));
    assertTrue(said.find(), text);
    long has = Long.parseLong(said.group(1).replace(" ", ""));
    long needs = has + (long) (Double.parseDouble(said.group(2)) * (1 << 20));
    String limit = "--memory-limit";
    assertEquals(3, CommandRun.of("tune", sample, limit, has).exitCode());
    assertEquals(0, CommandRun.of("tune", sample, limit, needs + (1 << 20)).exitCode());
  }

  @Test
  void theSampleRunsOutOfMemoryUnderItsOwnSettings() {
    CommandRun run = CommandRun.of("tune", Path.of("samples", "gpt_oom.pickle.xz"));
    assertEquals(3, run.exitCode());
    assertTrue(run.out().startsWith("No setting helps"), run.out());
  }
}
