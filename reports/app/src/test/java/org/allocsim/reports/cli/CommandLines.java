package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import picocli.CommandLine;

/** A command line for each command that does what the command is for; none may be missing. */
final class CommandLines {
  /** Those that need a GPU, Python or an optional part print nothing but help here. */
  private static final List<String> ELSEWHERE =
      List.of(
          "estimate",
          "record",
          "validate gpu",
          "validate pytorch",
          "validate together",
          "validate cache",
          "calibrate",
          "bench");

  private CommandLines() {}

  /** What {@code advise} found of a program. */
  static Path trials() {
    return Path.of("src/test/resources/advice/trials.json");
  }

  /**
   * Arguments after the name of each command, and of those below {@code list} and {@code validate}.
   *
   * @param trace a snapshot
   * @param folder takes what they need besides, and what they write
   */
  static Map<String, List<Object>> on(Path trace, Path folder) throws IOException {
    Path log =
        Files.writeString(
            folder.resolve("log"),
            "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a"
                + " total capacity of 24.00 GiB of which 1.00 GiB is free. Process 1 has 23.00 GiB"
                + " memory in use. Of the allocated memory 20.00 GiB is allocated by PyTorch, and"
                + " 2.50 GiB is reserved by PyTorch but unallocated.\n");
    Map<String, List<Object>> lines = new LinkedHashMap<>();
    for (String command :
        List.of(
            "diagnose",
            "replay",
            "peak",
            "blockers",
            "account",
            "tune",
            "inspect",
            "verify",
            "leaks")) {
      lines.put(command, List.of(trace));
    }
    lines.put("explain-oom", List.of(log));
    lines.put("advise", List.of(trials()));
    lines.put("diff", List.of(trace, trace));
    lines.put("lint-conf", List.of("expandable_segments:True"));
    lines.put("min-capacity", List.of(trace));
    lines.put("colocate", List.of(trace, trace + ",start=1"));
    lines.put("idle", List.of(Path.of("samples/loader.trace.json.xz")));
    lines.put("fit", List.of("--batch", 3, "--sizes", "1,2", trace, trace));
    Path requests =
        Files.writeString(
            folder.resolve("requests.csv"),
            "Timestamp,Request tokens,Response tokens\n1,40,3\n2,50,4\n");
    lines.put("serve", List.of(requests, "--model", "yi-6b"));
    lines.put("compare", List.of(trace, "--policies", "pytorch,direct"));
    lines.put("perturb", List.of(trace, "--swap-adjacent", "--runs", 2));
    lines.put("view", List.of(trace, "--report", folder.resolve("viewed")));
    lines.put("sweep", List.of(trace, "-o", folder.resolve("swept")));
    lines.put("fleet-report", List.of(folder.resolve("swept")));
    lines.put("check", List.of(trace, "--max-reserved", "1TiB"));
    lines.put("suite", List.of("--list"));
    lines.put("convert", List.of(trace, "-o", folder.resolve("converted.jsonl")));
    lines.put("generate", List.of("mlp", "-o", folder.resolve("generated.jsonl")));
    lines.put(
        "transform", List.of(trace, "--repeat", 2, "-o", folder.resolve("transformed.jsonl")));
    for (String list : List.of("policies", "formats", "programs", "devices", "schemas")) {
      lines.put("list " + list, List.of());
    }
    ELSEWHERE.forEach(command -> lines.put(command, List.of("--help")));
    assertEquals(new TreeSet<>(names()), new TreeSet<>(lines.keySet()));
    return lines;
  }

  /** Whether a command can do its work where these tests run. */
  static boolean isHere(String command) {
    return !ELSEWHERE.contains(command);
  }

  /** The commands as picocli knows them. */
  static List<String> names() {
    List<String> names = new ArrayList<>();
    Main.withAll()
        .getSubcommands()
        .forEach((name, command) -> {
          if (command.getSubcommands().isEmpty()) {
            names.add(name);
          } else {
            command.getSubcommands().keySet().forEach(below -> names.add(name + " " + below));
          }
        });
    return names;
  }

  /** A command with its options. */
  static CommandLine command(String name) {
    CommandLine command = Main.withAll();
    for (String word : name.split(" ")) {
      command = command.getSubcommands().get(word);
    }
    return command;
  }

  /** Name, arguments and further ones, as they are typed. */
  static Object[] words(String name, List<Object> arguments, Object... more) {
    List<Object> words = new ArrayList<>(List.of((Object[]) name.split(" ")));
    words.addAll(arguments);
    words.addAll(List.of(more));
    return words.toArray();
  }
}
