package org.allocsim.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.allocsim.simulator.policy.Policies;
import org.allocsim.validation.benchmark.BenchmarkException;
import org.allocsim.validation.benchmark.BenchmarkPlan;
import org.allocsim.validation.benchmark.BenchmarkPlan.Effort;
import org.allocsim.validation.benchmark.BenchmarkPlan.Subject;
import org.allocsim.validation.benchmark.BenchmarkResults;
import org.allocsim.validation.benchmark.Measurement;
import org.allocsim.validation.benchmark.PolicyCase;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every benchmark works; how fast is nothing for a test. */
class BenchmarkRunnerTest {
  private static final int ALLOCATIONS = 3;

  @TempDir static Path folder;
  private static Path trace;

  @BeforeAll
  static void writeTrace() throws IOException {
    trace = folder.resolve("small.jsonl");
    Files.writeString(
        trace,
        """
        {"allocsim":"trace","version":1}
        {"op":"alloc","id":0,"bytes":4096}
        {"op":"alloc","id":1,"bytes":30000000}
        {"op":"free","id":0}
        {"op":"alloc","id":2,"bytes":2000000}
        {"op":"free","id":1}
        """);
  }

  private static List<Measurement> run(Set<Subject> subjects, List<PolicyCase> policies)
      throws BenchmarkException {
    BenchmarkPlan plan =
        new BenchmarkPlan(
            subjects,
            List.of(trace.toString()),
            List.of(BenchmarkPlan.SAMPLE),
            policies,
            Effort.LEAST);
    return new BenchmarkRunner(plan, false)
        .run((done, total) -> assertTrue(done <= total))
        .measurements();
  }

  @Test
  void aPassIsCountedInEventsAndRequests() throws BenchmarkException {
    for (Measurement each : run(Set.of(Subject.REPLAY), List.of())) {
      assertEquals("event", each.unit());
      // What is held at the end is given back; the cache serves all, so no segment comes or goes.
      assertEquals(2.0 / 3, each.requestsPerEvent(), 1e-9, each.id());
      assertEquals(0, each.events() % (3 * ALLOCATIONS), each.id());
      assertTrue(each.nanosPerEvent().least() > 0, each.id());
    }
  }

  @Test
  void idsTellInputAndSetting() throws BenchmarkException {
    assertEquals(
        List.of("replay/small/pytorch", "replay/small/pytorch(conf=expandable_segments:True)"),
        run(Set.of(Subject.REPLAY), List.of()).stream().map(Measurement::id).toList());
  }

  @Test
  void theShippedSnapshotIsReadInEveryCompression() throws BenchmarkException {
    List<Measurement> reads = run(Set.of(Subject.READ), List.of());
    assertEquals(
        List.of(
            "read/sample/none",
            "read/sample/gzip",
            "read/sample/xz",
            "read/sample/zstd",
            "derive/sample"),
        reads.stream().map(Measurement::id).toList());
    for (Measurement each : reads) {
      assertEquals(0, each.events() % 30_829, each.id());
      assertTrue(each.plainBytesPerEvent() > 10, each.id());
    }
  }

  @Test
  void simulationInTimeCountsRows() throws BenchmarkException {
    Measurement time = run(Set.of(Subject.TIME), List.of()).getFirst();
    assertEquals("row", time.unit());
    assertEquals(0, time.events() % 5);
  }

  @Test
  void everyPolicyIsMeasuredOrSaysWhyNot() throws BenchmarkException {
    List<PolicyCase> policies =
        Policies.all().stream()
            .map(provider -> new PolicyCase(provider.spec().id(), Map.of()))
            .toList();
    BenchmarkPlan plan =
        new BenchmarkPlan(
            Set.of(Subject.POLICIES), List.of(trace.toString()), List.of(), policies, Effort.LEAST);
    BenchmarkResults results = new BenchmarkRunner(plan, false).run((done, total) -> {});
    assertEquals(policies.size(), results.measurements().size() + results.notRun().size());
    assertTrue(results.measurements().size() > policies.size() / 2, results.notRun().toString());
  }

  @Test
  void aFailureIsASentence() {
    BenchmarkPlan plan =
        new BenchmarkPlan(
            Set.of(Subject.READ), List.of(), List.of(trace.toString()), List.of(), Effort.LEAST);
    BenchmarkException failure =
        assertThrows(
            BenchmarkException.class,
            () -> new BenchmarkRunner(plan, false).run((done, total) -> {}));
    assertTrue(failure.getMessage().startsWith("benchmark read/small/none failed: "));
    assertTrue(failure.getMessage().contains("small"), failure.getMessage());
  }
}
