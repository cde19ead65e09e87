package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.allocsim.analysis.recording.RecordedCircumstances;
import org.allocsim.analysis.tuning.Platform;
import org.allocsim.analysis.tuning.Tuning;
import org.allocsim.analysis.tuning.TuningGrid;
import org.allocsim.reports.answer.compare.RecordedTrial;
import org.allocsim.reports.output.ExitCodes;
import org.allocsim.simulator.policy.Policies;
import org.allocsim.simulator.policy.PolicyChoice;
import org.allocsim.simulator.policy.pytorch.MemoryLimit;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.run.FailedRequest;
import org.allocsim.simulator.run.RunResult;
import org.allocsim.workloads.source.DeviceTrace;
import org.allocsim.workloads.source.ReadingOptions;
import org.allocsim.workloads.source.Recording;
import org.allocsim.workloads.source.TraceSource;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Without options, what is said of the recorded settings is what was recorded. */
class RecordedRowTest {
  @TestFactory
  Stream<DynamicTest> theRowOfTheRecordedSettingsIsTheRecording() throws IOException {
    return each(RecordedRowTest::compareRows);
  }

  @TestFactory
  Stream<DynamicTest> verifyFindsEveryRecordingExact() throws IOException {
    return each(file -> {
      CommandRun run = CommandRun.of("verify", file);
      assertEquals("", run.err());
      assertEquals(ExitCodes.DONE, run.exitCode(), run.out());
    });
  }

  private interface Check {
    void of(Path file) throws Exception;
  }

  private static Stream<DynamicTest> each(Check check) throws IOException {
    return SameAnswersTest.recordings().stream()
        .map(file -> DynamicTest.dynamicTest(file.getFileName().toString(), () -> check.of(file)));
  }

  private static void compareRows(Path file) throws Exception {
    TraceSource source = TraceSource.open(file.toString(), null, (_, _) -> {});
    PyTorchVersion version = source.release().orElse(PyTorchVersion.DEFAULT);
    var opened = source.read(ReadingOptions.of(version));
    DeviceTrace input = new DeviceTrace(opened, opened.device(null));
    Recording recording = input.recording().orElseThrow();
    RecordedCircumstances circumstances = RecordedCircumstances.of(input, MemoryLimit.NONE, null);
    String conf = input.conf() == null ? "" : input.conf();
    List<String> confs = Stream.of(conf, "").distinct().toList();
    Tuning tuning =
        Tuning.run(
            input,
            new TuningGrid(confs, Map.of()),
            version,
            Platform.LINUX,
            circumstances,
            (_, _) -> {});
    PolicyChoice choice =
        new PolicyChoice(
            Policies.named("pytorch").orElseThrow(),
            Map.of("conf", conf, "torch-version", version.id()));
    RunResult compared =
        new RecordedTrial(input, circumstances, null)
            .runAll(List.of(choice), (_, _) -> {})
            .getFirst()
            .result();
    List<Long> failed = new ArrayList<>();
    recording.failures(input.device()).forEach(each -> failed.add(each.requestedBytes()));
    for (RunResult row : List.of(tuning.recorded().result(), compared)) {
      assertEquals(recording.peakBytes(input.device()), row.peakReservedBytes());
      assertEquals(failed.size(), row.failureCount());
      List<Long> rowFailed = row.failures().stream().map(FailedRequest::requestedBytes).toList();
      assertEquals(failed.subList(0, rowFailed.size()), rowFailed);
    }
  }
}
