package org.allocsim.reports.cli.option;

import java.util.function.Function;
import org.allocsim.simulator.typed.TypedNumber;
import picocli.CommandLine;
import picocli.CommandLine.TypeConversionException;

/** Reads numbers of options also as they are printed, with digits in groups of three. */
public final class NumberConverters {
  private NumberConverters() {}

  /** Replaces the converters of a command line and its commands. */
  public static void register(CommandLine commandLine) {
    register(commandLine, int.class, Integer.class, Integer::valueOf, "whole number");
    register(commandLine, long.class, Long.class, Long::valueOf, "whole number");
    register(commandLine, double.class, Double.class, Double::valueOf, "number");
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
