package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.allocsim.workloads.profile.ShippedProfiles;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine.Model.CommandSpec;

/** The commands that answers name ask of the same trace, under the same conditions, and work. */
class NextCommandsTest {
  private static final Path SAMPLE = Path.of("samples/train_gpt.pickle.xz");
  private static final Path PASSING = CommandRun.recording("cat_growth.pickle.xz");
  private static final Pattern QUOTED = Pattern.compile("'allocsim ([^']+)'");
  private static final Pattern WORD = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"|(\\S+)");

  /** Commands that say what to do next, and what they need besides a trace. */
  private static final Map<String, List<String>> COMMANDS =
      Map.of(
          "diagnose", List.of(),
          "replay", List.of(),
          "peak", List.of(),
          "blockers", List.of(),
          "account", List.of(),
          "tune", List.of("--grid", "coarsest"),
          "leaks", List.of(),
          "verify", List.of(),
          "compare", List.of("--policies", "pytorch,direct"),
          "perturb", List.of("--runs", "2"));

  /** Conditions, two of which exclude each other. */
  private static final List<Map<String, String>> CONDITIONS =
      List.of(
          Map.of(
              "--memory-limit", "9000MiB",
              "--device", "rtx-4090",
              "--torch-version", "2.9",
              "--conf", "max_split_size_mb:64",
              "--device-index", "0",
              "--format", "pytorch-snapshot",
              "--os", "wsl"),
          Map.of("--memory-fraction", "0.25", "--capacity", "12GiB"));

  @TempDir private Path temp;

  private static List<List<String>> named(String answer) {
    List<List<String>> commands = new ArrayList<>();
    Matcher quoted = QUOTED.matcher(answer.replaceAll("\\s+", " "));
    while (quoted.find()) {
      List<String> words = new ArrayList<>();
      Matcher word = WORD.matcher(quoted.group(1));
      while (word.find()) {
        words.add(
            word.group(1) == null ? word.group(2) : word.group(1).replaceAll("\\\\(.)", "$1"));
      }
      commands.add(words);
    }
    return commands;
  }

  private static List<List<String>> named(String answer, Path trace) {
    return named(answer).stream()
        .filter(words -> words.stream().anyMatch(each -> each.startsWith(trace.toString())))
        .toList();
  }

  private static CommandRun run(String command, Path trace, Map<String, String> conditions) {
    List<Object> words = new ArrayList<>(List.of(command, trace));
    words.addAll(COMMANDS.get(command));
    words.add("--all");
    conditions.forEach((option, value) -> words.addAll(List.of(option, value)));
    CommandRun run = CommandRun.of(words.toArray());
    assertTrue(run.exitCode() == 0 || run.exitCode() == 3, run.err());
    return run;
  }

  private static Map<String, String> taken(String command, Map<String, String> conditions) {
    CommandSpec spec = CommandLines.command(command).getCommandSpec();
    Map<String, String> taken = new LinkedHashMap<>(conditions);
    taken.keySet().removeIf(option -> spec.findOption(option) == null);
    return taken;
  }

  private static void requireConditions(List<String> words, Map<String, String> given) {
    taken(words.getFirst(), given)
        .forEach((option, value) -> {
          int place = words.indexOf(option);
          assertTrue(place > 0, () -> option + " is lost in " + words);
          if (!option.equals("--conf")) {
            assertEquals(value, words.get(place + 1), () -> String.valueOf(words));
          }
        });
  }

  private void requireRuns(List<String> words) {
    List<Object> line = new ArrayList<>(words);
    line.replaceAll(each -> each.equals("DIR") ? temp.resolve("report") : each);
    CommandRun run = CommandRun.of(line.toArray());
    assertTrue(run.exitCode() == 0 || run.exitCode() == 3, () -> words + ": " + run.err());
  }

  @TestFactory
  Stream<DynamicTest> noConditionIsLost() {
    return COMMANDS.keySet().stream()
        .sorted()
        .flatMap(command ->
            Stream.of(SAMPLE, PASSING)
                .map(trace ->
                    DynamicTest.dynamicTest(
                        command + " " + trace.getFileName(),
                        () -> {
                          for (Map<String, String> all : CONDITIONS) {
                            Map<String, String> given = taken(command, all);
                            CommandRun answer = run(command, trace, given);
                            for (List<String> words : named(answer.out(), trace)) {
                              requireConditions(words, given);
                            }
                          }
                        })));
  }

  @TestFactory
  Stream<DynamicTest> noConditionOfAJobIsLost() throws IOException {
    Path job = Files.createDirectory(temp.resolve("job"));
    Files.copy(SAMPLE, job.resolve("rank0.pickle.xz"));
    Files.copy(SAMPLE, job.resolve("rank1.pickle.xz"));
    return COMMANDS.keySet().stream()
        .sorted()
        .map(command ->
            DynamicTest.dynamicTest(
                command,
                () -> {
                  Map<String, String> given = taken(command, CONDITIONS.get(0));
                  given.remove("--torch-version");
                  CommandRun answer = run(command, job, given);
                  List<List<String>> named = named(answer.out(), job);
                  assertFalse(
                      named.isEmpty() && !command.equals("leaks") && !command.equals("verify"),
                      answer.out());
                  for (List<String> words : named) {
                    requireConditions(words, given);
                  }
                }));
  }

  @Test
  void aCommandThatIsNamedAgainKeepsItsOwnOptions() throws IOException {
    Path job = Files.createDirectory(temp.resolve("job"));
    Files.copy(SAMPLE, job.resolve("rank0.pickle.xz"));
    Files.copy(SAMPLE, job.resolve("rank1.pickle.xz"));
    CommandRun answer =
        CommandRun.of("account", job, "--at", "peak", "--total", "80GiB", "--free", "3GiB");
    List<String> words = named(answer.out(), job).getFirst();
    assertEquals(
        List.of("--at", "peak", "--total", "80GiB", "--free", "3GiB"), words.subList(2, 8));
    requireRuns(words);
  }

  @Test
  void conditionsOfARecordingAreRefusedForALogAlone() {
    CommandRun run = CommandRun.of("diagnose", "samples/oom.log", "--device", "h100-80gb");
    assertEquals(2, run.exitCode());
    assertTrue(run.err().contains("--device applies to a recording"), run.err());
    assertFalse(CommandRun.of("diagnose", "samples/oom.log", "--all").exitCode() == 2);
  }

  @Test
  void aLimitThatTheLogShowsIsNotLost() {
    Path log = Path.of("samples/train_gpt.log");
    String answer = CommandRun.of("diagnose", SAMPLE, log).out();
    List<List<String>> named = named(answer, SAMPLE);
    assertEquals(List.of("replay", "tune"), named.stream().map(List::getFirst).toList());
    for (List<String> words : named) {
      requireConditions(words, Map.of("--memory-limit", "9899899617"));
      requireRuns(words);
    }
  }

  @Test
  void aLogAloneNamesItselfForTheRecordingToCome() {
    Path log = Path.of("samples/oom.log");
    String answer = CommandRun.of("diagnose", log).out();
    assertTrue(
        named(answer).contains(List.of("diagnose", "snapshot.pickle", log.toString())), answer);
  }

  @Test
  void aLogOfAnEngineAsksForNoSnapshotOfPyTorch() throws IOException {
    Path log = temp.resolve("vllm.log");
    Files.writeString(
        log,
        "ValueError: To serve at least one request with the models's max seq len (100000), (3.05"
            + " GiB KV cache is needed, which is larger than the available KV cache memory (3.04"
            + " GiB). Based on the available memory, the estimated maximum model length is 99712."
            + " Try increasing `gpu_memory_utilization` or decreasing `max_model_len` when"
            + " initializing the engine.\n");
    CommandRun run = CommandRun.of("diagnose", log);
    assertTrue(run.out().contains("--max-model-len 99712"), run.out());
    assertFalse(run.out().contains("snapshot.pickle"), run.out());
  }

  @Test
  void aProfileInAFileIsNamedByTheFile() throws IOException {
    Path profile = temp.resolve("mine.json");
    try (InputStream shipped = ShippedProfiles.class.getResourceAsStream("rtx-4090.json")) {
      Files.copy(Objects.requireNonNull(shipped), profile);
    }
    Map<String, String> given = Map.of("--device", profile.toString());
    String answer = run("replay", PASSING, given).out();
    List<List<String>> named = named(answer, PASSING);
    assertFalse(named.isEmpty(), answer);
    requireConditions(named.getFirst(), given);
  }

  @Test
  void aShellReadsOddNamesAsOneWord() throws IOException {
    Path odd = temp.resolve("my $run (1).pickle.xz");
    Files.copy(PASSING, odd);
    List<List<String>> named = named(run("replay", odd, Map.of()).out(), odd);
    assertEquals(List.of(List.of("tune", odd.toString())), named);
    requireRuns(named.getFirst());
  }

  @Test
  void whatAnAnswerNamesRuns() {
    for (Path trace : List.of(SAMPLE, PASSING)) {
      for (String command : List.of("diagnose", "replay", "tune", "compare")) {
        List<List<String>> named =
            named(run(command, trace, Map.of("--capacity", "9GiB")).out(), trace);
        assertFalse(named.isEmpty(), command);
        named.forEach(this::requireRuns);
      }
    }
  }
}
