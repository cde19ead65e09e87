package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.allocsim.reports.output.ExitCodes;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A trace is a trace, whatever file it came from: every command answers a converted one alike. */
class ConvertedTraceTest {
  /** Questions without and with options; ORIGINAL stands for another file, TRACE for the file. */
  private static final List<String> QUESTIONS =
      List.of(
          "replay TRACE --json -",
          "replay TRACE --json - --conf expandable_segments:True",
          "replay TRACE --json - --conf max_split_size_mb:64",
          "replay TRACE --json - --memory-fraction 0.05",
          "replay TRACE --json - --capacity 24GiB",
          "replay TRACE --json - --torch-version 2.6",
          "replay TRACE --json - --policy cuda-async",
          "replay TRACE --json - --insert empty_cache@before-oom",
          "replay TRACE --events -",
          "peak TRACE --json -",
          "peak TRACE --json - --by size --of requested --memory-fraction 0.5",
          "blockers TRACE --json -",
          "blockers TRACE --json - --at end",
          "leaks TRACE --json -",
          "leaks TRACE --json - --iterations period --capacity 24GiB",
          "diff TRACE ORIGINAL --json -",
          "check TRACE --json - --max-reserved 1GiB --max-slack 10% --no-oom",
          "account TRACE --json - --at peak",
          "min-capacity TRACE --json - --confs ;expandable_segments:True",
          "min-capacity TRACE --json - --policies direct --memory-fraction 0.9",
          "diagnose TRACE --json -",
          "perturb TRACE --json - --swap-adjacent --resize 2% --runs 3",
          "compare TRACE --json - --policies pytorch,direct,max-live",
          "tune TRACE --json -",
          "tune TRACE --json - --memory-fraction 0.5",
          "inspect TRACE --json -",
          "verify TRACE --json -",
          "convert TRACE --to rmm-csv -o -");

  private static final String PROGRAM = "program:mlp(iterations=12)";

  @TempDir private Path folder;

  @TestFactory
  Stream<DynamicTest> everyCommandAnswersAlike() throws IOException {
    List<Path> files = new ArrayList<>();
    for (String name : List.of("two_gpu", "device_oom", "cuda_graph", "prefetch_streams")) {
      files.add(CommandRun.recording(name + ".pickle.xz"));
    }
    String given = System.getProperty("allocsim.recordings");
    if (given != null) {
      try (Stream<Path> all = Files.walk(Path.of(given))) {
        all.filter(file -> file.toString().contains(".pickle")).sorted().forEach(files::add);
      }
    }
    return files.stream().map(this::alike);
  }

  private DynamicTest alike(Path file) {
    return DynamicTest.dynamicTest(
        file.getFileName().toString(),
        () -> {
          Path converted = converted(file);
          for (String question : QUESTIONS) {
            assertEquals(answer(question, file, file), answer(question, converted, file), question);
          }
          assertEquals(sweep(file), sweep(converted));
        });
  }

  private Path converted(Path file, Object... more) {
    Path converted = folder.resolve(file.getFileName() + ".jsonl.zst");
    List<Object> arguments = new ArrayList<>(List.of("convert", file, "-o", converted));
    arguments.addAll(Arrays.asList(more));
    CommandRun run = CommandRun.of(arguments.toArray());
    assertEquals(ExitCodes.DONE, run.exitCode(), run.err());
    return converted;
  }

  /** What a command says, without what names the file and how long it took. */
  private static String answer(String question, Path file, Path original) {
    Object[] arguments =
        Stream.of(question.split(" ", -1))
            .map(each -> each.replace("TRACE", "" + file).replace("ORIGINAL", "" + original))
            .toArray();
    CommandRun run = CommandRun.of(arguments);
    return (run.exitCode() + "\n" + run.out() + run.err())
        .replace(file.toString(), "TRACE")
        .replace(original.toString(), "TRACE")
        .replace("pytorch-snapshot", "FORMAT")
        .replace("\"jsonl\"", "\"FORMAT\"")
        .replaceAll("\"sha256\": \"[0-9a-f]+\"", "SHA256")
        .replaceAll("\"((wall_)?seconds|[a-z]+_per_second)\": [^,\n]*", "SPEED");
  }

  /** The rows of a sweep, without the columns that name the file and say how long it took. */
  private List<String> sweep(Path file) throws IOException {
    Path out = Files.createTempDirectory(folder, "sweep");
    CommandRun run =
        CommandRun.of(
            "sweep",
            file,
            "-o",
            out,
            "--confs",
            "recorded;expandable_segments:True",
            "--policies",
            "pytorch,direct",
            "--capacities",
            "recorded,24GiB");
    assertEquals(ExitCodes.DONE, run.exitCode(), run.err());
    List<String> lines = Files.readAllLines(out.resolve("rows.csv"));
    List<String> columns = List.of(lines.getFirst().split(",", -1));
    List<String> named = List.of("file", "sha256", "file_bytes", "format", "seconds");
    assertTrue(columns.containsAll(named), lines.getFirst());
    return lines.stream().map(line -> without(named, columns, line)).toList();
  }

  private static String without(List<String> left, List<String> columns, String line) {
    // Settings may hold commas, within quotation marks.
    String[] values = line.split(",(?=(?:[^\"]*\"[^\"]*\")*[^\"]*$)", -1);
    assertEquals(columns.size(), values.length, line);
    StringBuilder kept = new StringBuilder();
    for (int i = 0; i < values.length; i++) {
      if (!left.contains(columns.get(i))) {
        kept.append(columns.get(i)).append('=').append(values[i]).append(' ');
      }
    }
    return kept.toString();
  }

  @Test
  void theDeviceThatWasConvertedIsLookedAt() {
    Path file = CommandRun.recording("two_gpu.pickle.xz");
    Path converted = converted(file, "--device-index", 1);
    String question = "peak TRACE --json -";
    assertEquals(
        answer(question + " --device-index 1", file, file), answer(question, converted, file));
  }

  @Test
  void aConvertedTraceIsConvertedToItself() throws IOException {
    Path converted = converted(CommandRun.recording("cuda_graph.pickle.xz"));
    Path again = folder.resolve("again.jsonl.zst");
    CommandRun run = CommandRun.of("convert", converted, "-o", again);
    assertEquals(ExitCodes.DONE, run.exitCode(), run.err());
    assertEquals(-1, Files.mismatch(converted, again));
  }

  /**
   * Requests alone, from a file or a program, are enough for every command but those on history.
   */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "replay TRACE --json -",
        "peak TRACE --json -",
        "blockers TRACE --json -",
        "leaks TRACE --json -",
        "diff TRACE ORIGINAL --json -",
        "check TRACE --json - --max-reserved 1TiB",
        "account TRACE --json - --at peak",
        "min-capacity TRACE --json - --confs ;expandable_segments:True",
        "perturb TRACE --json - --swap-adjacent --runs 2",
        "compare TRACE --json - --policies pytorch,direct",
        "tune TRACE --json -",
        "inspect TRACE --json -"
      })
  void aProgramIsAnsweredAsItsFile(String question) {
    Path file = generated();
    String answer = answer(question, file, file);
    assertTrue(answer.startsWith("0\n") || question.startsWith("leaks"), answer);
    assertEquals(
        answer,
        answer(question, Path.of(PROGRAM), file)
            .replace("\\\"TRACE\\\"", "TRACE") // a shell needs the quotes
            .replace("\"sha256\": null", "SHA256")
            .replace("\"program\"", "\"FORMAT\""));
  }

  @Test
  void aSweepTakesPrograms() throws IOException {
    assertEquals(sweep(generated()), sweep(Path.of(PROGRAM)));
  }

  /** The file of the program. */
  private Path generated() {
    Path file = folder.resolve("mlp.jsonl");
    CommandRun run = CommandRun.of("generate", "mlp", "--option", "iterations=12", "-o", file);
    assertEquals(ExitCodes.DONE, run.exitCode(), run.err());
    return file;
  }

  @Test
  void whatATraceLacksIsSaidInASentence() throws IOException {
    Path file = folder.resolve("plain.jsonl");
    Files.writeString(
        file,
        """
        {"allocsim":"trace","version":1}
        {"op":"alloc","id":1,"bytes":5000}
        """);
    for (String question :
        List.of(
            "peak TRACE --by stack",
            "verify TRACE",
            "lint-conf --snapshot TRACE",
            "replay TRACE --addresses recorded",
            "inspect TRACE --from 3",
            "leaks TRACE")) {
      Object[] arguments = question.replace("TRACE", "" + file).split(" ", -1);
      CommandRun run = CommandRun.of(arguments);
      assertTrue(run.exitCode() == ExitCodes.FAILED || run.exitCode() == 2, question + run);
      assertTrue(run.err().contains(file.toString()) && run.err().contains(";"), run.err());
    }
  }
}
