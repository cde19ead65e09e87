package org.allocsim.benchmarks;

import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.format.OutputFormat;

/** Keeps what JMH and its processes print, to find out why one failed. */
final class Transcript implements OutputFormat {
  private static final Pattern THROWN =
      Pattern.compile("^(?:[\\w.$]+\\.)?(\\w+(?:Exception|Error))(?:: (.+))?$", Pattern.MULTILINE);
  private static final Pattern LOCKED = Pattern.compile("jmh\\.lock|Another JMH instance");
  private static final int MAX_CHARACTERS = 1 << 16;

  private final StringBuilder text = new StringBuilder();

  /** Why a benchmark failed, as far as what was printed says. */
  String reason(Exception failure) {
    String all = text + "\n" + failure.getMessage() + "\n" + failure.getCause();
    if (LOCKED.matcher(all).find()) {
      return "another benchmark runs on this machine; wait for its end";
    }
    Matcher thrown = THROWN.matcher(all);
    if (thrown.find()) {
      return thrown.group(2) == null ? thrown.group(1) : thrown.group(2);
    }
    return String.valueOf(failure.getMessage());
  }

  private void keep(String more) {
    if (text.length() < MAX_CHARACTERS) {
      text.append(more);
    }
  }

  @Override
  public void print(String more) {
    keep(more);
  }

  @Override
  public void println(String more) {
    keep(more + "\n");
  }

  @Override
  public void write(int character) {
    keep(String.valueOf((char) character));
  }

  @Override
  public void write(byte[] bytes) {
    keep(new String(bytes, StandardCharsets.UTF_8));
  }

  @Override
  public void verbosePrintln(String more) {}

  @Override
  public void iteration(BenchmarkParams benchmark, IterationParams params, int iteration) {}

  @Override
  public void iterationResult(
      BenchmarkParams benchmark, IterationParams params, int iteration, IterationResult data) {}

  @Override
  public void startBenchmark(BenchmarkParams benchmark) {}

  @Override
  public void endBenchmark(BenchmarkResult result) {}

  @Override
  public void startRun() {}

  @Override
  public void endRun(Collection<RunResult> results) {}

  @Override
  public void flush() {}

  @Override
  public void close() {}
}
