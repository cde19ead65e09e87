package org.allocsim.reports.cli;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Sweeps in processes of their own, which can be killed and have a heap of their own. */
final class ChildSweep {
  private ChildSweep() {}

  /**
   * Starts one.
   *
   * @param heap most heap, such as {@code 64m}
   * @param log takes what it prints
   */
  static Process start(String heap, Path log, Object... arguments) throws IOException {
    return start(heap, log, _ -> true, arguments);
  }

  /**
   * Starts one that lacks some of the libraries.
   *
   * @param libraries which files of the class path it has, by their names
   */
  static Process start(String heap, Path log, Predicate<String> libraries, Object... arguments)
      throws IOException {
    String classPath =
        Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter(entry -> libraries.test(Path.of(entry).getFileName().toString()))
            .collect(Collectors.joining(File.pathSeparator));
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of(
            "-Xmx" + heap,
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow",
            "-cp",
            classPath,
            Main.class.getName(),
            "sweep"));
    Stream.of(arguments).map(String::valueOf).forEach(command::add);
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(log.toFile())
        .start();
  }
}
