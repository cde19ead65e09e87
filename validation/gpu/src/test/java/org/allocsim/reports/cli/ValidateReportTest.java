package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.allocsim.analysis.text.JsonText;
import org.allocsim.reports.answer.gpu.ValidateAnswer;
import org.allocsim.reports.answer.gpu.ValidateCharts;
import org.allocsim.reports.answer.gpu.ValidatedCase;
import org.allocsim.reports.document.render.JsonRenderer;
import org.allocsim.reports.document.render.TerminalRenderer;
import org.allocsim.reports.output.ChartFolder;
import org.allocsim.reports.output.OutputFiles;
import org.allocsim.simulator.device.cost.DriverCall;
import org.allocsim.simulator.policy.Policies;
import org.allocsim.simulator.policy.PolicyChoice;
import org.allocsim.validation.gpu.AddressComparison;
import org.allocsim.validation.gpu.CaseResult;
import org.allocsim.validation.gpu.DriverTime;
import org.allocsim.validation.gpu.Exactness;
import org.allocsim.validation.gpu.HostSlowness;
import org.allocsim.validation.gpu.OomComparison;
import org.allocsim.validation.gpu.cuda.CudaDevice;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

class ValidateReportTest {
  private static final long MIB = 1L << 20;

  @TempDir private Path folder;

  private static ValidatedCase of(
      String policy, Exactness free, long predictedPeak, long realPeak, OomComparison failures) {
    DriverTime time =
        new DriverTime(
            List.of(
                new DriverTime.Kind(DriverCall.FREE, 3, 3, 30_000, 20_000),
                new DriverTime.Kind(DriverCall.ALLOCATE, 3, 3, 90_000, 100_000)),
            new HostSlowness(1.5, 1.2, 1.1),
            80_000,
            120_000,
            120_000,
            0.9,
            1.1);
    CaseResult result =
        new CaseResult(
            "h200",
            100 * MIB,
            false,
            100 * MIB,
            9,
            free.compared(),
            free.compared(),
            free.compared(),
            null,
            0,
            false,
            free,
            new Exactness(0, 0, 0, 0),
            new Exactness(0, 0, 0, 0),
            new AddressComparison(4, 4, 4, 1, 0, 0.5),
            predictedPeak,
            realPeak,
            failures,
            time);
    return new ValidatedCase(
        "a.pickle",
        "00",
        new PolicyChoice(Policies.named(policy).orElseThrow(), Map.of()),
        -1,
        -1,
        false,
        null,
        result);
  }

  /** Three cases, one of them near its limits. */
  static ValidateAnswer report() {
    return new ValidateAnswer(
        "2026-01-01",
        "580.1",
        new CudaDevice.Identity("a GPU", 13_000, 200 * MIB, 100 * MIB),
        100 * MIB,
        Long.MAX_VALUE,
        false,
        List.of(
            of(
                "direct",
                new Exactness(10, 10, 0, 0),
                4 * MIB,
                4 * MIB,
                new OomComparison(-1, -1, 0, 0, true)),
            of(
                "pytorch",
                new Exactness(30, 15, 4 * MIB, 2 * MIB),
                20 * MIB,
                22 * MIB,
                new OomComparison(7, 5, 1, 1, false)),
            of(
                "pytorch",
                new Exactness(10, 10, 0, 0),
                20 * MIB,
                20 * MIB,
                new OomComparison(-1, 5, 0, 1, false))));
  }

  @Test
  void theFolderGetsChartsInBothThemesAndFormats() throws IOException {
    try (OutputFiles outputs = new OutputFiles(new PrintWriter(new StringWriter()))) {
      ValidateCharts.write(report(), new ChartFolder(outputs, "--report", folder, null));
      outputs.commit();
    }
    assertEquals(
        List.of(
            "driver-time-dark.png",
            "driver-time-dark.svg",
            "driver-time.png",
            "driver-time.svg",
            "peak-memory-dark.png",
            "peak-memory-dark.svg",
            "peak-memory.png",
            "peak-memory.svg"),
        CommandRun.files(folder));
    String time = Files.readString(folder.resolve("driver-time-dark.svg"));
    assertTrue(time.contains(">cuMemAlloc<") && time.contains(">cuMemFree<"), time);
    assertTrue(time.indexOf(">cuMemAlloc<") < time.indexOf(">cuMemFree<"));
    String peak = Files.readString(folder.resolve("peak-memory.svg"));
    assertTrue(peak.contains(">direct<") && peak.contains(">pytorch<"), peak);
  }

  @Test
  void theTextHasAVerdictOnEveryQuantity() {
    StringWriter written = new StringWriter();
    TerminalRenderer.print(report().document(), new PrintWriter(written));
    String text = written.toString().replaceAll(" +", " ");
    for (String line :
        new String[] {
          "the same driver calls, sizes and failures 3 of 3 100.0 % 43.9 % to 100.0 %",
          "free bytes right after every call 2 of 3 66.7 % 20.8 % to 93.9 %",
          "peak underestimated 1 of 3 33.3 % 6.1 % to 79.2 %",
          "pool reserved and used always right 0 of 0 - -",
          "free bytes after a call 50 70.0 % 1.20 MiB 0 B to 2.00 MiB 4.00 MiB",
          "peak of a case 3 66.7 % 682.67 KiB 0 B to 2.00 MiB 2.00 MiB",
          "none predicted 1 1",
          "one predicted 0 1",
          "- at the same request 0",
          "- at a different request 1",
          "tau): mean 0.500, minimum 0.500.",
        }) {
      assertTrue(text.contains(line), line + "\n" + text);
    }
  }

  @Test
  void theJsonHasTheSameVerdict() throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    JsonText.write(JsonRenderer.json(report().document()), out);
    JsonNode summary = new ObjectMapper().readTree(out.toByteArray()).get("summary");
    assertEquals(1, summary.get("failure_confusion").get("both").asInt());
    assertEquals(1, summary.get("failure_confusion").get("measured_only").asInt());
    JsonNode rate = summary.get("case_ratios").get("peak_underestimated");
    assertEquals(1, rate.get("count").asInt());
    assertEquals(0.0615, rate.get("low").asDouble(), 1e-4);
    JsonNode free = summary.get("quantities").get("free_bytes");
    assertEquals(35, free.get("exact").asInt());
    assertEquals(1.2 * MIB, free.get("mean_error_bytes").asDouble(), 1e-6);
    assertEquals(4 * MIB, free.get("max_error_bytes").asLong());
    assertTrue(summary.get("quantities").get("pool_used_bytes").get("mean_error_bytes").isNull());
    assertEquals(0.5, summary.get("kendall_tau_mean").asDouble());
  }
}
