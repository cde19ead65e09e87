package org.allocsim.licences;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A program that ran to its end, in an environment of its own.
 *
 * @param exitCode how it ended
 * @param output what it printed, on either stream
 */
record Ran(int exitCode, String output) {
  static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();
  static final Path SAMPLE = ROOT.resolve("reports/samples/gpt_oom.pickle.xz");

  /**
   * Runs one.
   *
   * @param folder takes a file with the output
   * @param environment all variables that it has besides the path
   */
  static Ran of(Path folder, Map<String, String> environment, Object... command)
      throws IOException, InterruptedException {
    Path output = Files.createTempFile(folder, "output", "");
    ProcessBuilder builder = new ProcessBuilder(Stream.of(command).map(String::valueOf).toList());
    builder.environment().clear();
    builder.environment().put("PATH", "/usr/bin:/bin:/usr/sbin:/sbin");
    builder.environment().putAll(environment);
    int exitCode =
        builder
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start()
            .waitFor();
    String printed = Files.readString(output, UTF_8);
    Files.delete(output);
    return new Ran(exitCode, printed);
  }

  /** Runs a script of the shell. */
  static Ran script(Path folder, Map<String, String> environment, String script)
      throws IOException, InterruptedException {
    return of(folder, environment, "sh", "-euc", script);
  }

  /** Runs a script that may mount what it likes: nobody else sees it. */
  static Ran mounting(Path folder, Map<String, String> environment, String script)
      throws IOException, InterruptedException {
    List<String> alone = List.of("unshare", "-r", "-m");
    assumeTrue(
        of(folder, Map.of(), "sh", "-c", "unshare -r -m mount -t tmpfs none /mnt").exitCode() == 0,
        "mounts of one's own are not allowed here, so this is not tested");
    return of(
        folder,
        environment,
        Stream.concat(alone.stream(), Stream.of("sh", "-euc", script)).toArray());
  }

  /** Makes a bundle in a folder. */
  static Path bundle(Path folder, String... parts) throws IOException, InterruptedException {
    Path archive = folder.resolve("allocsim.tgz");
    Stream<Object> command =
        Stream.concat(
            Stream.of(
                ROOT.resolve("validation/bundle.sh"),
                ROOT.resolve("reports/app/target/app"),
                System.getProperty("java.home"),
                archive),
            Stream.of(parts));
    of(folder, Map.of(), command.toArray()).made();
    return archive;
  }

  /** Itself, where it ended well. */
  Ran made() {
    assertEquals(0, exitCode, output);
    return this;
  }

  /** Whether it refused in one sentence that has these words. */
  void assertRefused(String words) {
    assertEquals(1, exitCode, output);
    assertEquals(1, output.lines().count(), output);
    assertEquals("allocsim: ", output.substring(0, Math.min(10, output.length())), output);
    assertEquals(true, output.contains(words), output);
  }
}
