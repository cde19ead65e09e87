package org.allocsim.reports.cli.option;

import java.util.List;
import java.util.Locale;
import org.allocsim.analysis.moment.Blockers;
import org.allocsim.analysis.moment.LiveSet;
import org.allocsim.analysis.moment.MomentQuery;
import org.allocsim.analysis.moment.MomentQuery.Kind;
import org.allocsim.simulator.typed.SimilarName;
import org.allocsim.simulator.typed.TypedNumber;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads options that choose among a few words. */
public final class Choices {
  private Choices() {}

  /** The value of an enumeration that a word names. */
  public static <E extends Enum<E>> E of(Class<E> type, String text) {
    List<E> values = List.of(type.getEnumConstants());
    return values.get(index(text, values.stream().map(Choices::word).toList()));
  }

  private static int index(String text, List<String> words) {
    int index = words.indexOf(text.toLowerCase(Locale.ROOT));
    if (index < 0) {
      throw new TypeConversionException(
          "'"
              + text
              + "' is not one of "
              + String.join(", ", words)
              + SimilarName.hint(text, words));
    }
    return index;
  }

  private static String word(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }

  /** What the blocks of a group share: stack, size or phase. */
  public static final class ByConverter implements ITypeConverter<LiveSet.By> {
    @Override
    public LiveSet.By convert(String text) {
      return of(LiveSet.By.class, text);
    }
  }

  /** How segments held open are ranked: ratio or free. */
  public static final class OrderConverter implements ITypeConverter<Blockers.Order> {
    @Override
    public Blockers.Order convert(String text) {
      return of(Blockers.Order.class, text);
    }
  }

  /** Whose peak it is: requested, allocated or reserved. */
  public static final class PeakConverter implements ITypeConverter<MomentQuery> {
    private static final List<Kind> KINDS =
        List.of(Kind.PEAK_REQUESTED, Kind.PEAK_ALLOCATED, Kind.PEAK_RESERVED);

    @Override
    public MomentQuery convert(String text) {
      return MomentQuery.of(KINDS.get(index(text, List.of("requested", "allocated", "reserved"))));
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
          String number = TypedNumber.plain(text);
          if (number.isEmpty()
              || number.length() > MAX_DIGITS
              || !number.chars().allMatch(c -> c >= '0' && c <= '9')) {
            throw new TypeConversionException(
                "'"
                    + text
                    + "' is not a moment; "
                    + SimilarName.remedy(
                        text,
                        List.of("oom", "peak", "end"),
                        "write oom, peak, end or the index of an allocation request, counted"
                            + " from 0"));
          }
          yield MomentQuery.afterRequest(Long.parseLong(number));
        }
      };
    }
  }
}
