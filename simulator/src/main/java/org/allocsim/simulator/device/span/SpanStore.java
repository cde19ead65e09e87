package org.allocsim.simulator.device.span;

/**
 * Disjoint spans of addresses, ascending. A span is known by a number above 0 until the next change
 * of the store; {@link #NONE} is none.
 */
public sealed interface SpanStore permits FewSpans, ManySpans {
  /** No span. */
  int NONE = 0;

  /** Number of spans. */
  int count();

  /** First address of a span. */
  long start(int span);

  /** First address after a span. */
  long end(int span);

  /** The span that starts at an address or, of those below it, the highest; else none. */
  int floor(long address);

  /** The span above one; above none, the lowest. */
  int above(int span);

  /** The smallest span of at least this size, the lowest among equals. */
  int bestFit(long bytes);

  /** The lowest span of at least this size. */
  int firstFit(long bytes);

  /** Length of the largest span, 0 without one. */
  long largestBytes();

  /** Adds [start, end), which overlaps none. */
  void add(long start, long end);

  /** Changes the ends of a span, which stays between its neighbours. */
  void change(int span, long start, long end);

  /** Removes a span. */
  void remove(int span);

  /** Removes all. */
  void clear();

  /** Length of a span. */
  default long bytes(int span) {
    return end(span) - start(span);
  }
}
