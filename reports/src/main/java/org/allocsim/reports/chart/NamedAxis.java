package org.allocsim.reports.chart;

import java.util.function.UnaryOperator;
import org.jfree.chart.axis.SymbolAxis;
import org.jspecify.annotations.Nullable;

/** An axis of names, which a figure may change. */
public final class NamedAxis extends SymbolAxis {
  private static final long serialVersionUID = 1L;

  @SuppressWarnings("serial") // charts are not serialised
  private transient @Nullable UnaryOperator<String> names;

  /** An axis without grid bands. */
  public NamedAxis(@Nullable String label, String[] symbols) {
    super(label, symbols);
    setGridBandsVisible(false);
  }

  /** Gives every symbol another name. */
  void rename(UnaryOperator<String> other) {
    names = other;
  }

  @Override
  public String valueToString(double value) {
    String usual = super.valueToString(value);
    return names == null ? usual : names.apply(usual);
  }
}
