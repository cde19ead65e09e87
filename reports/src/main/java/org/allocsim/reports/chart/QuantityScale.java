package org.allocsim.reports.chart;

import java.math.BigDecimal;
import java.math.MathContext;
import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.text.FieldPosition;
import java.text.NumberFormat;
import java.text.ParsePosition;
import java.util.Locale;
import java.util.function.DoubleFunction;
import org.jfree.chart.axis.LogAxis;
import org.jfree.chart.axis.NumberAxis;
import org.jfree.chart.axis.NumberTickUnit;
import org.jfree.chart.axis.ValueAxis;

/**
 * The range that axes of amounts have, logarithmic where the values lie far apart, with round ends.
 */
public final class QuantityScale {
  /** Quantities that differ in their scale. */
  public enum Unit {
    /** Bytes, in powers of two. */
    BYTES,
    /** Nanoseconds, in powers of ten. */
    NANOS
  }

  private static final double HEADROOM = 1.08;
  private static final int MAX_TICKS = 10;
  private static final double CLOSE = 1 + 1e-9;
  private static final String[] TIMES = {"ns", "µs", "ms", "s"};

  private final Unit unit;
  private final boolean logarithmic;
  private final double low;
  private final double high;

  private QuantityScale(Unit unit, boolean logarithmic, double low, double high) {
    this.unit = unit;
    this.logarithmic = logarithmic;
    this.low = low;
    this.high = high;
  }

  /**
   * The range of values.
   *
   * @param least the least value above 0
   * @param greatest the greatest value
   * @param wide whether the values lie far apart
   */
  public static QuantityScale of(double least, double greatest, boolean wide, Unit unit) {
    double top = greatest > 0 ? greatest : 1;
    if (!wide) {
      return new QuantityScale(unit, false, 0, top * HEADROOM);
    }
    double base = base(unit);
    return new QuantityScale(
        unit,
        true,
        Math.pow(base, Math.floor(Math.log(least / HEADROOM) / Math.log(base))),
        Math.pow(base, Math.ceil(Math.log(top * HEADROOM) / Math.log(base))));
  }

  private static double base(Unit unit) {
    return unit == Unit.BYTES ? 2 : 10;
  }

  public boolean isLogarithmic() {
    return logarithmic;
  }

  /** The left and the lower end. */
  public double low() {
    return low;
  }

  /** The right and the upper end. */
  public double high() {
    return high;
  }

  /** A new axis. */
  public ValueAxis axis(String label) {
    if (!logarithmic && unit == Unit.BYTES) {
      return ByteAxis.upTo(high, label);
    }
    if (!logarithmic) {
      NumberAxis axis = new NumberAxis(label);
      axis.setRange(low, high);
      axis.setTickUnit(new NumberTickUnit(step(high), labels()), false, true);
      return axis;
    }
    double base = base(unit);
    LogAxis axis = new LogAxis(label);
    axis.setBase(base);
    axis.setNumberFormatOverride(labels());
    // Ticks at the very ends are lost otherwise, as logarithms are rounded.
    axis.setRange(low / CLOSE, high * CLOSE);
    double powers = Math.log(high / low) / Math.log(base);
    axis.setTickUnit(new NumberTickUnit(Math.ceil(powers / MAX_TICKS), labels()), false, true);
    axis.setMinorTickMarksVisible(false);
    return axis;
  }

  /** An axis of time from 0 to {@code topNanos}. */
  public static NumberAxis timeAxis(double topNanos, String label) {
    return (NumberAxis) new QuantityScale(Unit.NANOS, false, 0, topNanos).axis(label);
  }

  /** 1, 2 or 5 times a power of ten. */
  private static double step(double high) {
    double power = Math.pow(10, Math.floor(Math.log10(high / MAX_TICKS)));
    for (int factor : new int[] {1, 2, 5}) {
      if (high / (factor * power) <= MAX_TICKS) {
        return factor * power;
      }
    }
    return 10 * power;
  }

  /** {@code 20 µs}: the largest unit that leaves at least 1. */
  public static String time(double nanos) {
    int unit = 0;
    double value = nanos;
    // Powers of ten from logarithms are a little off.
    while (unit < TIMES.length - 1 && value >= 999.999) {
      value /= 1000;
      unit++;
    }
    return new BigDecimal(value).round(new MathContext(3)).stripTrailingZeros().toPlainString()
        + " "
        + TIMES[unit];
  }

  /** Counts, their thousands apart as in all texts. */
  public static NumberFormat counts() {
    DecimalFormatSymbols symbols = DecimalFormatSymbols.getInstance(Locale.ROOT);
    symbols.setGroupingSeparator(' ');
    return new DecimalFormat("#,##0", symbols);
  }

  /** Labels of an axis as a function writes them. */
  public static NumberFormat written(DoubleFunction<String> label) {
    return new Label(label);
  }

  private NumberFormat labels() {
    return new Label(
        number -> number == 0 ? "0" : unit == Unit.BYTES ? ByteAxis.label(number) : time(number));
  }

  private static final class Label extends NumberFormat {
    private static final long serialVersionUID = 1L;

    private final transient DoubleFunction<String> label;

    Label(DoubleFunction<String> label) {
      this.label = label;
    }

    @Override
    public StringBuffer format(double number, StringBuffer text, FieldPosition position) {
      return text.append(label.apply(number));
    }

    @Override
    public StringBuffer format(long number, StringBuffer text, FieldPosition position) {
      return format((double) number, text, position);
    }

    @Override
    public Number parse(String text, ParsePosition position) {
      throw new UnsupportedOperationException("labels are only written");
    }
  }
}
