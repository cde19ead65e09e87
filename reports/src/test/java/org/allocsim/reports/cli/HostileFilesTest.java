package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.github.luben.zstd.ZstdOutputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whatever a file holds, a command ends within 512 MiB of Java heap and five seconds of processor
 * time, with an answer or one sentence. Every run is a process of its own, whose processor time is
 * measured; where a file makes the heap the end of it, the sentence says how to raise it.
 *
 * <p>{@code -Dallocsim.hostile=FOLDER} names the folder of files; small ones of the same kinds are
 * made here and always run.
 */
class HostileFilesTest {
  private static final long MOST_CPU_MILLIS = 5_000 * Integer.getInteger("allocsim.patience", 2);

  private static final Path FOLDER =
      Path.of(System.getProperty("allocsim.hostile", "../../shared/hostile"));

  /** Files about the speed of policies, devices and timelines, which have tests of their own. */
  private static final Set<String> OF_POLICIES =
      Set.of(
          "cubic_uses.jsonl.xz",
          "quad_uses.jsonl.xz",
          "compute1.json",
          "frag.jsonl.xz",
          "streams31k.jsonl.xz");

  @TempDir private Path folder;

  static Stream<Path> files() throws IOException {
    if (!Files.isDirectory(FOLDER)) {
      return Stream.of(FOLDER);
    }
    try (Stream<Path> files = Files.list(FOLDER)) {
      return files
          .filter(file -> !OF_POLICIES.contains(file.getFileName().toString()))
          .sorted()
          .toList()
          .stream();
    }
  }

  @ParameterizedTest
  @MethodSource("files")
  void aHostileFileIsAnsweredOrRefusedInOneSentence(Path file) throws Exception {
    assumeTrue(
        Files.isDirectory(FOLDER),
        "no hostile files: " + FOLDER.toAbsolutePath().normalize() + " is no folder");
    String name = file.getFileName().toString();
    if (name.startsWith("fleet-defect")) {
      Files.copy(file, folder.resolve("rows.csv"));
      holds(run("fleet-report", folder));
    } else if (name.endsWith("totalmax.json")) {
      holds(run("compare", sample(), "--device", file));
    } else {
      holds(run("replay", file));
      holds(run("replay", file, "--check"));
      if (name.endsWith(".jsonl")) {
        Path repeated = folder.resolve("repeated.jsonl");
        holds(run("transform", file, "--repeat", "2", "-o", repeated));
      }
      if (name.endsWith(".pickle")) {
        holds(run("inspect", file));
        holds(run("verify", file));
      }
    }
  }

  @Test
  void aTimeWithAnEnormousExponentIsRefusedWithItsLine() throws Exception {
    Path file = folder.resolve("profile.json");
    Files.writeString(
        file,
        """
        {"traceEvents": [
        {"ph": "i", "name": "[memory]", "ts": 1e999999999,
         "args": {"Device Type": 1, "Device Id": 0, "Addr": 512, "Bytes": 512}}
        ]}
        """);
    refused(run("replay", file), "line 2", "beyond any clock");
  }

  @Test
  void aLineWithoutAnEndIsRefused() throws Exception {
    Path file = folder.resolve("line.jsonl.zst");
    try (OutputStream out = compressed(file)) {
      write(out, "{\"allocsim\":\"trace\",\"version\":1}\n{\"op\":\"begin\",\"name\":\"");
      for (int i = 0; i < 64; i++) {
        write(out, "A".repeat(1 << 20));
      }
      write(out, "\"}\n");
    }
    refused(run("replay", file), "line 2", "longer than 4 MiB");
  }

  @Test
  void aPickleThatRemembersMoreThanItHoldsIsRefused() throws Exception {
    Path file = folder.resolve("memo.pickle.zst");
    try (OutputStream out = compressed(file)) {
      out.write(new byte[] {(byte) 0x80, 4, ']', 'N'});
      // Noise, so that the file does not expand further than files may.
      noise(out, 300 << 10);
      byte[] memoize = new byte[1 << 20];
      java.util.Arrays.fill(memoize, (byte) 0x94);
      for (int i = 0; i < 240; i++) {
        out.write(memoize);
      }
    }
    refused(run("replay", file), "which no recording does");
  }

  @Test
  void sumsThatWrapAreRefused() throws Exception {
    Path file = folder.resolve("sums.jsonl");
    Files.writeString(
        file,
        """
        {"allocsim":"trace","version":1}
        {"op":"stream","stream":0}
        {"op":"alloc","id":1,"bytes":9223372036854775807}
        {"op":"alloc","id":2,"bytes":9223372036854775807}
        """);
    refused(run("replay", file), "line 4", "more than 2^63 bytes");
  }

  @Test
  void aTraceWithoutRequestsCannotBeRepeated() throws Exception {
    Path file = folder.resolve("empty.jsonl");
    Files.writeString(
        file, "{\"allocsim\":\"trace\",\"version\":1}\n{\"op\":\"stream\",\"stream\":0}\n");
    refused(
        run("transform", file, "--repeat", "2", "-o", folder.resolve("out.jsonl")),
        "no requests to repeat");
  }

  private static Path sample() {
    return Path.of("samples", "gpt_oom.pickle.xz").toAbsolutePath();
  }

  private static OutputStream compressed(Path file) throws IOException {
    return new ZstdOutputStream(new BufferedOutputStream(Files.newOutputStream(file)));
  }

  private static void write(OutputStream out, String text) throws IOException {
    out.write(text.getBytes(StandardCharsets.UTF_8));
  }

  /** Bytes that do not compress, as the content of BINBYTES. */
  private static void noise(OutputStream out, int bytes) throws IOException {
    byte[] noise = new byte[bytes];
    new java.util.SplittableRandom(1).nextBytes(noise);
    out.write(new byte[] {'B', (byte) bytes, (byte) (bytes >> 8), (byte) (bytes >> 16), 0});
    out.write(noise);
  }

  private record Ended(List<String> command, int exitCode, long cpuMillis, String error) {
    @Override
    public String toString() {
      return command + " ended with " + exitCode + " after " + cpuMillis + " ms: " + error;
    }
  }

  private static void holds(Ended run) {
    assertAll(
        () -> assertTrue(Set.of(0, 1, 3).contains(run.exitCode), run.toString()),
        () -> assertTrue(run.cpuMillis <= MOST_CPU_MILLIS, run.toString()),
        () -> assertFalse(run.error.contains("defect of allocsim"), run.toString()),
        () -> assertFalse(run.error.contains("\tat "), run.toString()),
        () -> assertTrue(run.exitCode != 1 || run.error.lines().count() == 1, run.toString()));
  }

  private static void refused(Ended run, String... words) {
    holds(run);
    assertEquals(1, run.exitCode, run.toString());
    for (String word : words) {
      assertTrue(run.error.contains(word), run.toString());
    }
  }

  private Ended run(Object... arguments) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of(
            "-Xmx512m",
            "-XX:+UseParallelGC",
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow",
            "-cp",
            System.getProperty("java.class.path"),
            MeasuredMain.class.getName()));
    for (Object argument : arguments) {
      command.add(String.valueOf(argument));
    }
    Path error = Files.createTempFile(folder, "error", ".txt");
    Process process =
        new ProcessBuilder(command)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(error.toFile())
            .start();
    if (!process.waitFor(2, TimeUnit.MINUTES)) {
      process.destroyForcibly().waitFor();
    }
    List<String> lines = new ArrayList<>(Files.readAllLines(error));
    String last = lines.isEmpty() ? "" : lines.removeLast();
    assertTrue(last.startsWith(MeasuredMain.CPU), command + " said " + last);
    return new Ended(
        command.subList(7, command.size()),
        process.exitValue(),
        Long.parseLong(last.substring(MeasuredMain.CPU.length())),
        String.join("\n", lines));
  }
}
