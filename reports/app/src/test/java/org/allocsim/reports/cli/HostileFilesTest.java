package org.allocsim.reports.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.github.luben.zstd.ZstdOutputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.allocsim.reports.output.ExitCodes;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Files that were made to hang, to fill memory or to reach a defect end in an answer or in one
 * sentence, within 512 MiB of heap and 5 s of processor time.
 *
 * <p>Each runs in a process of its own, whose processor time and resident memory the operating
 * system counts; no clock is looked at. A slow or a busy machine takes more processor time for the
 * same work, so where twenty starts of the program take longer than 5 s, they are the limit. What
 * is resident is the heap and what the JVM needs besides, for its code above all.
 */
@EnabledOnOs(OS.LINUX)
class HostileFilesTest {
  private static final Path FILES =
      Path.of(System.getProperty("allocsim.hostile", "../../shared/hostile"));

  private static final long MIB = 1L << 20;
  private static final long MAX_BYTES = 512 * MIB;
  private static final long JVM_BYTES = 256 * MIB;
  private static final long MAX_NANOS = 5_000_000_000L;
  private static final int STARTS = 20;

  /** Ends a process that hangs; not what is tested. */
  private static final int MAX_MINUTES = 5;

  private static final String HEADER =
      "{\"allocsim\":\"trace\",\"version\":1}\n{\"op\":\"stream\",\"stream\":0}\n";

  private static long maxNanos;

  @TempDir private Path folder;

  private record Run(int exitCode, String said, MeasuredMain.Cost cost) {}

  @BeforeAll
  static void oneStart(@TempDir Path folder) throws Exception {
    Run start = run(folder, "list", "formats");
    assertEquals(ExitCodes.DONE, start.exitCode(), start.said());
    maxNanos = Math.max(MAX_NANOS, STARTS * start.cost().cpuNanos());
  }

  private static Run run(Path folder, Object... arguments) throws Exception {
    Path log = folder.resolve("said.txt");
    Path cost = folder.resolve("cost.txt");
    List<String> jvm = List.of("-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=4");
    List<Object> words = new ArrayList<>(List.of(cost));
    words.addAll(List.of(arguments));
    Process process = Child.start(MeasuredMain.class, ":", jvm, log, words.toArray());
    try {
      assertTrue(process.waitFor(MAX_MINUTES, TimeUnit.MINUTES), "it does not end");
    } finally {
      process.destroyForcibly();
    }
    return new Run(
        process.exitValue(), Files.readString(log, ISO_8859_1), MeasuredMain.Cost.read(cost));
  }

  private Run assertBounded(Object... arguments) throws Exception {
    Run run = run(folder, arguments);
    assertNothingInternal(run);
    if (run.exitCode() == ExitCodes.FAILED) {
      assertEquals(1, run.said().lines().count(), run.said());
      assertTrue(run.said().startsWith("allocsim: "), run.said());
    } else {
      assertTrue(
          run.exitCode() == ExitCodes.DONE || run.exitCode() == ExitCodes.CHECK_DID_NOT_HOLD,
          run.exitCode() + ": " + run.said());
    }
    assertTrue(run.cost().cpuNanos() <= maxNanos, () -> run.cost() + ", at most " + maxNanos);
    assertTrue(run.cost().peakBytes() <= MAX_BYTES + JVM_BYTES, () -> run.cost().toString());
    return run;
  }

  private static void assertNothingInternal(Run run) {
    assertFalse(run.said().contains("this is a bug in allocsim"), run.said());
    assertFalse(run.said().contains("Exception"), run.said());
  }

  private void assertRefused(String cause, Object... arguments) throws Exception {
    Run run = assertBounded(arguments);
    assertEquals(ExitCodes.FAILED, run.exitCode(), run.said());
    assertTrue(run.said().contains(cause), run.said());
  }

  private static Path hostile(String name) {
    Path file = FILES.resolve(name);
    assumeTrue(Files.exists(file), "there is no " + file);
    return file.toAbsolutePath();
  }

  @ParameterizedTest
  @CsvSource({
    "cubic_uses.jsonl.xz, replay",
    "quad_uses.jsonl.xz, replay",
    "streams31k.jsonl.xz, replay",
    "frag.jsonl.xz, 'compare --policies plan-greedy-size,plan-search'",
    "frag.jsonl.xz, 'compare --policies stalloc'",
    "empty.jsonl, replay",
    "empty.jsonl, 'compare --policies all'",
    "hostwork.jsonl, replay",
    "restore.jsonl, replay",
    "timeback.jsonl, replay",
    "jsonl_biglines.jsonl.zst, replay",
    "jsonl_markers.jsonl.zst, replay",
    "jsonl_rows.jsonl.zst, replay",
    "kineto_names.json.zst, replay",
    "kineto_ts_e99999999.json, replay",
    "kineto_ts_e999999999.json, replay",
    "kineto_ts_eint.json, replay",
    "memoize_num.pickle.zst, replay",
    "memoize_text.pickle.zst, replay",
    "texts.pickle.zst, replay",
    "mm_rows.csv.zst, replay",
    "pickle2-defect-04998032.pickle, replay",
    "pickle2-defect-04998032.pickle, verify",
    "pickle2-defect-b2d43df6.pickle, 'replay --check --device-index 0'",
    "pickle2-odd-f8700545.pickle, replay",
    "pickle2-odd-f8700545.pickle, leaks",
  })
  void hostileTraces(String name, String command) throws Exception {
    String[] words = command.split(" ");
    List<Object> arguments = new ArrayList<>(List.of(words[0], hostile(name)));
    arguments.addAll(List.of(words).subList(1, words.length));
    assertBounded(arguments.toArray());
  }

  @ParameterizedTest
  @CsvSource({"compute1.json", "totalmax.json"})
  void hostileDevices(String name) throws Exception {
    assertBounded(
        "compare",
        CommandRun.recording("cat_growth.pickle.xz").toAbsolutePath(),
        "--policies",
        "pytorch,direct,cuda-async",
        "--device",
        hostile(name));
  }

  @ParameterizedTest
  @CsvSource({"fleet-defect-1ab8f6ce.csv", "fleet-defect-e7dbe20a.csv"})
  void hostileFleets(String name) throws Exception {
    Path fleet = Files.createDirectory(folder.resolve("fleet"));
    Files.copy(hostile(name), fleet.resolve("rows.csv"));
    assertBounded("fleet-report", fleet);
  }

  @Test
  void exponentsOfNumbers() throws Exception {
    for (String exponent : List.of("99999999", "999999999", "99999999999999999999")) {
      Path kineto =
          Files.writeString(
              folder.resolve("kineto.json"),
              "{\"schemaVersion\": 1, \"traceEvents\": [{\"ph\": \"i\", \"cat\":"
                  + " \"cpu_instant_event\", \"s\": \"t\", \"name\": \"[memory]\", \"pid\": 1,"
                  + " \"tid\": 1, \"ts\": 1e"
                  + exponent
                  + ", \"args\": {\"Total Allocated\": 512, \"Bytes\": 512, \"Device Id\": 0,"
                  + " \"Device Type\": 1, \"Addr\": 1024}}]}");
      assertRefused("kineto.json", "replay", kineto);
      Path jsonl =
          Files.writeString(
              folder.resolve("numbers.jsonl"),
              HEADER + "{\"op\":\"alloc\",\"id\":0,\"bytes\":1e" + exponent + "}\n");
      assertRefused("numbers.jsonl", "replay", jsonl);
    }
  }

  @Test
  void memosOfPickles() throws Exception {
    Path pickle = folder.resolve("memo.pickle.zst");
    try (OutputStream out = packed(pickle)) {
      // A protocol, an empty list, a number of one byte, and that number kept 64 million times.
      out.write(new byte[] {(byte) 0x80, 4, ']', 'K', 1});
      byte[] memoize = new byte[1 << 16];
      Arrays.fill(memoize, (byte) 0x94);
      for (int i = 0; i < 1 << 10; i++) {
        out.write(memoize);
      }
      out.write(new byte[] {'a', '.'});
    }
    assertRefused("memo.pickle.zst", "replay", pickle);
  }

  @Test
  void linesWithoutEnd() throws Exception {
    String start = HEADER + "{\"op\":\"begin\",\"name\":\"";
    Path line = folder.resolve("line.jsonl");
    flood(line, start, "x".repeat(1 << 16), 64 << 4);
    assertRefused("line.jsonl", "replay", line);
    Path smi = folder.resolve("smi.csv");
    flood(
        smi, "timestamp, name, memory.used [MiB], memory.total [MiB]\n", "1".repeat(1 << 16), 1024);
    assertRefused(
        "smi.csv",
        "account",
        CommandRun.recording("cat_growth.pickle.xz").toAbsolutePath(),
        "--smi",
        smi);
  }

  @Test
  void memoryThatIsFreeIsNotMoreThanThereIs() throws Exception {
    Path smi =
        Files.writeString(
            folder.resolve("smi.csv"),
            """
            timestamp, memory.used [MiB], memory.free [MiB], memory.total [MiB]
            2026/01/01 00:00:00.000, 100 MiB, 9000 MiB, 8000 MiB
            """);
    assertRefused(
        "smi.csv",
        "account",
        CommandRun.recording("cat_growth.pickle.xz").toAbsolutePath(),
        "--smi",
        smi);
  }

  /** The exit codes of verdicts are no failures; nothing but the bounds is looked at. */
  @Test
  void logsFullOfMessages() throws Exception {
    for (boolean isEachDifferent : new boolean[] {false, true}) {
      Path log = folder.resolve("train.log");
      try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(log))) {
        for (int i = 0; i < 64 << 12; i++) {
          int number = isEachDifferent ? i : 0;
          String message =
              "[rank%d]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate %d.00 MiB. GPU 0 has a total capacity of 79.18 GiB of which 11.00 MiB is free. Process %d has 79.15 GiB memory in use. Of the allocated memory 78.00 GiB is allocated by PyTorch.%n"
                  .formatted(number % 300, number, number);
          out.write(message.getBytes(UTF_8));
        }
      }
      Run run = run(folder, "explain-oom", log);
      assertNothingInternal(run);
      assertTrue(run.said().contains(" skipped: ") == isEachDifferent, run.said());
      assertTrue(run.cost().cpuNanos() <= maxNanos, () -> run.cost() + ", at most " + maxNanos);
      assertTrue(run.cost().peakBytes() <= MAX_BYTES + JVM_BYTES, () -> run.cost().toString());
    }
  }

  /** Messages as long as any is read, each of them different, of what looks like sizes. */
  @Test
  void messagesOfNumbers() throws Exception {
    for (String number : List.of("%016d", "1,234,567,890.%02d ", "reserved in total %d ")) {
      Path log = folder.resolve("numbers.log");
      try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(log))) {
        for (int i = 0; i < 7_000; i++) {
          String part = number.formatted(i);
          String message = "CUDA out of memory. " + part.repeat(8_000 / part.length()) + "\n\n";
          out.write(message.getBytes(UTF_8));
        }
      }
      Run run = run(folder, "explain-oom", log);
      assertNothingInternal(run);
      assertTrue(run.cost().cpuNanos() <= maxNanos, () -> run.cost() + ", at most " + maxNanos);
      assertTrue(run.cost().peakBytes() <= MAX_BYTES + JVM_BYTES, () -> run.cost().toString());
    }
  }

  @Test
  void manyStreams() throws Exception {
    Path trace = folder.resolve("streams.jsonl");
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(trace))) {
      out.write(HEADER.getBytes(UTF_8));
      for (int i = 0; i < 40_000; i++) {
        out.write(
            ("{\"op\":\"alloc\",\"id\":" + i + ",\"bytes\":1048576,\"stream\":" + i + "}\n")
                .getBytes(UTF_8));
      }
    }
    assertBounded("replay", trace);
  }

  @Test
  void usesOnManyStreams() throws Exception {
    Path trace = folder.resolve("uses.jsonl");
    int blocks = 20_000;
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(trace))) {
      out.write(HEADER.getBytes(UTF_8));
      for (String line :
          List.of(
              "{\"op\":\"alloc\",\"id\":%d,\"bytes\":512}\n",
              "{\"op\":\"use_stream\",\"id\":%d,\"stream\":1}\n",
              "{\"op\":\"free\",\"id\":%d}\n")) {
        for (int i = 0; i < blocks; i++) {
          out.write(line.formatted(i).getBytes(UTF_8));
        }
      }
      for (int i = blocks; i < 2 * blocks; i++) {
        out.write("{\"op\":\"alloc\",\"id\":%d,\"bytes\":512}\n".formatted(i).getBytes(UTF_8));
      }
    }
    Run run = assertBounded("replay", trace);
    assertEquals(ExitCodes.DONE, run.exitCode(), run.said());
  }

  @Test
  void aLogOfMessages() throws Exception {
    Path log = folder.resolve("log.txt");
    String message =
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total"
            + " capacity of 24.00 GiB of which 1.00 GiB is free. Process 1 has 23.00 GiB memory in"
            + " use. Of the allocated memory 20.00 GiB is allocated by PyTorch, and 2.50 GiB is"
            + " reserved by PyTorch but unallocated.\n";
    flood(log, "", message, (int) (64 * MIB / message.length()));
    Run run = run(folder, "explain-oom", log);
    assertNothingInternal(run);
    assertTrue(run.cost().cpuNanos() <= maxNanos, () -> run.cost() + ", at most " + maxNanos);
    assertTrue(run.cost().peakBytes() <= MAX_BYTES + JVM_BYTES, () -> run.cost().toString());
  }

  @Test
  void aGpuWithMoreMemoryThanAddresses() throws Exception {
    assertBounded(
        "compare",
        CommandRun.recording("cat_growth.pickle.xz").toAbsolutePath(),
        "--policies",
        "pytorch,direct,cuda-async",
        "--capacity",
        "200TiB");
  }

  private static OutputStream packed(Path file) throws IOException {
    return new ZstdOutputStream(new BufferedOutputStream(Files.newOutputStream(file)));
  }

  private static void flood(Path file, String start, String text, int times) throws IOException {
    byte[] bytes = text.getBytes(UTF_8);
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file))) {
      out.write(start.getBytes(UTF_8));
      for (int i = 0; i < times; i++) {
        out.write(bytes);
      }
    }
  }
}
