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

/**
 * What whole commands take on a long recording, from their start to their end, and what the start
 * takes by itself.
 */
public final class CommandBenchmark {
  /** Commands that take one recording. */
  private static final List<String> COMMANDS =
      List.of("replay", "tune", "diagnose", "min-capacity", "leaks");

  /** A command that hardly has anything to do than to start. */
  private static final String STARTING = "replay";

  private static final int START_ENTRIES = 1_000;
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
    return rounds * (1 + COMMANDS.size());
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
      Recording small = new Recording(folder.resolve("small.pickle"));
      Recording whole = new Recording(folder.resolve("recording.pickle"));
      try {
        small.write(START_ENTRIES);
        whole.write(entries);
        return run(cases(small, whole), done);
      } finally {
        Files.deleteIfExists(small.file);
        Files.deleteIfExists(whole.file);
        Files.delete(folder);
      }
    } catch (IOException | UncheckedIOException e) {
      throw new BenchmarkException("commands cannot be measured: " + e.getMessage(), e);
    }
  }

  /** A recording that is made for the benchmark. */
  private static final class Recording {
    private final Path file;
    private int events;

    Recording(Path file) {
      this.file = file;
    }

    void write(int entries) throws IOException {
      events = LongRecording.write(file, entries);
    }
  }

  /**
   * A command that is measured.
   *
   * @param id name of the measurement
   */
  private record Case(String id, String what, String command, Recording recording) {}

  private static List<Case> cases(Recording small, Recording whole) {
    List<Case> cases = new ArrayList<>();
    cases.add(
        new Case(
            "command/start",
            "whole command %s on %,d events".formatted(STARTING, small.events).replace(',', ' '),
            STARTING,
            small));
    for (String command : COMMANDS) {
      cases.add(
          new Case(
              "command/" + command,
              "whole command " + command + " on a recording",
              command,
              whole));
    }
    return cases;
  }

  private List<Measurement> run(List<Case> cases, Runnable done)
      throws IOException, BenchmarkException {
    Map<Case, List<CommandProcess.Cost>> costs = new LinkedHashMap<>();
    for (int round = 0; round < rounds; round++) {
      for (Case each : cases) {
        costs.computeIfAbsent(each, _ -> new ArrayList<>()).add(cost(each));
        done.run();
      }
    }
    List<Measurement> measurements = new ArrayList<>();
    for (Case each : cases) {
      measurements.add(measurement(each, costs.getOrDefault(each, List.of())));
    }
    return measurements;
  }

  private CommandProcess.Cost cost(Case measured) throws BenchmarkException {
    List<String> line = new ArrayList<>(start);
    line.add(measured.command);
    line.add(measured.recording.file.toString());
    try {
      return CommandProcess.run(line);
    } catch (IOException e) {
      throw new BenchmarkException("command " + measured.command + " failed: " + e.getMessage(), e);
    }
  }

  private static Measurement measurement(Case measured, List<CommandProcess.Cost> costs)
      throws IOException {
    int events = measured.recording.events;
    return new Measurement(
        measured.id,
        measured.what,
        "event",
        samples(costs, cost -> cost.seconds() * NANOS_PER_SECOND / events),
        Double.NaN,
        Double.NaN,
        (double) Files.size(measured.recording.file) / events,
        Double.NaN,
        samples(costs, CommandProcess.Cost::peakBytes).median(),
        (long) events * costs.size());
  }

  private static Samples samples(
      List<CommandProcess.Cost> costs, Function<CommandProcess.Cost, Double> part) {
    return new Samples(costs.stream().map(part).toList());
  }
}
