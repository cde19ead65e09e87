package org.allocsim.reports.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The command line in a process of its own, which can be killed and has limits of its own. Whatever
 * started the tests, it hears SIGINT: a shell makes its jobs in the background deaf to that signal,
 * and Java stays so.
 */
final class Child {
  private static final String HEARING = "env --default-signal=INT,TERM";
  private static final String START =
      "if " + HEARING + " true 2>/dev/null; then exec " + HEARING + " \"$@\"; fi; exec \"$@\"";

  private Child() {}

  /**
   * Starts one.
   *
   * @param shell what a shell does before it, such as {@code ulimit -f 8}
   * @param jvm options of the JVM
   * @param log takes what it prints
   */
  static Process start(String shell, List<String> jvm, Path log, Object... arguments)
      throws IOException {
    return start(Main.class, shell, jvm, log, arguments);
  }

  /** As above, with another class that begins the program. */
  static Process start(Class<?> main, String shell, List<String> jvm, Path log, Object... arguments)
      throws IOException {
    List<String> command = new ArrayList<>(List.of("sh", "-c", shell + "; " + START, "sh"));
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of(
            "-XX:-UsePerfData",
            "-XX:TieredStopAtLevel=1",
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow"));
    command.addAll(jvm);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    Stream.of(arguments).map(String::valueOf).forEach(command::add);
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(log.toFile())
        .start();
  }
}
