package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.allocsim.benchmarks.command.CommandBenchmark;
import org.allocsim.reports.answer.validation.BenchAnswer;
import org.allocsim.reports.document.render.TerminalRenderer;
import org.allocsim.validation.benchmark.BenchmarkException;
import org.allocsim.validation.benchmark.BenchmarkPlan.Effort;
import org.allocsim.validation.benchmark.Machine;
import org.allocsim.validation.benchmark.Measurement;
import org.junit.jupiter.api.Test;

/** Whole commands are measured from outside, with their time and memory. */
class CommandBenchmarkTest {
  private static List<String> start(String mainClass) {
    return List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-cp",
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
        mainClass);
  }

  @Test
  void commandsOnARecordingAreMeasuredWithTheirMemory() throws Exception {
    CommandBenchmark benchmark = new CommandBenchmark(start(Main.class.getName()), Effort.LEAST);
    int[] done = {0};
    List<Measurement> measurements = benchmark.run(() -> done[0]++);
    assertEquals(
        List.of(
            "command/start",
            "command/replay",
            "command/tune",
            "command/diagnose",
            "command/min-capacity",
            "command/leaks"),
        measurements.stream().map(Measurement::id).toList());
    assertEquals(benchmark.commandCount(), done[0]);
    assertTrue(measurements.getFirst().events() < measurements.getLast().events() / 10);
    for (Measurement each : measurements) {
      assertTrue(each.nanosPerEvent().median() > 0, each.toString());
      assertTrue(each.plainBytesPerEvent() > 10, each.toString());
      if (Path.of("/proc/self/status").toFile().exists()) {
        // A JVM takes tens of megabytes.
        assertTrue(each.peakResidentBytes() > 10 << 20, each.toString());
      }
    }
    StringWriter text = new StringWriter();
    TerminalRenderer.print(
        new BenchAnswer(Machine.here(), 1, measurements, Map.of(), null, 0.1).document(),
        new PrintWriter(text, true));
    assertTrue(text.toString().contains("MiB at its peak"), text.toString());
  }

  @Test
  void aCommandThatFailsEndsTheBenchmarkWithItsReason() {
    CommandBenchmark benchmark = new CommandBenchmark(start("example.Missing"), Effort.LEAST);
    BenchmarkException failure =
        assertThrows(BenchmarkException.class, () -> benchmark.run(() -> {}));
    assertTrue(failure.getMessage().startsWith("command replay failed: "), failure.getMessage());
  }
}
