package org.allocsim.reports.html;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntUnaryOperator;
import org.allocsim.analysis.attribution.TrainingPhases;
import org.allocsim.analysis.leak.IterationException;
import org.allocsim.analysis.leak.IterationFinder;
import org.allocsim.analysis.leak.Iterations;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.RequestKind;
import org.jspecify.annotations.Nullable;

/**
 * The steps and phases of a program on the axis of its timeline. Steps are those that {@code leaks}
 * compares. Phases are the forward and backward pass and the optimizer where stacks show them,
 * otherwise the program's outermost markers.
 */
final class AxisMarks {
  /** More phases than these cannot be told apart, and would make a page long. */
  private static final int MAX_PHASES = 5000;

  /** To search longer traces for what repeats would take longer than the rest of the page. */
  private static final int MAX_SEARCHED = 1 << 20;

  private final AllocationTrace trace;
  private final int device;

  /** Number of a row among those of the device. */
  private final IntUnaryOperator position;

  AxisMarks(AllocationTrace trace, int device, IntUnaryOperator position) {
    this.trace = trace;
    this.device = device;
    this.position = position;
  }

  /** Adds steps and phases to what a page knows of a trace. */
  void put(Map<String, Object> about) {
    Iterations steps = steps();
    Map<String, Object> map = new LinkedHashMap<>();
    List<Object> begins = new ArrayList<>();
    if (steps != null) {
      for (int row : steps.boundaries()) {
        begins.add(row < trace.eventCount() ? position.applyAsInt(row) : deviceEvents());
      }
    }
    map.put("name", steps == null ? null : steps.name());
    map.put("begins", begins);
    about.put("steps", map);
    about.put("phases", phases());
  }

  private int deviceEvents() {
    int events = 0;
    for (int row = 0; row < trace.eventCount(); row++) {
      events += trace.device(row) == device ? 1 : 0;
    }
    return events;
  }

  private @Nullable Iterations steps() {
    IterationFinder finder = new IterationFinder(trace, device);
    try {
      return trace.eventCount() <= MAX_SEARCHED ? finder.any() : finder.byMarkers();
    } catch (IterationException e) {
      return null;
    }
  }

  private List<Object> phases() {
    List<TrainingPhases.Span> spans = TrainingPhases.of(trace, device).spans();
    if (spans.stream().map(TrainingPhases.Span::name).distinct().count() < 2) {
      spans = marked();
    }
    List<Object> phases = new ArrayList<>();
    if (spans.size() <= MAX_PHASES) {
      for (TrainingPhases.Span span : spans) {
        int last = position.applyAsInt(lastOfDevice(span));
        phases.add(List.of(span.name(), position.applyAsInt(span.fromRow()), last + 1));
      }
    }
    return phases;
  }

  private int lastOfDevice(TrainingPhases.Span span) {
    int row = span.toRow() - 1;
    while (row > span.fromRow() && trace.device(row) != device) {
      row--;
    }
    return row;
  }

  /** What the program marked, without what is inside of another marker. */
  private List<TrainingPhases.Span> marked() {
    List<TrainingPhases.Span> spans = new ArrayList<>();
    int depth = 0;
    int from = 0;
    for (int row = 0; row < trace.eventCount(); row++) {
      if (trace.device(row) != device) {
        continue;
      }
      RequestKind kind = trace.kind(row);
      if (kind == RequestKind.MARKER_BEGIN && depth++ == 0) {
        from = row;
      } else if (kind == RequestKind.MARKER_END && depth > 0 && --depth == 0) {
        spans.add(new TrainingPhases.Span(trace.markerNameOf(from), from, row + 1));
      }
    }
    return spans;
  }
}
