package org.allocsim.reports.chart.comparison;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Locale;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.reports.chart.ByteAxis;
import org.allocsim.reports.chart.QuantityScale;
import org.allocsim.simulator.stats.ByteFormat;
import org.jfree.chart.axis.NumberAxis;

/** What bars measure. */
enum BarUnit {
  /** Bytes. */
  BYTES {
    @Override
    NumberAxis axis(double top, String label) {
      return ByteAxis.upTo(top > 0 ? top : 1 << 20, label);
    }

    @Override
    NumberAxis narrowAxis(double top, String label) {
      return ByteAxis.upTo(top > 0 ? top : 1 << 20, label, NARROW_TICKS);
    }

    @Override
    String text(double value) {
      return ByteFormat.human(Math.round(value));
    }
  },
  /** Nanoseconds. */
  NANOS {
    @Override
    NumberAxis axis(double top, String label) {
      return QuantityScale.timeAxis(top > 0 ? top : 1_000, label);
    }

    @Override
    String text(double value) {
      return value == 0 ? "0" : Numbers.duration(Math.round(value));
    }
  },
  /** Things. */
  COUNT {
    @Override
    NumberAxis axis(double top, String label) {
      NumberAxis axis = new NumberAxis(label);
      axis.setStandardTickUnits(NumberAxis.createIntegerTickUnits(Locale.ROOT));
      axis.setRange(0, top > 0 ? top : 1);
      return axis;
    }

    @Override
    String text(double value) {
      return Numbers.count(Math.round(value));
    }
  },
  /** Things a second. */
  PER_SECOND {
    @Override
    NumberAxis axis(double top, String label) {
      NumberAxis axis = new NumberAxis(label);
      axis.setStandardTickUnits(NumberAxis.createStandardTickUnits(Locale.ROOT));
      axis.setNumberFormatOverride(QuantityScale.written(BarUnit::perSecond));
      axis.setRange(0, top > 0 ? top : 1);
      return axis;
    }

    @Override
    String text(double value) {
      return perSecond(value);
    }
  };

  /** {@code 1.23 M/s}: three digits that count, at most. */
  private static String perSecond(double value) {
    double scaled = value;
    int unit = 0;
    while (unit < THOUSANDS.length - 1 && scaled >= 999.5) {
      scaled /= 1000;
      unit++;
    }
    return value == 0
        ? "0"
        : new BigDecimal(scaled).round(new MathContext(3)).stripTrailingZeros().toPlainString()
            + THOUSANDS[unit];
  }

  private static final String[] THOUSANDS = {" /s", " k/s", " M/s", " G/s"};

  /** Ticks whose words stand side by side on a telephone. */
  private static final int NARROW_TICKS = 3;

  /** An axis from 0. */
  abstract NumberAxis axis(double top, String label);

  /** An axis from 0 for telephones. */
  NumberAxis narrowAxis(double top, String label) {
    return axis(top, label);
  }

  /** A value with its unit. */
  abstract String text(double value);
}
