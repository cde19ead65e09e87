package org.allocsim.reports.cli.option;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.allocsim.simulator.typed.TypedNumber;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Reads a size: bytes ({@code 1048576}) or a number with a binary unit from KiB to PiB ({@code
 * 512MiB}, {@code 1.5GiB}). A fraction of a byte is dropped. Digits may stand in groups of three,
 * as they are printed. A number without a unit that no GPU memory is as small as is refused.
 * Decimal and unclear units (MB, G) are refused, because a gigabyte of one thousand millions and
 * one of 2^30 differ by 7 %.
 */
public final class SizeConverter implements ITypeConverter<Long> {
  private static final Pattern SIZE =
      Pattern.compile("([0-9]{1,19}(?:\\.[0-9]{1,19})?)\\s*([A-Za-z]*)");

  /** Sizes below it say what unit they are in. */
  private static final BigDecimal MIN_BARE = BigDecimal.valueOf(1L << 20);

  /**
   * Thousands of times the memory of a GPU. Sums of a thousand sizes are exact, and so is each in
   * JSON, whose readers know whole numbers up to 2<sup>53</sup> only.
   */
  private static final BigDecimal MAX_BYTES = BigDecimal.valueOf(1L << 53);

  private static final Map<String, Integer> SHIFTS =
      Map.of("", 0, "b", 0, "kib", 10, "mib", 20, "gib", 30, "tib", 40, "pib", 50);

  private static final Pattern UNCLEAR = Pattern.compile("([kmgtp])b?");

  @Override
  public Long convert(String text) {
    Matcher size = SIZE.matcher(TypedNumber.plain(text));
    if (!size.matches()) {
      throw new TypeConversionException(
          "'" + text + "' is not a size; write bytes or a binary unit, such as 512MiB or 16GiB");
    }
    String unit = size.group(2).toLowerCase(Locale.ROOT);
    Matcher unclear = UNCLEAR.matcher(unit);
    if (unclear.matches()) {
      throw new TypeConversionException(
          "'%s' has an ambiguous unit; write %s%siB for multiples of 1024, or the number of bytes"
              .formatted(text, size.group(1), unclear.group(1).toUpperCase(Locale.ROOT)));
    }
    Integer shift = SHIFTS.get(unit);
    if (shift == null) {
      throw new TypeConversionException(
          "'" + text + "' has an unknown unit; write bytes or one of KiB, MiB, GiB, TiB, PiB");
    }
    BigDecimal number = new BigDecimal(size.group(1));
    if (shift == 0 && number.scale() > 0) {
      throw new TypeConversionException(
          "'" + text + "' is a fraction of a byte; add a unit, such as " + text + "GiB");
    }
    if (unit.isEmpty() && number.signum() > 0 && number.compareTo(MIN_BARE) < 0) {
      throw new TypeConversionException(
          "'%1$s' could be %2$sGiB, %2$sMiB or %2$s bytes; write %2$sGiB, %2$sMiB or %2$sB"
              .formatted(text, size.group(1)));
    }
    BigDecimal bytes =
        number.multiply(BigDecimal.valueOf(1L << shift)).setScale(0, RoundingMode.DOWN);
    if (bytes.signum() == 0) {
      throw new TypeConversionException("'" + text + "' is not a size above 0");
    }
    if (bytes.compareTo(MAX_BYTES) > 0) {
      throw new TypeConversionException(
          "'" + text + "' is more memory than any device has; the maximum is 8PiB");
    }
    return bytes.longValueExact();
  }
}
