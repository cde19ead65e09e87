package org.allocsim.reports.answer.part;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import org.allocsim.analysis.program.Conditions;
import org.allocsim.analysis.program.Program;
import org.allocsim.analysis.tuning.Platform;
import org.allocsim.reports.document.Sentence;
import org.allocsim.simulator.device.DeviceProfile;
import org.jspecify.annotations.Nullable;

/**
 * The commands that answers name: about the same trace, under the same conditions. Every answer
 * gets them here, so that what a user chose, or a log said, is not lost from one command to the
 * next.
 */
public final class NextCommand {
  /** The options that say under which conditions a command answers. */
  private static final List<String> CONDITIONS =
      List.of(
          "--conf",
          "--torch-version",
          "--memory-limit",
          "--memory-fraction",
          "--device",
          "--capacity",
          "--device-index",
          "--format",
          "--os");

  /** The conditions that commands answer for, besides those that most have. */
  private static final Map<String, List<String>> TAKEN =
      Map.of(
          "diagnose", without("--conf"),
          "tune", without("--conf"),
          "leaks", without("--conf", "--os"),
          "verify",
              List.of(
                  "--torch-version",
                  "--memory-limit",
                  "--memory-fraction",
                  "--device",
                  "--capacity"),
          "min-capacity",
              List.of(
                  "--conf", "--torch-version", "--memory-fraction", "--device-index", "--format"),
          "idle", List.of());

  private static final List<String> USUAL = without("--os");

  private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_@%+=:,./-]+");

  private final String trace;
  private final Map<String, String> options;
  private final String asked;
  private final Map<String, List<String>> given;

  private NextCommand(
      String trace, Map<String, String> options, String asked, Map<String, List<String>> given) {
    this.trace = trace;
    this.options = options;
    this.asked = asked;
    this.given = given;
  }

  /** Commands about a program. */
  public static NextCommand of(Program program) {
    return of(program.name(), program.again(), program.chosenFormat());
  }

  /**
   * Commands about a trace or a job.
   *
   * @param trace a file, a folder or a program, as it was given
   * @param format id of the format that was chosen; null for none
   */
  public static NextCommand of(String trace, Conditions conditions, @Nullable String format) {
    Map<String, String> options = new LinkedHashMap<>();
    put(options, "--conf", conditions.conf());
    put(
        options,
        "--torch-version",
        conditions.release() == null ? null : conditions.release().id());
    switch (conditions.limit()) {
      case Conditions.Limit.Size size -> options.put("--memory-limit", size(size.bytes()));
      case Conditions.Limit.Fraction fraction ->
          options.put("--memory-fraction", String.valueOf(fraction.ratio()));
      case null -> {}
    }
    DeviceProfile gpu = conditions.gpu();
    if (conditions.gpuFile() != null) {
      options.put("--device", conditions.gpuFile());
    } else if (gpu != null) {
      boolean isSize = gpu.origin() == DeviceProfile.Origin.CHOSEN;
      options.put(isSize ? "--capacity" : "--device", isSize ? size(gpu.totalBytes()) : gpu.name());
    }
    put(options, "--device-index", conditions.deviceIndex());
    put(options, "--format", format);
    return new NextCommand(trace, options, "", Map.of());
  }

  /**
   * The same with the options of the command that is answered, which it gets where it is named
   * again.
   *
   * @param command its name
   * @param words by the name of each option given: the option and its values
   */
  public NextCommand after(String command, Map<String, List<String>> words) {
    Map<String, List<String>> own = new LinkedHashMap<>(words);
    own.keySet().removeAll(CONDITIONS);
    return new NextCommand(trace, options, command, own);
  }

  /** The same for where the program is to run. */
  public NextCommand on(Platform platform) {
    return platform == Platform.LINUX
        ? this
        : with("--os", platform.name().toLowerCase(Locale.ROOT));
  }

  /** The same about another file, such as that of a rank. */
  public NextCommand about(String file) {
    return new NextCommand(file, options, asked, given);
  }

  private NextCommand with(String option, String value) {
    Map<String, String> more = new LinkedHashMap<>(options);
    more.put(option, value);
    return new NextCommand(trace, more, asked, given);
  }

  /** For answers in which a request fails, or a setting is recommended. */
  public Sentence diagnose() {
    return options.containsKey("--conf")
        ? Sentence.of("Next: {} shows what fills the memory at the failure.", line("blockers"))
        : Sentence.of(
            "Next: {} shows which program lines hold the memory, and which setting would fit it"
                + " with what margin.",
            line("diagnose"));
  }

  /** For answers in which all is well. */
  public Sentence tune() {
    return Sentence.of("Next: {} searches for settings that reserve less.", line("tune"));
  }

  /**
   * A command in quotation marks, as a shell takes it.
   *
   * @param command its name
   * @param own further options and their values, which replace the conditions of their names
   */
  public String line(String command, String... own) {
    StringBuilder line = new StringBuilder("'allocsim ").append(command).append(' ');
    line.append(word(trace.startsWith("-") ? "./" + trace : trace));
    List<String> others = List.of(own);
    others.forEach(each -> line.append(' ').append(word(each)));
    if (command.equals(asked)) {
      given.forEach((option, words) -> {
        if (!others.contains(option)) {
          words.forEach(each -> line.append(' ').append(word(each)));
        }
      });
    }
    options.forEach((option, value) -> {
      if (TAKEN.getOrDefault(command, USUAL).contains(option) && !others.contains(option)) {
        line.append(' ').append(option).append(' ').append(word(value));
      }
    });
    return line.append('\'').toString();
  }

  private static List<String> without(String... options) {
    List<String> lacking = List.of(options);
    return CONDITIONS.stream().filter(each -> !lacking.contains(each)).toList();
  }

  private static void put(Map<String, String> options, String name, @Nullable Object value) {
    if (value != null) {
      options.put(name, Objects.toString(value));
    }
  }

  /** A size as options take it, to the byte; a small number needs its unit. */
  private static String size(long bytes) {
    for (Unit unit : List.of(new Unit("GiB", 1L << 30), new Unit("MiB", 1L << 20))) {
      if (bytes % unit.bytes() == 0) {
        return bytes / unit.bytes() + unit.name();
      }
    }
    return bytes < 1L << 20 ? bytes + "B" : String.valueOf(bytes);
  }

  private record Unit(String name, long bytes) {}

  /** A word as shells take it. */
  private static String word(String text) {
    return PLAIN.matcher(text).matches()
        ? text
        : '"' + text.replaceAll("([\"\\\\$`])", "\\\\$1") + '"';
  }
}
