package org.allocsim.reports.cli.prove;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code allocsim validate}: the simulation against what really allocates. */
@Command(
    name = ValidateCommand.NAME,
    synopsisSubcommandLabel = "{gpu|pytorch|together|cache}",
    subcommands = {
      ValidateGpuCommand.class,
      ValidatePyTorchCommand.class,
      ValidateTogetherCommand.class,
      ValidateCacheCommand.class
    },
    description = "Runs allocators on a real NVIDIA GPU and on a simulated one, and compares them.")
public final class ValidateCommand implements Runnable {
  static final String NAME = "validate";

  /** The first word after the name where it says what is compared, or asks for help. */
  private static final String SAID = "gpu|pytorch|together|cache|-h|--help|-V|--version";

  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(), "no subcommand given; try gpu, pytorch, together or cache");
  }

  /**
   * The words of a command line, where an option alone may say what is compared, with a command.
   */
  public static String[] withSubject(String[] words) {
    List<String> all = new ArrayList<>(Arrays.asList(words));
    int first = all.indexOf(NAME) + 1;
    boolean isAsked = first == 1 || first > 1 && words[0].startsWith("--plugins") && first <= 3;
    if (!isAsked || first == all.size() || all.get(first).matches(SAID)) {
      return words;
    }
    String subject = "gpu";
    for (String each : List.of("cache", "together", "pytorch")) {
      if (all.stream().anyMatch(word -> word.split("=")[0].equals("--" + each))) {
        subject = each;
      }
    }
    all.add(first, subject);
    // That of caches has a value, and is still an option.
    all.removeAll(List.of("--pytorch", "--together"));
    return all.toArray(String[]::new);
  }
}
