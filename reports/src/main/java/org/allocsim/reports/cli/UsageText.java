package org.allocsim.reports.cli;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import picocli.CommandLine.MutuallyExclusiveArgsException;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Says in a sentence what is wrong with a command line. */
final class UsageText {
  private UsageText() {}

  /** The cause and where to find help, without the program's name before it. */
  static String sentence(ParameterException failure) {
    String command = failure.getCommandLine().getCommandSpec().qualifiedName();
    return cause(failure) + "; see '" + command + " --help'";
  }

  private static String cause(ParameterException failure) {
    return switch (failure) {
      case UnmatchedArgumentException unmatched -> unmatched(unmatched);
      case MutuallyExclusiveArgsException exclusive ->
          exclusive.getMessage().replaceFirst("^Error: ", "");
      default -> {
        String message = failure.getMessage().replace("is not an int", "is not a whole number");
        yield message.substring(0, 1).toLowerCase(Locale.ROOT) + message.substring(1);
      }
    };
  }

  private static String unmatched(UnmatchedArgumentException failure) {
    String argument = failure.getUnmatched().getFirst();
    if (failure.isUnknownOption()) {
      List<String> similar = failure.getSuggestions();
      return "unknown option '"
          + argument
          + "'"
          + (similar.isEmpty() ? "" : " (did you mean " + similar.getFirst() + "?)");
    }
    Set<String> commands = failure.getCommandLine().getSubcommands().keySet();
    return commands.isEmpty()
        ? "'" + argument + "' is one argument too many"
        : "unknown command '" + argument + "'; there are " + String.join(", ", commands);
  }
}
