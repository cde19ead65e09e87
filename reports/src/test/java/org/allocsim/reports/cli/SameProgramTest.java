package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.allocsim.reports.output.ExitCodes;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/**
 * A program under the same conditions is the same whichever command is asked: its release, its
 * settings, the GPU, the limit, the number of its requests, whether the recorded answers hold, and
 * every peak that two commands state.
 */
class SameProgramTest {
  private static final String EXPANDABLE = "expandable_segments:True";

  /** Settings are tried on recordings of so many events at most; others would take minutes. */
  private static final int MAX_TUNED_EVENTS = 30_000;

  /** Larger recordings of a folder that {@code allocsim.recordings} names are left out. */
  private static final long MAX_FILE_BYTES = 1L << 20;

  @TempDir private Path folder;

  /**
   * What a command states.
   *
   * @param arguments what it needs beside trace and conditions
   * @param facts pointers into its JSON by what they state; from a list, the row is taken whose
   *     settings are those of the condition
   */
  private record Command(String name, List<String> arguments, Map<String, String> facts) {
    static Command of(String name, String... facts) {
      return new Command(name, List.of(), pairs(facts));
    }

    Command with(String... others) {
      return new Command(name, List.of(others), facts);
    }

    private static Map<String, String> pairs(String... texts) {
      Map<String, String> pairs = new LinkedHashMap<>();
      for (int i = 0; i < texts.length; i += 2) {
        pairs.put(texts[i], texts[i + 1]);
      }
      return pairs;
    }
  }

  private static final Command REPLAY =
      Command.of(
          "replay",
          "release",
          "/torch_version",
          "settings",
          "/conf",
          "GPU",
          "/device",
          "GPU bytes",
          "/device_bytes",
          "limit",
          "/limit_bytes",
          "requests",
          "/trace/allocation_requests",
          "answers",
          "/addresses",
          "reserved",
          "/stats/reserved_bytes.all.peak",
          "allocated",
          "/stats/allocated_bytes.all.peak",
          "allocated then",
          "/fragmentation/at_peak_reserved/allocated_bytes");

  private static final Command COMPARE =
      Command.of(
          "compare",
          "GPU",
          "/traces/0/device",
          "GPU bytes",
          "/traces/0/device_bytes",
          "capacity",
          "/traces/0/capacity_bytes",
          "limit",
          "/traces/0/limit_bytes",
          "rows",
          "/traces/0/requests",
          "reserved",
          "/traces/0/results/?/peak_reserved_bytes",
          "allocated",
          "/traces/0/results/?/peak_allocated_bytes");

  private static final Command VIEW = new Command("view", List.of(), COMPARE.facts());

  private static final Command TUNE =
      Command.of(
          "tune",
          "release",
          "/torch_version",
          "GPU",
          "/device",
          "GPU bytes",
          "/device_bytes",
          "capacity",
          "/capacity_bytes",
          "limit",
          "/limit_bytes",
          "reserved",
          "/settings/?/peak_reserved_bytes",
          "allocated",
          "/settings/?/peak_allocated_bytes");

  private static final Command DIAGNOSE =
      Command.of(
          "diagnose",
          "release",
          "/program/torch_version",
          "GPU",
          "/program/device",
          "GPU bytes",
          "/program/device_bytes",
          "capacity",
          "/program/capacity_bytes",
          "limit",
          "/program/limit_bytes",
          "reserved",
          "/program/settings/?/peak_reserved_bytes");

  private static final Command PERTURB =
      Command.of(
              "perturb",
              "release",
              "/torch_version",
              "settings",
              "/conf",
              "GPU",
              "/device",
              "capacity",
              "/capacity_bytes",
              "limit",
              "/limit_bytes")
          .with("--swap-adjacent", "--runs", "1");

  /** A copy that does not differ runs on the model, and ends at its first failure. */
  private static final String PLAIN = "/unchanged/peak_reserved_bytes";

  private static final Command PEAK =
      Command.of(
          "peak",
          "settings",
          "/conf",
          "answers",
          "/addresses",
          "reserved",
          "/moment/reserved_bytes",
          "allocated then",
          "/moment/allocated_bytes");

  private static final Command BLOCKERS =
      new Command("blockers", List.of("--at", "peak"), PEAK.facts());

  private static final Command ACCOUNT =
      new Command("account", List.of("--at", "peak"), PEAK.facts());

  private static final Command CHECK =
      Command.of("check", "settings", "/conf", "answers", "/addresses").with("--no-oom");

  private static final Command LEAKS = Command.of("leaks", "release", "/torch_version");
  private static final Command SHARE = Command.of("colocate", "limit", "/processes/0/limit_bytes");

  private static final Command CAPACITY =
      Command.of("min-capacity", "release", "/torch_version").with("--confs", EXPANDABLE);

  private static final List<Command> SETTINGS =
      List.of(REPLAY, COMPARE, VIEW, PERTURB, PEAK, BLOCKERS, ACCOUNT, CHECK);

  private static final List<Command> ALL =
      List.of(
          REPLAY, COMPARE, VIEW, TUNE, DIAGNOSE, PERTURB, PEAK, BLOCKERS, ACCOUNT, CHECK, LEAKS,
          SHARE, CAPACITY);

  /** Options under which every command is asked. */
  private static final Map<String, List<String>> CONDITIONS =
      conditions(
          List.of(),
          List.of("--memory-limit", "900MiB"),
          List.of("--memory-fraction", "0.03"),
          List.of("--capacity", "1GiB"),
          List.of("--device", "a100-40gb"),
          List.of("--torch-version", "2.10"));

  @SafeVarargs
  private static Map<String, List<String>> conditions(List<String>... options) {
    Map<String, List<String>> conditions = new LinkedHashMap<>();
    for (List<String> each : options) {
      conditions.put(each.isEmpty() ? "as recorded" : String.join(" ", each), each);
    }
    return conditions;
  }

  private static List<Path> recordings() throws IOException {
    List<Path> files = new ArrayList<>();
    try (Stream<Path> found = Files.list(Path.of("src/test/resources/recordings"))) {
      found.filter(each -> each.toString().endsWith(".pickle.xz")).sorted().forEach(files::add);
    }
    files.add(Path.of("samples/train_gpt.pickle.xz"));
    String more = System.getProperty("allocsim.recordings");
    if (more != null) {
      try (Stream<Path> found = Files.walk(Path.of(more))) {
        found
            .filter(each -> each.toString().endsWith(".pickle.xz"))
            .filter(each -> each.toFile().length() <= MAX_FILE_BYTES)
            .sorted()
            .forEach(files::add);
      }
    }
    return files;
  }

  @TestFactory
  Stream<DynamicTest> everyCommandSeesTheSameProgram() throws IOException {
    return recordings().stream()
        .flatMap(file ->
            CONDITIONS.entrySet().stream()
                .map(condition ->
                    DynamicTest.dynamicTest(
                        file.getFileName() + ", " + condition.getKey(),
                        () -> requireSame(file, condition.getValue(), null))));
  }

  @TestFactory
  Stream<DynamicTest> everyCommandSeesTheSameProgramUnderOtherSettings() throws IOException {
    return recordings().stream()
        .map(file ->
            DynamicTest.dynamicTest(
                String.valueOf(file.getFileName()),
                () -> requireSame(file, List.of(), EXPANDABLE)));
  }

  @Test
  void theSettingThatTuneRecommendsIsRankOne() throws Exception {
    for (Path file : recordings()) {
      JsonNode tuned = answer(TUNE, file, List.of(), null);
      JsonNode recommended = tuned.at("/recommended_conf");
      assertEquals(
          recommended.isNull() ? tuned.at("/recorded_conf") : recommended,
          tuned.at("/settings/0/conf"),
          file.toString());
    }
  }

  /** A recording as JSON Lines whose settings limit the allocator. */
  private Path limited(String name) throws IOException {
    Path lines = folder.resolve("limited.jsonl");
    CommandRun.of("convert", CommandRun.recording(name), "-o", lines);
    String text = Files.readString(lines);
    String changed =
        text.replaceFirst("\"conf\":\"\"", "\"conf\":\"per_process_memory_fraction:0.03\"");
    assertFalse(changed.equals(text), "the recording has settings already");
    Files.writeString(lines, changed);
    return lines;
  }

  @Test
  void aLimitOfTheRecordedSettingsHoldsForEveryCommand() throws Exception {
    Path lines = limited("cat_growth.pickle.xz");
    Map<String, Map<String, List<String>>> stated = requireSame(lines, List.of(), null);
    assertFalse(stated.get("limit").containsKey("null"), stated.toString());
    assertEquals(
        stated.get("limit").keySet(),
        requireSame(lines, List.of(), EXPANDABLE).get("limit").keySet());
  }

  @Test
  void aRecordingAsJsonLinesIsTheSameProgram() throws Exception {
    Path lines = folder.resolve("lines.jsonl");
    Path snapshot = CommandRun.recording("gc_retried.pickle.xz");
    CommandRun.of("convert", snapshot, "-o", lines);
    assertEquals(
        values(requireSame(snapshot, List.of(), null)),
        values(requireSame(lines, List.of(), null)));
  }

  @Test
  void aRankOfAJobIsTheSameProgramAsItsFile() throws Exception {
    Path rank = folder.resolve("rank0.pickle.xz");
    Files.copy(CommandRun.recording("device_oom.pickle.xz"), rank);
    for (List<String> options : CONDITIONS.values()) {
      JsonNode alone = answer(TUNE, rank, options, null);
      JsonNode job = answer(TUNE, folder, options, null).at("/ranks/0");
      String settings = job.at("/recorded_conf").asString();
      assertEquals(alone.at("/torch_version"), job.at("/torch_version"));
      assertEquals(
          value(alone, "/settings/?/peak_reserved_bytes", settings).orElseThrow(),
          job.at("/peak_reserved_bytes").asString(),
          options.toString());
    }
  }

  private static Map<String, Set<String>> values(Map<String, Map<String, List<String>>> stated) {
    Map<String, Set<String>> values = new TreeMap<>();
    stated.forEach((fact, by) -> values.put(fact, by.keySet()));
    return values;
  }

  /** What all commands state, by fact and value; each fact has one value. */
  private Map<String, Map<String, List<String>>> requireSame(
      Path file, List<String> options, String conf) throws Exception {
    JsonNode replayed = answer(REPLAY, file, options, conf);
    // A page shows every GPU of a recording.
    List<String> all = new ArrayList<>(options);
    all.addAll(List.of("--device-index", replayed.at("/device_index").asString()));
    boolean fails = !replayed.at("/failed_requests").isEmpty();
    boolean isModelled = replayed.at("/addresses").asString().equals("modelled");
    String settings = conf == null ? replayed.at("/conf").asString() : conf;
    boolean isSmall = replayed.at("/trace/events").asInt() <= MAX_TUNED_EVENTS;
    Map<String, Map<String, List<String>>> stated = new TreeMap<>();
    for (Command command : conf == null ? ALL : SETTINGS) {
      if (!isSmall
          && (command.equals(TUNE) || command.equals(DIAGNOSE) || command.equals(CAPACITY))) {
        continue;
      }
      boolean takesCondition =
          !command.equals(CAPACITY) || options.isEmpty() || options.contains("--torch-version");
      if (takesCondition) {
        ask(command, file, all, conf).ifPresent(answer -> note(stated, command, answer, settings));
      }
    }
    if (conf != null && isSmall && !fails) {
      note(stated, TUNE, answer(TUNE, file, all, null), settings);
      note(stated, DIAGNOSE, answer(DIAGNOSE, file, all, null), settings);
    }
    if (isModelled && !fails) {
      note(
          stated,
          Command.of("perturb", "reserved", PLAIN),
          answer(PERTURB, file, all, conf),
          settings);
    }
    stated.forEach((fact, by) ->
        assertEquals(
            1, by.size(), () -> file + " " + options + " " + settings + ": " + fact + " " + by));
    return stated;
  }

  private static void note(
      Map<String, Map<String, List<String>>> stated,
      Command command,
      JsonNode answer,
      String settings) {
    command
        .facts()
        .forEach((fact, pointer) ->
            value(answer, pointer, settings)
                .ifPresent(value ->
                    stated
                        .computeIfAbsent(fact, _ -> new TreeMap<>())
                        .computeIfAbsent(value, _ -> new ArrayList<>())
                        .add(command.name())));
  }

  /** The value of a pointer; empty where no row of a list has the settings. */
  private static Optional<String> value(JsonNode answer, String pointer, String settings) {
    int row = pointer.indexOf("/?/");
    if (row < 0) {
      JsonNode node = answer.at(pointer);
      assertFalse(node.isMissingNode(), () -> pointer + " is not in " + answer);
      return Optional.of(node.isNull() ? "null" : node.asString());
    }
    JsonNode rows = answer.at(pointer.substring(0, row));
    assertTrue(rows.isArray(), () -> pointer + " is not in " + answer);
    for (JsonNode each : rows) {
      JsonNode conf = each.has("conf") ? each.get("conf") : each.at("/options/conf");
      if ((conf.isString() ? conf.asString() : "").equals(settings)) {
        return Optional.of(each.at(pointer.substring(row + 2)).asString());
      }
    }
    return Optional.empty();
  }

  private JsonNode answer(Command command, Path file, List<String> options, String conf) {
    return ask(command, file, options, conf).orElseThrow();
  }

  /** The answer; empty where a program has no steps that {@code leaks} could compare. */
  private Optional<JsonNode> ask(Command command, Path file, List<String> options, String conf) {
    List<String> arguments = new ArrayList<>(List.of(command.name(), file.toString()));
    arguments.addAll(options);
    arguments.addAll(command.arguments());
    if (command.equals(COMPARE) || command.equals(VIEW)) {
      arguments.addAll(conf == null ? List.of() : List.of("--confs", conf));
      arguments.addAll(
          command.equals(VIEW)
              ? List.of("--report", folder.resolve("page").toString())
              : List.of("--policies", "pytorch"));
    } else if (conf != null) {
      arguments.addAll(List.of("--conf", conf));
    }
    arguments.addAll(List.of("--json", "-"));
    CommandRun run = CommandRun.of(arguments.toArray());
    if (command.equals(LEAKS) && run.exitCode() == ExitCodes.FAILED) {
      return Optional.empty();
    }
    assertTrue(
        run.exitCode() == ExitCodes.DONE || run.exitCode() == ExitCodes.CHECK_DID_NOT_HOLD,
        () -> run.toString());
    return Optional.of(new ObjectMapper().readTree(run.out()));
  }
}
