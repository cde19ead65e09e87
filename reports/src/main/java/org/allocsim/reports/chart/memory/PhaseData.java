package org.allocsim.reports.chart.memory;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.reports.chart.memory.MemoryTimelineChart.Phase;

/**
 * The phases of a program on the horizontal axis of a timeline. Phases that are too narrow to be
 * seen are joined with their neighbours of the same name.
 *
 * @param spans in the order of their begin
 */
public record PhaseData(List<Span> spans) {
  private static final int MAX_NAMES = 3;

  /** What is narrower than this share of the axis cannot be distinguished from its neighbours. */
  private static final double NARROW = 1.0 / 400;

  /**
   * A phase, or several in a row.
   *
   * @param count how many phases it stands for
   */
  public record Span(String name, double from, double to, int count) {}

  /** Keeps its own copy. */
  public PhaseData {
    spans = List.copyOf(spans);
  }

  /** Places phases on the axis of a timeline. */
  public static PhaseData of(List<Phase> phases, TimelineData timeline) {
    double narrow = timeline.end() * NARROW;
    List<Span> spans = new ArrayList<>();
    for (Phase phase : phases) {
      double from =
          Math.clamp(timeline.x(phase.beginNanos(), phase.beginEvent()), 0, timeline.end());
      double to = Math.clamp(timeline.x(phase.endNanos(), phase.endEvent()), from, timeline.end());
      Span last = spans.isEmpty() ? null : spans.getLast();
      if (last != null
          && last.name().equals(phase.name())
          && to - from < narrow
          && from - last.to() < narrow) {
        spans.set(spans.size() - 1, new Span(last.name(), last.from(), to, last.count() + 1));
      } else {
        spans.add(new Span(phase.name(), from, to, 1));
      }
    }
    return new PhaseData(spans);
  }

  /** What phases there are, in a few words. */
  static String summary(List<Phase> phases) {
    List<String> names = phases.stream().map(Phase::name).distinct().toList();
    String some =
        String.join(", ", names.subList(0, Math.min(MAX_NAMES, names.size())))
            + (names.size() > MAX_NAMES ? ", ..." : "");
    return Numbers.count(phases.size(), "phase") + " of the program: " + some;
  }
}
