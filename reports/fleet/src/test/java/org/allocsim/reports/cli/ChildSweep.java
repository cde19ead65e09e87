package org.allocsim.reports.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Sweeps in processes of their own, which can be killed and have a heap of their own. */
final class ChildSweep {
  private ChildSweep() {}

  /**
   * Starts one.
   *
   * @param heap maximum heap, such as {@code 64m}
   * @param log takes what it prints
   */
  static Process start(String heap, Path log, Object... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of(
            "-Xmx" + heap,
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow",
            "-cp",
            System.getProperty("java.class.path"),
            Main.class.getName(),
            "sweep"));
    Stream.of(arguments).map(String::valueOf).forEach(command::add);
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(log.toFile())
        .start();
  }
}
