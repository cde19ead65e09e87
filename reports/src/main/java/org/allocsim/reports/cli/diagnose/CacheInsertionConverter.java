package org.allocsim.reports.cli.diagnose;

import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.allocsim.reports.answer.replay.CacheInsertion;
import org.allocsim.simulator.typed.SimilarName;
import org.allocsim.simulator.typed.TypedNumber;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads {@code empty_cache@PLACE}. */
final class CacheInsertionConverter implements ITypeConverter<CacheInsertion> {
  private static final Pattern NUMBERED =
      Pattern.compile("empty_cache@(every|request):([0-9]{1,9})");

  private static final List<String> PLACES =
      List.of(
          "empty_cache@phase-boundaries",
          "empty_cache@every:N",
          "empty_cache@before-oom",
          "empty_cache@request:N");

  @Override
  public CacheInsertion convert(String text) {
    Matcher numbered = NUMBERED.matcher(TypedNumber.plain(text));
    if (numbered.matches()) {
      long number = Long.parseLong(numbered.group(2));
      CacheInsertion.Place place =
          CacheInsertion.Place.valueOf(numbered.group(1).toUpperCase(Locale.ROOT));
      if (place == CacheInsertion.Place.EVERY && number == 0) {
        throw new TypeConversionException("'" + text + "' needs a distance of at least 1");
      }
      return new CacheInsertion(place, number);
    }
    return switch (text) {
      // The second is the word of earlier versions.
      case "empty_cache@phase-boundaries", "empty_cache@phase-borders" ->
          new CacheInsertion(CacheInsertion.Place.PHASE_BOUNDARIES, 0);
      case "empty_cache@before-oom" -> new CacheInsertion(CacheInsertion.Place.BEFORE_OOM, 0);
      default ->
          throw new TypeConversionException(
              ("'%s' is not one of empty_cache@phase-boundaries, empty_cache@every:N,"
                      + " empty_cache@before-oom, empty_cache@request:N%s")
                  .formatted(text, SimilarName.hint(text, PLACES)));
    };
  }
}
