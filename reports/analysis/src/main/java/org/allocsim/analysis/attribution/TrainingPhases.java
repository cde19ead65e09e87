package org.allocsim.analysis.attribution;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.RequestKind;

/**
 * When a program was in its forward pass, its backward pass, or its optimizer, as {@link
 * Attribution} takes it. A phase reaches from its first allocation to the first of another phase;
 * what the program allocates outside of modules, such as a loss or a batch, does not end it.
 *
 * @param spans in the order of their begin, none inside another
 */
public record TrainingPhases(List<Span> spans) {
  /**
   * A phase.
   *
   * @param name {@code forward}, {@code backward} or {@code optimizer}
   * @param fromRow row of the trace with its first allocation
   * @param toRow row after its last allocation
   */
  public record Span(String name, int fromRow, int toRow) {}

  /** Keeps its own copy. */
  public TrainingPhases {
    spans = List.copyOf(spans);
  }

  /** The phases that the allocations of a device show; none where stacks were not recorded. */
  public static TrainingPhases of(AllocationTrace trace, int device) {
    Lifetimes lives = new Lifetimes(trace, device, new Sites(trace.stacks()));
    List<Span> spans = new ArrayList<>();
    Site.Phase current = Site.Phase.SAME;
    int from = 0;
    int to = 0;
    for (int row = trace.prologueCount(); row < trace.eventCount(); row++) {
      if (trace.device(row) != device || trace.kind(row) != RequestKind.ALLOCATE) {
        continue;
      }
      Site.Phase phase = lives.takenIn(trace.allocation(row));
      if (!isOfStep(phase)) {
        continue;
      }
      if (phase != current) {
        if (isOfStep(current)) {
          spans.add(new Span(name(current), from, to));
        }
        current = phase;
        from = row;
      }
      to = row + 1;
    }
    if (isOfStep(current)) {
      spans.add(new Span(name(current), from, to));
    }
    return new TrainingPhases(spans);
  }

  private static boolean isOfStep(Site.Phase phase) {
    return switch (phase) {
      case FORWARD, BACKWARD, OPTIMIZER -> true;
      case SAME, PROGRAM, MODEL, ZERO_GRAD -> false;
    };
  }

  private static String name(Site.Phase phase) {
    return phase.name().toLowerCase(Locale.ROOT);
  }
}
