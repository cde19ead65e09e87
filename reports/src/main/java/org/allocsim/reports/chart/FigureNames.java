package org.allocsim.reports.chart;

import java.awt.Font;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.annotations.CategoryAnnotation;
import org.jfree.chart.annotations.CategoryTextAnnotation;
import org.jfree.chart.annotations.XYAnnotation;
import org.jfree.chart.axis.CategoryAxis;
import org.jfree.chart.axis.ValueAxis;
import org.jfree.chart.plot.CategoryPlot;
import org.jfree.chart.plot.CombinedDomainXYPlot;
import org.jfree.chart.plot.Marker;
import org.jfree.chart.plot.Plot;
import org.jfree.chart.plot.XYPlot;
import org.jfree.chart.ui.Layer;
import org.jfree.data.category.CategoryDataset;
import org.jfree.data.category.DefaultCategoryDataset;
import org.jspecify.annotations.Nullable;

/**
 * Other names of what charts show: of their series, bars, rows and lines at a bound. Which of them
 * were found in a chart is remembered.
 */
public final class FigureNames {
  /** Names that a sentence lists. */
  private static final int MAX_LISTED = 12;

  private final Map<String, String> names;
  private final Set<String> found = new HashSet<>();
  private final Set<String> shown = new LinkedHashSet<>();

  /** Names by the usual ones. */
  public FigureNames(Map<String, String> names) {
    this.names = Map.copyOf(names);
  }

  /** Why some name fits nothing that was drawn, in a sentence; empty where all were found. */
  public Optional<String> complaint() {
    List<String> there = shown.stream().filter(name -> !name.isBlank()).toList();
    return names.keySet().stream()
        .filter(name -> !found.contains(name))
        .sorted()
        .findFirst()
        .filter(_ -> !there.isEmpty())
        .map(name ->
            "--figure: name."
                + name
                + " is not in the charts, which show "
                + String.join(", ", there.subList(0, Math.min(MAX_LISTED, there.size())))
                + (there.size() > MAX_LISTED ? " and more" : "")
                + "; correct or omit the name");
  }

  /**
   * The name of what has a usual one. Texts that say more after the name keep that: of several
   * names that a text begins with, the longest counts.
   */
  String of(String usual) {
    if (names.isEmpty()) {
      return usual;
    }
    shown.add(usual);
    String whole = names.get(usual);
    if (whole != null) {
      found.add(usual);
      return whole;
    }
    return names.keySet().stream()
        .filter(name -> beginsWith(usual, name))
        .max(Comparator.comparingInt(String::length))
        .map(name -> {
          found.add(name);
          return names.get(name) + usual.substring(name.length());
        })
        .orElse(usual);
  }

  private static boolean beginsWith(String text, String name) {
    return text.startsWith(name)
        && List.of(" ", ": ", "; ", ", ").stream()
            .anyMatch(end -> text.startsWith(end, name.length()));
  }

  /** Renames all that a chart's plot shows; its legend is not the plot's. */
  void rename(JFreeChart chart) {
    if (!names.isEmpty()) {
      rename(chart.getPlot());
    }
  }

  private void rename(Plot plot) {
    switch (plot) {
      case CombinedDomainXYPlot panels -> {
        for (Object panel : panels.getSubplots()) {
          rename((Plot) panel);
        }
      }
      case XYPlot one -> {
        rename(one.getDomainAxis());
        rename(one.getRangeAxis());
        for (Object each : one.getAnnotations()) {
          if ((XYAnnotation) each instanceof Painting painting) {
            painting.rename(this::of);
          }
        }
        rename(one.getRangeMarkers(Layer.FOREGROUND));
      }
      case CategoryPlot bars -> {
        rename(bars);
        rename(bars.getRangeMarkers(Layer.FOREGROUND));
      }
      default -> {}
    }
  }

  private void rename(@Nullable ValueAxis axis) {
    if (axis instanceof NamedAxis named) {
      named.rename(this::of);
    }
  }

  private void rename(@Nullable Iterable<?> markers) {
    if (markers != null) {
      for (Object each : markers) {
        Marker marker = (Marker) each;
        if (marker.getLabel() != null) {
          marker.setLabel(of(marker.getLabel()));
        }
      }
    }
  }

  private void rename(CategoryPlot plot) {
    CategoryDataset usual = plot.getDataset();
    Map<String, String> bars = new HashMap<>();
    for (Object key : usual.getColumnKeys()) {
      bars.put(key.toString(), unlike(bars, of(key.toString())));
    }
    Map<String, String> parts = new HashMap<>();
    for (Object key : usual.getRowKeys()) {
      parts.put(key.toString(), unlike(parts, of(key.toString())));
    }
    DefaultCategoryDataset renamed = new DefaultCategoryDataset();
    for (int bar = 0; bar < usual.getColumnCount(); bar++) {
      for (int part = 0; part < usual.getRowCount(); part++) {
        renamed.addValue(
            usual.getValue(part, bar),
            parts.get(usual.getRowKey(part).toString()),
            bars.get(usual.getColumnKey(bar).toString()));
      }
    }
    CategoryAxis axis = plot.getDomainAxis();
    Map<String, Font> fonts = new HashMap<>();
    bars.forEach((name, other) -> fonts.put(other, axis.getTickLabelFont(name)));
    fonts.forEach(axis::setTickLabelFont);
    plot.setDataset(renamed);
    for (Iterator<?> all = plot.getAnnotations().iterator(); all.hasNext(); ) {
      if ((CategoryAnnotation) all.next() instanceof CategoryTextAnnotation text) {
        text.setCategory(bars.get(text.getCategory().toString()));
      }
    }
  }

  /** A name that no other has: bars of one name would be one. */
  private static String unlike(Map<String, String> taken, String name) {
    String unique = name;
    for (int number = 2; taken.containsValue(unique); number++) {
      unique = name + " (" + number + ")";
    }
    return unique;
  }
}
