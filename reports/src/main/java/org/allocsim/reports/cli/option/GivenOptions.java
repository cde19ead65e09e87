package org.allocsim.reports.cli.option;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The options that a user gave a command, besides those that say where its answer goes. */
public final class GivenOptions {
  private GivenOptions() {}

  /** Their words by their names, in the order of the command line: a flag is one word. */
  public static SequencedMap<String, List<String>> of(CommandSpec spec) {
    SequencedMap<String, List<String>> given = new LinkedHashMap<>();
    for (OptionSpec option : spec.commandLine().getParseResult().matchedOptions()) {
      if (!isOutput(option)) {
        given.put(option.longestName(), words(option));
      }
    }
    return given;
  }

  private static boolean isOutput(OptionSpec option) {
    return option.userObject() instanceof Field field
        && OutputOptions.class.isAssignableFrom(field.getDeclaringClass());
  }

  private static List<String> words(OptionSpec option) {
    List<String> words = new ArrayList<>();
    if (option.arity().max() == 0) {
      words.add(option.longestName());
    } else {
      option
          .originalStringValues()
          .forEach(value -> {
            words.add(option.longestName());
            words.add(value);
          });
    }
    return words;
  }
}
