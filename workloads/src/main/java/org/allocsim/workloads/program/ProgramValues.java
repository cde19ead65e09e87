package org.allocsim.workloads.program;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.allocsim.simulator.typed.SimilarName;
import org.allocsim.simulator.typed.TypedNumber;

/** The values of a program's options: those given, else the standard ones. */
public final class ProgramValues {
  private static final int MOST = 1 << 24;

  private final String program;
  private final Map<String, String> values = new LinkedHashMap<>();

  /**
   * Names may be written with underscores, as many libraries write them.
   *
   * @throws ProgramOptionException for a name that the program does not know
   */
  public ProgramValues(String program, List<ProgramOption> options, Map<String, String> given) {
    this.program = program;
    options.forEach(option -> values.put(option.name(), option.standard()));
    for (Map.Entry<String, String> entry : given.entrySet()) {
      String name = entry.getKey().replace('_', '-');
      if (!values.containsKey(name)) {
        throw new ProgramOptionException(
            "program %s has no option %s; %s"
                .formatted(
                    program,
                    entry.getKey(),
                    SimilarName.remedy(
                        entry.getKey(),
                        values.keySet(),
                        "it has " + String.join(", ", values.keySet()))));
      }
      values.put(name, entry.getValue());
    }
  }

  /** The text of an option. */
  public String text(String name) {
    String value = values.get(name);
    if (value == null) {
      throw new IllegalArgumentException("program " + program + " declares no option " + name);
    }
    return value;
  }

  /** A whole number of at least {@code least} and at most 16777216. */
  public int number(String name, int least) {
    String text = text(name);
    try {
      int value = Integer.parseInt(TypedNumber.plain(text));
      if (value >= least && value <= MOST) {
        return value;
      }
    } catch (NumberFormatException e) {
      // Refused below, with what the option takes.
    }
    throw new ProgramOptionException(
        "option %s of program %s must be a whole number from %d to %d, not '%s'"
            .formatted(name, program, least, MOST, text));
  }

  /** A whole number of at least 1. */
  public int count(String name) {
    return number(name, 1);
  }

  /** {@code true} or {@code false}. */
  public boolean flag(String name) {
    return choice(name, "true", "false").equals("true");
  }

  /** One of several words. */
  public String choice(String name, String... words) {
    String text = text(name).toLowerCase(Locale.ROOT);
    for (String word : words) {
      if (word.equals(text)) {
        return word;
      }
    }
    throw new ProgramOptionException(
        "option %s of program %s must be %s, not '%s'%s"
            .formatted(
                name,
                program,
                String.join(" or ", words),
                text,
                SimilarName.hint(text, List.of(words))));
  }

  /** Refuses a combination of values. */
  public void require(boolean holds, String sentence) {
    if (!holds) {
      throw new ProgramOptionException("program " + program + ": " + sentence);
    }
  }
}
