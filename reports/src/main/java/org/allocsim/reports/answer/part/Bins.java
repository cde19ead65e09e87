package org.allocsim.reports.answer.part;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.reports.chart.comparison.Histogram;
import org.allocsim.reports.document.Shape;
import org.jspecify.annotations.Nullable;

/** How many allocations there are of each size and of each lifetime. */
public final class Bins {
  public static final Shape<Bin> SIZES =
      Shape.of(bin ->
          bin.bytes("from_bytes", "Smallest size of the bin.", Bin::from)
              .embed(tail(), each -> each));

  public static final Shape<Bin> LIFETIMES =
      Shape.of(bin ->
          bin.nanos("from_nanos", "Shortest lifetime of the bin.", each -> each.from("from_nanos"))
              .missing("allocations are never freed or the trace has no times")
              .count(
                  "from_requests",
                  "The same in requests, for a trace without times.",
                  each -> each.from("from_requests"))
              .missing("allocations are never freed or the trace has times")
              .embed(tail(), each -> each));

  private Bins() {}

  private static Shape<Bin> tail() {
    return Shape.of(bin ->
        bin.count("allocations", "Number of allocations.", Bin::allocations)
            .bytes("requested_bytes", "Total of their requested bytes.", Bin::requestedBytes));
  }

  /** The bins of a distribution, in their order. */
  public static List<Bin> of(Histogram histogram) {
    List<Bin> bins = new ArrayList<>();
    for (int bin = 0; bin < histogram.counts().length; bin++) {
      bins.add(
          new Bin(
              histogram.unit().key(),
              histogram.froms()[bin],
              histogram.counts()[bin],
              histogram.bytes()[bin]));
    }
    return bins;
  }

  /**
   * One bin.
   *
   * @param key what its lower end counts
   * @param from its lower end, −1 where it has none
   * @param allocations number of allocations
   * @param requestedBytes what they asked for
   */
  public record Bin(String key, long from, long allocations, long requestedBytes) {
    private @Nullable Long from(String wanted) {
      return key.equals(wanted) && from >= 0 ? Long.valueOf(from) : null;
    }
  }
}
