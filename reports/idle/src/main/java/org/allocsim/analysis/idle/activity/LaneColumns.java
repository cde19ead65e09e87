package org.allocsim.analysis.idle.activity;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.analysis.idle.timeline.Intervals;

/**
 * Collects a lane: how long each thing happens within each column of a stretch of time. Where
 * pieces overlap the earlier counts, so that a column is never fuller than it is long.
 */
final class LaneColumns {
  private final Span span;
  private final List<Lane.Part> parts = new ArrayList<>();
  private long doneNanos = Long.MIN_VALUE;

  LaneColumns(Span span) {
    this.span = span;
  }

  /** A further thing that may happen; its number. */
  int part(String id, String words) {
    parts.add(new Lane.Part(id, words, new long[span.columns()]));
    return parts.size() - 1;
  }

  /** Adds a piece, which begins no earlier than those before it. */
  void add(int part, long begin, long end) {
    long from = Math.max(Math.max(begin, doneNanos), span.beginNanos());
    long to = Math.min(end, span.endNanos());
    if (from >= to) {
      return;
    }
    doneNanos = to;
    put(part, from, to);
  }

  /** Adds a piece that is known to overlap none. */
  void put(int part, long begin, long end) {
    long from = Math.max(begin, span.beginNanos());
    long to = Math.min(end, span.endNanos());
    if (from >= to) {
      return;
    }
    long[] nanos = parts.get(part).nanos();
    for (int column = span.column(from); from < to; column++) {
      long until = Math.min(to, span.boundary(column + 1));
      nanos[column] += until - from;
      from = until;
    }
  }

  /** Adds pieces that are known to overlap none. */
  void put(int part, Intervals intervals) {
    for (int i = intervals.firstAfter(span.beginNanos());
        i < intervals.count() && intervals.begin(i) < span.endNanos();
        i++) {
      put(part, intervals.begin(i), intervals.end(i));
    }
  }

  Lane lane(String name) {
    return new Lane(name, parts.stream().filter(part -> part.totalNanos() > 0).toList());
  }
}
