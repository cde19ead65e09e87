package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;

class HelpTextTest {
  private static final String TEXTS = "src/main/resources/org/allocsim/reports/cli/help";

  @Test
  void everyCommandHasExamplesAndEveryTextACommand() {
    Set<String> commands = new TreeSet<>(CommandLines.names());
    commands.addAll(List.of("list", "validate"));
    for (String name : commands) {
      String help = CommandRun.of(CommandLines.words(name, List.of("--help"))).out();
      // The examples of list are about all that is below it.
      assertTrue(help.contains("\nExample") || name.startsWith("list "), help);
      assertFalse(help.contains("%%"), help);
      assertEquals(List.of(), unexplained(name), "what the help of " + name + " leaves unsaid");
    }
    Set<String> texts = new TreeSet<>();
    for (String module : List.of("", "fleet", "idle", "serving", "suite", "../validation/gpu")) {
      for (String file : CommandRun.files(Path.of(module, TEXTS))) {
        texts.add(file.replace(".txt", "").replaceFirst("^(validate|list)-", "$1 "));
      }
    }
    assertEquals(commands, texts);
  }

  /** Options and parameters without a word, where the help of a command is asked for. */
  private static List<String> unexplained(String name) {
    CommandLine program = Main.withAll();
    HelpText.addTo(program, List.of((name + " --help").split(" ")));
    CommandLine command = program;
    for (String word : name.split(" ")) {
      command = command.getSubcommands().get(word);
    }
    return command.getCommandSpec().args().stream()
        .filter(each -> each.description().length == 0 || each.description()[0].isBlank())
        .map(ArgSpec::paramLabel)
        .toList();
  }

  @Test
  void aHelpHasItsPartsInOrder() {
    String help = CommandRun.of("tune", "--help").out();
    int summary = help.indexOf("\nRanks settings of PyTorch's allocator");
    int more = help.indexOf("\n\nReplays about 50 settings");
    int codes = help.indexOf("\nExit codes:\n  0   done");
    int options = help.indexOf("\n      --grid=");
    assertTrue(more < options && options < codes, help);
    int examples = help.indexOf("\nExamples:\n  allocsim tune snapshot.pickle\n");
    assertTrue(0 < summary && summary < more && more < codes && codes < examples, help);
  }
}
