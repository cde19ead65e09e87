package org.allocsim.reports.answer.validation;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.allocsim.analysis.text.JsonText;
import org.allocsim.reports.output.Failure;
import org.allocsim.validation.benchmark.BenchmarkEngine;
import org.allocsim.validation.benchmark.BenchmarkException;
import org.allocsim.validation.benchmark.BenchmarkPlan;
import org.allocsim.validation.benchmark.Machine;
import org.allocsim.validation.benchmark.ReplayInTurns;

/**
 * {@code allocsim bench --in-turns}: one line of JSON when all is warm, one for each line of input,
 * one when the input ends. Between them the process waits, so that another can measure on its core.
 */
public final class BenchTurns {
  private BenchTurns() {}

  /**
   * Takes turns until the input ends.
   *
   * @param plan with one program and one policy
   */
  public static void run(
      BenchmarkEngine engine, BenchmarkPlan plan, InputStream in, PrintWriter out)
      throws IOException {
    BufferedReader turns = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
    try {
      ReplayInTurns replay = engine.inTurns(plan);
      Map<String, Object> ready = new LinkedHashMap<>();
      ready.put("requests_per_pass", replay.requestsPerPass());
      ready.put("jdk", Machine.here().jdk());
      print(ready, out);
      while (turns.readLine() != null) {
        ReplayInTurns.Sample sample = replay.sample();
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("ns_per_request", sample.nanosPerRequest());
        line.put("ns_per_event", sample.nanosPerEvent());
        line.put("cpu_utilization_ratio", sample.cpuShare());
        print(line, out);
      }
      print(Map.of("passes", replay.passes()), out);
    } catch (BenchmarkException e) {
      throw new Failure(e.getMessage(), e);
    }
  }

  /** Whoever waits for a line gets it at once. */
  private static void print(Map<String, Object> line, PrintWriter out) throws IOException {
    out.println(JsonText.line(line));
    if (out.checkError()) {
      throw new IOException("standard output: the reader of the samples has gone");
    }
  }
}
