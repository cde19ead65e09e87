package org.allocsim.reports.chart;

import java.math.BigDecimal;
import java.text.FieldPosition;
import java.text.NumberFormat;
import java.text.ParsePosition;
import org.jfree.chart.axis.NumberAxis;
import org.jfree.chart.axis.NumberTickUnit;

/** An axis of bytes with ticks at powers of two, labelled in KiB, MiB, GiB and so on. */
public final class ByteAxis {
  private static final int MAX_TICKS = 10;
  private static final String[] UNITS = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};

  private ByteAxis() {}

  /** An axis from 0 to {@code topBytes}. */
  public static NumberAxis upTo(double topBytes, String label) {
    return upTo(topBytes, label, MAX_TICKS);
  }

  /** The same for a low plot, with at most so many ticks. */
  public static NumberAxis upTo(double topBytes, String label, int maxTicks) {
    NumberAxis axis = new NumberAxis(label);
    axis.setRange(0, topBytes);
    axis.setTickUnit(
        new NumberTickUnit(tickBytes(topBytes, maxTicks), new ByteLabel()), false, true);
    return axis;
  }

  /** The smallest power of two that makes no more than {@link #MAX_TICKS} ticks. */
  public static double tickBytes(double topBytes) {
    return tickBytes(topBytes, MAX_TICKS);
  }

  private static double tickBytes(double topBytes, int maxTicks) {
    double tick = 1;
    while (topBytes / tick > maxTicks) {
      tick *= 2;
    }
    return tick;
  }

  /** {@code 1.5 GiB}: the largest unit that leaves at least 1, without idle zeros. */
  public static String label(double bytes) {
    long whole = Math.round(bytes);
    if (whole == 0) {
      return "0";
    }
    int unit = (63 - Long.numberOfLeadingZeros(Math.abs(whole))) / 10;
    BigDecimal number =
        BigDecimal.valueOf(whole)
            .divide(BigDecimal.valueOf(1L << (10 * unit)))
            .stripTrailingZeros();
    return number.toPlainString() + " " + UNITS[unit];
  }

  private static final class ByteLabel extends NumberFormat {
    private static final long serialVersionUID = 1L;

    @Override
    public StringBuffer format(double number, StringBuffer text, FieldPosition position) {
      return text.append(label(number));
    }

    @Override
    public StringBuffer format(long number, StringBuffer text, FieldPosition position) {
      return text.append(label(number));
    }

    @Override
    public Number parse(String text, ParsePosition position) {
      throw new UnsupportedOperationException("labels are only written");
    }
  }
}
