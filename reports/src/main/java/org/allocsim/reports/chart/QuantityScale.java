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
 * The range that both axes of a {@link PredictedMeasuredChart} have, logarithmic where its values
 * lie far apart, with round ends.
 */
final class QuantityScale {
  private static final double HEADROOM = 1.08;
  private static final int MAX_TICKS = 10;
  private static final double CLOSE = 1 + 1e-9;
  private static final String[] TIMES = {"ns", "µs", "ms", "s"};

  private final PredictedMeasuredChart.Unit unit;
  private final boolean logarithmic;
  private final double low;
  private final double high;

  private QuantityScale(
      PredictedMeasuredChart.Unit unit, boolean logarithmic, double low, double high) {
    this.unit = unit;
    this.logarithmic = logarithmic;
    this.low = low;
    this.high = high;
  }

  static QuantityScale of(PredictedMeasuredData data, PredictedMeasuredChart.Unit unit) {
    double highest = data.greatest() > 0 ? data.greatest() : 1;
    if (!data.isWide()) {
      return new QuantityScale(unit, false, 0, highest * HEADROOM);
    }
    double base = base(unit);
    return new QuantityScale(
        unit,
        true,
        Math.pow(base, Math.floor(Math.log(data.lowest() / HEADROOM) / Math.log(base))),
        Math.pow(base, Math.ceil(Math.log(highest * HEADROOM) / Math.log(base))));
  }

  private static double base(PredictedMeasuredChart.Unit unit) {
    return unit == PredictedMeasuredChart.Unit.BYTES ? 2 : 10;
  }

  boolean isLogarithmic() {
    return logarithmic;
  }

  /** The left and the lower end. */
  double low() {
    return low;
  }

  /** The right and the upper end. */
  double high() {
    return high;
  }

  /** A new axis. */
  ValueAxis axis(String label) {
    if (!logarithmic && unit == PredictedMeasuredChart.Unit.BYTES) {
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
  static NumberAxis timeAxis(double topNanos, String label) {
    return (NumberAxis)
        new QuantityScale(PredictedMeasuredChart.Unit.NANOS, false, 0, topNanos).axis(label);
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
  static String time(double nanos) {
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
  static NumberFormat counts() {
    DecimalFormatSymbols symbols = DecimalFormatSymbols.getInstance(Locale.ROOT);
    symbols.setGroupingSeparator(' ');
    return new DecimalFormat("#,##0", symbols);
  }

  /** Labels of an axis as a function writes them. */
  static NumberFormat written(DoubleFunction<String> label) {
    return new Label(label);
  }

  private NumberFormat labels() {
    return new Label(number ->
        number == 0
            ? "0"
            : unit == PredictedMeasuredChart.Unit.BYTES ? ByteAxis.label(number) : time(number));
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
