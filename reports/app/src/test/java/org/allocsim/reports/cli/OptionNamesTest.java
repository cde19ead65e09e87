package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** One thing has one name in all commands, and a name means one thing. */
class OptionNamesTest {
  /** Names of what differs with the subject of the command. */
  private static final Set<String> OF_ITS_OWN_IN_EACH_COMMAND = Set.of("--to", "-o,--output");

  /** What opens a trace. */
  private static final List<String> TRACE = List.of("--format", "--device-index");

  /** What says on which GPU, under which limit and by the rules of which release. */
  private static final List<String> CIRCUMSTANCES =
      List.of("--device", "--capacity", "--memory-limit", "--memory-fraction", "--torch-version");

  /** Every answer can be had in each of these forms. */
  private static final List<String> OUTPUTS = List.of("--json", "--csv", "--markdown", "--report");

  /** Commands whose subject is one of the conditions. */
  private static final Map<String, List<String>> WITHOUT =
      Map.of(
          // It looks for the size of the GPU.
          "min-capacity", List.of("--device", "--capacity", "--memory-limit"),
          // The GPU and its free memory are those of this machine, the release that of the trace.
          "gpu", List.of("--memory-fraction", "--torch-version"),
          "pytorch", List.of("--device", "--capacity", "--memory-fraction", "--torch-version"));

  private static Stream<CommandSpec> commands() {
    return CommandLines.names().stream()
        .map(CommandLines::command)
        .map(each -> each.getCommandSpec());
  }

  private static boolean takesTraces(CommandSpec command) {
    return command.positionalParameters().stream()
        .anyMatch(each -> each.paramLabel().equals("TRACE"));
  }

  private static List<String> missing(CommandSpec command, List<String> names) {
    return names.stream().filter(name -> command.findOption(name) == null).toList();
  }

  @Test
  void aNameTakesTheSameInEveryCommand() {
    Map<String, Map<String, Set<String>>> commandsByLabel = new TreeMap<>();
    commands()
        .forEach(command -> {
          for (OptionSpec option : command.options()) {
            commandsByLabel
                .computeIfAbsent(String.join(",", option.names()), _ -> new TreeMap<>())
                .computeIfAbsent(option.paramLabel(), _ -> new TreeSet<>())
                .add(command.name());
          }
        });
    assertTrue(commandsByLabel.size() > 50, "hardly any option was found");
    commandsByLabel.keySet().removeAll(OF_ITS_OWN_IN_EACH_COMMAND);
    commandsByLabel.values().removeIf(labels -> labels.size() == 1);
    assertEquals(Map.of(), commandsByLabel, "options that take different things");
  }

  @Test
  void whatTakesSeveralHasTheNameOfWhatTakesOneToo() {
    Set<String> known = new HashSet<>();
    commands()
        .flatMap(command -> command.options().stream())
        .forEach(option -> known.addAll(Arrays.asList(option.names())));
    Set<String> lacking = new TreeSet<>();
    commands()
        .forEach(command -> {
          for (OptionSpec option : command.options()) {
            List<String> names = Arrays.asList(option.names());
            for (String name : names) {
              String one = name.replaceAll("ies$", "y").replaceAll("(?<!s)s$", "");
              boolean isOther = command.findOption(one) != null;
              // A folder of charts is not several times the one file of --chart.
              if (name.equals("--charts")) {
                continue;
              }
              if (known.contains(one) && !names.contains(one) && !isOther) {
                lacking.add(command.name() + ": " + name + " is not " + one);
              }
            }
          }
        });
    assertEquals(Set.of(), lacking);
  }

  @Test
  void whatTakesATraceHasAllThatOpensItAndSaysUnderWhatItIsAnswered() {
    Map<String, List<String>> lacking = new TreeMap<>();
    commands()
        .filter(OptionNamesTest::takesTraces)
        .filter(command -> command.findOption("--json") != null)
        .forEach(command -> {
          List<String> wanted = Stream.of(TRACE, CIRCUMSTANCES).flatMap(List::stream).toList();
          List<String> missing = missing(command, wanted);
          if (!missing.equals(WITHOUT.getOrDefault(command.name(), List.of()))) {
            lacking.put(command.name(), missing);
          }
        });
    assertEquals(Map.of(), lacking);
  }

  @Test
  void everyAnswerComesInEveryForm() {
    Map<String, List<String>> lacking = new TreeMap<>();
    commands()
        .filter(command -> command.findOption("--csv") != null)
        .forEach(command -> {
          List<String> missing = missing(command, OUTPUTS);
          if (!missing.isEmpty()) {
            lacking.put(command.name(), missing);
          }
        });
    assertEquals(Map.of(), lacking);
  }
}
