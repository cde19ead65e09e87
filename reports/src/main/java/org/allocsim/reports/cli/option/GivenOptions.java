package org.allocsim.reports.cli.option;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import org.allocsim.reports.output.Failure;
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

  /**
   * Refuses all of them, where they would change nothing.
   *
   * @param what what was given instead of a recording, as "run.log is a log"
   * @throws Failure where one was given
   */
  public static void requireNone(CommandSpec spec, String what) {
    Map.Entry<String, List<String>> first = of(spec).firstEntry();
    if (first != null) {
      throw Failure.usage(
          "%s applies to a recording, but %s; omit it or add the recording"
              .formatted(first.getKey(), what));
    }
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
