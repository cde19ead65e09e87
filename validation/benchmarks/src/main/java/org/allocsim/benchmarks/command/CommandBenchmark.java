package org.allocsim.benchmarks.command;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.allocsim.validation.benchmark.BenchmarkException;
import org.allocsim.validation.benchmark.BenchmarkPlan.Effort;
import org.allocsim.validation.benchmark.Measurement;
import org.allocsim.validation.benchmark.Samples;

/** What whole commands take on a long recording, from their start to their end. */
public final class CommandBenchmark {
  /** Commands that take one recording. */
  private static final List<String> COMMANDS =
      List.of("replay", "tune", "diagnose", "min-capacity", "leaks");

  private static final int FEW_ENTRIES = 20_000;
  private static final int MAX_SAMPLES_PER_RUN = 3;
  private static final double NANOS_PER_SECOND = 1e9;

  private final List<String> start;
  private final int entries;
  private final int rounds;

  /**
   * A benchmark of commands that are started as this process was.
   *
   * @throws BenchmarkException where the system does not say how that was
   */
  public static CommandBenchmark of(Effort effort) throws BenchmarkException {
    try {
      return new CommandBenchmark(CommandProcess.startOfThisProcess(), effort);
    } catch (IOException e) {
      throw new BenchmarkException("commands cannot be started: " + e.getMessage(), e);
    }
  }

  /**
   * A benchmark of commands.
   *
   * @param start how allocsim is started, up to the command's name
   */
  public CommandBenchmark(List<String> start, Effort effort) {
    this.start = List.copyOf(start);
    entries = effort.warmUps() == 0 ? FEW_ENTRIES : LongRecording.USUAL_ENTRIES;
    rounds = effort.runs() * Math.min(effort.samples(), MAX_SAMPLES_PER_RUN);
  }

  /** Number of commands that {@link #run} starts. */
  public int commandCount() {
    return rounds * COMMANDS.size();
  }

  /**
   * Measures all commands in turns.
   *
   * @param done called after each command
   * @throws BenchmarkException where a command fails
   */
  public List<Measurement> run(Runnable done) throws BenchmarkException {
    try {
      Path folder = Files.createTempDirectory("allocsim-bench-");
      Path recording = folder.resolve("recording.pickle");
      try {
        int written = LongRecording.write(recording, entries);
        return run(recording, written, done);
      } finally {
        Files.deleteIfExists(recording);
        Files.delete(folder);
      }
    } catch (IOException | UncheckedIOException e) {
      throw new BenchmarkException("commands cannot be measured: " + e.getMessage(), e);
    }
  }

  private List<Measurement> run(Path recording, int events, Runnable done)
      throws IOException, BenchmarkException {
    Map<String, List<CommandProcess.Cost>> costs = new LinkedHashMap<>();
    for (int round = 0; round < rounds; round++) {
      for (String command : COMMANDS) {
        costs.computeIfAbsent(command, _ -> new ArrayList<>()).add(cost(command, recording));
        done.run();
      }
    }
    double bytesPerEvent = (double) Files.size(recording) / events;
    return costs.entrySet().stream()
        .map(each -> measurement(each.getKey(), each.getValue(), events, bytesPerEvent))
        .toList();
  }

  private CommandProcess.Cost cost(String command, Path recording) throws BenchmarkException {
    List<String> line = new ArrayList<>(start);
    line.add(command);
    line.add(recording.toString());
    try {
      return CommandProcess.run(line);
    } catch (IOException e) {
      throw new BenchmarkException("command " + command + " failed: " + e.getMessage(), e);
    }
  }

  private static Measurement measurement(
      String command, List<CommandProcess.Cost> costs, int events, double bytesPerEvent) {
    return new Measurement(
        "command/" + command,
        "whole command " + command + " on a recording",
        "event",
        samples(costs, cost -> cost.seconds() * NANOS_PER_SECOND / events),
        Double.NaN,
        Double.NaN,
        bytesPerEvent,
        Double.NaN,
        samples(costs, CommandProcess.Cost::peakBytes).median(),
        (long) events * costs.size());
  }

  private static Samples samples(
      List<CommandProcess.Cost> costs, Function<CommandProcess.Cost, Double> part) {
    return new Samples(costs.stream().map(part).toList());
  }
}
