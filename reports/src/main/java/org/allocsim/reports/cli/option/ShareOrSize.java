package org.allocsim.reports.cli.option;

import java.math.BigDecimal;
import java.util.regex.Pattern;
import org.allocsim.analysis.tuning.LimitCheck;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * A size, or a share of one that is not known yet.
 *
 * @param bytes the size, or −1 for a share
 * @param percent the share, or null for a size
 */
public record ShareOrSize(long bytes, @Nullable BigDecimal percent) {
  private static final BigDecimal WHOLE = BigDecimal.valueOf(100);

  /** The size, for a given whole. */
  public long bytesOf(long wholeBytes) {
    return percent == null ? bytes : LimitCheck.shareOf(wholeBytes, percent);
  }

  /** Reads {@code 2GiB}, {@code 0} or {@code 12.5%}. */
  public static final class Converter implements ITypeConverter<ShareOrSize> {
    private static final Pattern NUMBER = Pattern.compile("[0-9]{1,3}(\\.[0-9]{1,9})?");

    @Override
    public ShareOrSize convert(String text) {
      if (text.strip().equals("0")) {
        return new ShareOrSize(0, null);
      }
      if (!text.strip().endsWith("%")) {
        return new ShareOrSize(new SizeConverter().convert(text), null);
      }
      String number = text.strip().substring(0, text.strip().length() - 1).strip();
      if (!NUMBER.matcher(number).matches() || new BigDecimal(number).compareTo(WHOLE) > 0) {
        throw new TypeConversionException(
            "'" + text + "' is not a percentage from 0% to 100%, such as 12.5%");
      }
      return new ShareOrSize(-1, new BigDecimal(number));
    }
  }
}
