package org.allocsim.reports.cli;

import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.allocsim.simulator.typed.SimilarName;
import picocli.CommandLine.MutuallyExclusiveArgsException;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Says in a sentence what is wrong with a command line. */
final class UsageText {
  /** What people also call things that have a command. */
  private static final Map<String, String> SYNONYMS =
      Map.of("gpus", "devices", "cards", "devices", "allocators", "policies", "models", "programs");

  private UsageText() {}

  /** The cause and where to find help, without the program's name before it. */
  static String sentence(ParameterException failure) {
    String command = failure.getCommandLine().getCommandSpec().qualifiedName();
    String cause = cause(failure);
    return cause.endsWith("?") ? cause : cause + "; see '" + command + " --help'";
  }

  private static String cause(ParameterException failure) {
    return switch (failure) {
      case UnmatchedArgumentException unmatched -> unmatched(unmatched);
      case MutuallyExclusiveArgsException exclusive ->
          exclusive.getMessage().replaceFirst("^Error: ", "");
      default -> {
        String message = failure.getMessage();
        yield message.substring(0, 1).toLowerCase(Locale.ROOT) + message.substring(1);
      }
    };
  }

  private static String unmatched(UnmatchedArgumentException failure) {
    String argument = failure.getUnmatched().getFirst();
    if (failure.isUnknownOption()) {
      return "unknown option '"
          + argument
          + "'"
          + SimilarName.hint(
              argument, failure.getCommandLine().getCommandSpec().optionsMap().keySet());
    }
    Set<String> commands = failure.getCommandLine().getSubcommands().keySet();
    return commands.isEmpty()
        ? "'" + argument + "' is an unexpected argument"
        : "unknown command '"
            + argument
            + "'; "
            + SimilarName.remedy(
                SYNONYMS.getOrDefault(argument, argument),
                commands,
                "choose from " + String.join(", ", commands));
  }
}
