package org.allocsim.reports.cli.option;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.allocsim.analysis.moment.LiveSet;
import org.allocsim.analysis.moment.MomentQuery;
import org.allocsim.analysis.moment.MomentQuery.Kind;
import org.allocsim.analysis.moment.Pins;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads options that choose among a few words. */
public final class Choices {
  private Choices() {}

  private static <E extends Enum<E>> E of(Class<E> type, String text) {
    return Arrays.stream(type.getEnumConstants())
        .filter(each -> word(each).equals(text))
        .findFirst()
        .orElseThrow(() ->
            new TypeConversionException(
                "'"
                    + text
                    + "' is none of "
                    + Arrays.stream(type.getEnumConstants())
                        .map(Choices::word)
                        .collect(Collectors.joining(", "))));
  }

  private static String word(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }

  /** What the blocks of a group share: stack, size or phase. */
  static final class ByConverter implements ITypeConverter<LiveSet.By> {
    @Override
    public LiveSet.By convert(String text) {
      return of(LiveSet.By.class, text);
    }
  }

  /** How pinned segments are ranked: ratio or free. */
  public static final class OrderConverter implements ITypeConverter<Pins.Order> {
    @Override
    public Pins.Order convert(String text) {
      return of(Pins.Order.class, text);
    }
  }

  /** Whose peak it is: requested, allocated or reserved. */
  static final class PeakConverter implements ITypeConverter<MomentQuery> {
    @Override
    public MomentQuery convert(String text) {
      return MomentQuery.of(
          switch (text) {
            case "requested" -> Kind.PEAK_REQUESTED;
            case "allocated" -> Kind.PEAK_ALLOCATED;
            case "reserved" -> Kind.PEAK_RESERVED;
            default ->
                throw new TypeConversionException(
                    "'" + text + "' is none of requested, allocated, reserved");
          });
    }
  }

  /** A moment: oom, peak, end or the index of an allocation request. */
  public static final class MomentConverter implements ITypeConverter<MomentQuery> {
    private static final int MAX_DIGITS = 18;

    @Override
    public MomentQuery convert(String text) {
      return switch (text) {
        case "oom" -> MomentQuery.of(Kind.FIRST_OOM);
        case "peak" -> MomentQuery.of(Kind.PEAK_RESERVED);
        case "end" -> MomentQuery.of(Kind.END);
        default -> {
          if (text.isEmpty()
              || text.length() > MAX_DIGITS
              || !text.chars().allMatch(c -> c >= '0' && c <= '9')) {
            throw new TypeConversionException(
                "'"
                    + text
                    + "' is no moment; write oom, peak, end or the index of an allocation request,"
                    + " counted from 0");
          }
          yield MomentQuery.afterRequest(Long.parseLong(text));
        }
      };
    }
  }
}
