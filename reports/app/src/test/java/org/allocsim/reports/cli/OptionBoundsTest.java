package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.allocsim.reports.cli.option.ShareOrSize;
import org.allocsim.reports.output.ExitCodes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine.Model.OptionSpec;

/** Every option of every command that takes a number refuses those that mean nothing. */
class OptionBoundsTest {
  private static final Set<Class<?>> NUMBERS =
      Set.of(
          int.class,
          Integer.class,
          long.class,
          Long.class,
          double.class,
          Double.class,
          BigDecimal.class,
          ShareOrSize.class);

  private static final List<String> VALUES =
      List.of("-5", "-1000000000000000000000", "1e400", "NaN", "-101%", "9000PiB");

  /** Those for which every number means something. */
  private static final Set<String> UNBOUNDED = Set.of("--seed");

  @TempDir private Path folder;

  private static boolean isNumber(OptionSpec option) {
    return NUMBERS.contains(option.type())
        || option.type() == List.class && NUMBERS.contains(option.auxiliaryTypes()[0]);
  }

  private static List<Object> with(List<Object> words, Object... more) {
    List<Object> all = new ArrayList<>(words);
    all.addAll(List.of(more));
    return all;
  }

  @Test
  void numbersThatMeanNothingAreRefusedBeforeASimulation() throws Exception {
    Path trace = CommandRun.recording("cat_growth.pickle.xz");
    Map<String, List<Object>> lines = CommandLines.on(trace, folder);
    // They are refused before a GPU is looked for.
    lines.put("validate gpu", List.of(trace));
    lines.put("validate pytorch", List.of(trace));
    lines.put("validate cache", List.of(trace, "--cache", "paged", "--model", "yi-6b"));
    lines.put("calibrate", List.of("-o", folder.resolve("profile.json")));
    lines.put("bench", List.of("--quick"));
    List<Object> scaled =
        List.of(trace, "--other", trace, "-o", folder.resolve("scaled.jsonl"), "--scale-batch", 2);
    List<String> taken = new ArrayList<>();
    for (String name : CommandLines.names()) {
      List<Object> usual = lines.get(name);
      if (usual == null || usual.toString().contains("--help")) {
        continue;
      }
      for (OptionSpec option : CommandLines.command(name).getCommandSpec().options()) {
        String word = option.longestName();
        if (!isNumber(option) || UNBOUNDED.contains(word)) {
          continue;
        }
        List<Object> line = new ArrayList<>(List.of((Object[]) name.split(" ")));
        line.addAll(
            switch (word) {
              case "--scale-batch" -> with(scaled, "--other-scale", 2);
              case "--other-scale" -> scaled;
              default -> usual;
            });
        // In place of one that is there, with its value.
        for (String other : option.names()) {
          int at = line.indexOf(other);
          if (at >= 0) {
            line.remove(at);
            line.remove(at);
          }
        }
        for (String value : VALUES) {
          List<Object> words =
              with(line, word + "=" + value + (option.type() == List.class ? "," + value : ""));
          CommandRun run = CommandRun.of(words.toArray());
          boolean isRefused =
              run.exitCode() == ExitCodes.USAGE
                  && run.out().isEmpty()
                  && run.err().lines().count() == 1
                  && (run.err().contains(value) || run.err().contains(word + " takes "));
          if (!isRefused) {
            taken.add("%s %s=%s: %d %s".formatted(name, word, value, run.exitCode(), run.err()));
          }
        }
      }
    }
    assertEquals(List.of(), taken);
  }
}
