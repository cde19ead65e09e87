package org.allocsim.reports.cli;

import java.util.function.Function;
import org.allocsim.analysis.tuning.Platform;
import org.allocsim.analysis.tuning.TuningGrid;
import org.allocsim.reports.cli.option.Choices;
import org.allocsim.reports.input.Addresses;
import org.allocsim.simulator.run.AfterOom;
import org.allocsim.simulator.typed.TypedNumber;
import picocli.CommandLine;
import picocli.CommandLine.TypeConversionException;

/**
 * Reads words that options choose among, and numbers also as they are printed, with digits in
 * groups of three.
 */
final class Converters {
  private Converters() {}

  /** Replaces the converters of a command line and its commands. */
  static void register(CommandLine commandLine) {
    register(commandLine, Addresses.class);
    register(commandLine, AfterOom.class);
    register(commandLine, Platform.class);
    register(commandLine, TuningGrid.Fineness.class);
    register(commandLine, int.class, Integer.class, Integer::valueOf, "whole number");
    register(commandLine, long.class, Long.class, Long::valueOf, "whole number");
    register(commandLine, double.class, Double.class, Double::valueOf, "number");
  }

  private static <E extends Enum<E>> void register(CommandLine commandLine, Class<E> type) {
    commandLine.registerConverter(type, text -> Choices.of(type, text));
  }

  private static <N> void register(
      CommandLine commandLine,
      Class<N> primitive,
      Class<N> type,
      Function<String, N> reader,
      String what) {
    CommandLine.ITypeConverter<N> converter =
        text -> {
          try {
            return reader.apply(TypedNumber.plain(text));
          } catch (NumberFormatException _) {
            throw new TypeConversionException("'" + text + "' is not a " + what);
          }
        };
    commandLine.registerConverter(primitive, converter);
    commandLine.registerConverter(type, converter);
  }
}
