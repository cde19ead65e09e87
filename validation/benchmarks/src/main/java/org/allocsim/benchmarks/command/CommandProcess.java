package org.allocsim.benchmarks.command;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A whole command in a process of its own, and what it took. */
final class CommandProcess {
  private static final double NANOS_PER_SECOND = 1e9;
  private static final int LOOK_MILLIS = 5;

  /** A check that does not hold is an answer, too. */
  private static final int CHECK_DID_NOT_HOLD = 3;

  /**
   * What a command took.
   *
   * @param seconds by the clock
   * @param peakBytes most memory that it had; NaN where the system does not say
   */
  record Cost(double seconds, double peakBytes) {}

  private double peakBytes = Double.NaN;

  private CommandProcess() {}

  /**
   * How this process was started, up to its own arguments: others that start so are like it.
   *
   * @throws IOException where the system does not say
   */
  static List<String> startOfThisProcess() throws IOException {
    ProcessHandle.Info info = ProcessHandle.current().info();
    // The main class or archive, and the arguments.
    String own = System.getProperty("sun.java.command", "");
    List<String> start = new ArrayList<>();
    start.add(info.command().orElseThrow(CommandProcess::unknownStart));
    for (String argument : info.arguments().orElseThrow(CommandProcess::unknownStart)) {
      start.add(argument);
      if (own.equals(argument) || own.startsWith(argument + " ")) {
        return start;
      }
    }
    throw unknownStart();
  }

  private static IOException unknownStart() {
    return new IOException("the system does not say how this process was started");
  }

  /**
   * Runs a command to its end; what it prints is dropped.
   *
   * @throws IOException where it cannot be started or fails, with what it said
   */
  static Cost run(List<String> command) throws IOException {
    return new CommandProcess().cost(command);
  }

  private Cost cost(List<String> command) throws IOException {
    File said = File.createTempFile("allocsim-bench-", ".txt");
    try {
      long start = System.nanoTime();
      Process process =
          new ProcessBuilder(command)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .redirectError(said)
              .start();
      try {
        do {
          look(Path.of("/proc", Long.toString(process.pid())));
        } while (!process.waitFor(LOOK_MILLIS, TimeUnit.MILLISECONDS));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted", e);
      } finally {
        process.destroy();
      }
      double seconds = (System.nanoTime() - start) / NANOS_PER_SECOND;
      if (process.exitValue() != 0 && process.exitValue() != CHECK_DID_NOT_HOLD) {
        throw new IOException(
            Files.readString(said.toPath()).lines().findFirst().orElse("no reason given"));
      }
      return new Cost(seconds, peakBytes);
    } finally {
      Files.deleteIfExists(said.toPath());
    }
  }

  /** Notes how much memory the process has had so far, where it still runs on a Linux system. */
  private void look(Path process) {
    try {
      for (String line : Files.readAllLines(process.resolve("status"))) {
        if (line.startsWith("VmHWM:")) {
          peakBytes = Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024.0;
        }
      }
    } catch (IOException | NumberFormatException _) {
      // It has just ended, or the system has no such file.
    }
  }
}
