package org.allocsim.analysis.tuning;

import java.util.List;
import java.util.stream.IntStream;
import org.allocsim.analysis.leak.IterationException;
import org.allocsim.analysis.leak.IterationFinder;
import org.allocsim.analysis.leak.Iterations;
import org.allocsim.simulator.run.FailedRequest;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.RequestKind;

/** Rows of a program before which it could empty the allocator's cache. */
public final class CachePlaces {
  private CachePlaces() {}

  /**
   * Where phases begin and end that lie in no other phase. Of boundaries with nothing allocated or
   * freed between them only the first counts.
   */
  public static int[] atPhaseBoundaries(AllocationTrace trace, int device) {
    IntStream.Builder rows = IntStream.builder();
    int depth = 0;
    boolean moved = trace.prologueCount() > 0;
    for (int event = trace.prologueCount(); event < trace.eventCount(); event++) {
      if (trace.device(event) != device) {
        continue;
      }
      boolean isBoundary = false;
      switch (trace.kind(event)) {
        case MARKER_BEGIN -> isBoundary = depth++ == 0;
        case MARKER_END -> {
          // A history may begin inside of phases.
          depth = Math.max(0, depth - 1);
          isBoundary = depth == 0;
        }
        case ALLOCATE, FREE, RESTORE_BLOCK -> moved = true;
        default -> {}
      }
      if (isBoundary && moved) {
        rows.add(event);
        moved = false;
      }
    }
    return rows.build().toArray();
  }

  /**
   * Where every so many steps have passed since the first began.
   *
   * @throws IterationException where the program has no steps
   */
  public static int[] everySteps(AllocationTrace trace, int device, int steps)
      throws IterationException {
    Iterations found = new IterationFinder(trace, device).any();
    return IntStream.rangeClosed(1, found.count() / steps)
        .map(turn -> found.begin(turn * steps))
        .toArray();
  }

  /**
   * The row of an allocation request.
   *
   * @param request its number after the prologue, from 0
   * @return nothing where the program makes fewer
   */
  public static int[] atRequest(AllocationTrace trace, int device, long request) {
    return IntStream.range(trace.prologueCount(), trace.eventCount())
        .filter(event -> trace.device(event) == device)
        .filter(event -> trace.kind(event) == RequestKind.ALLOCATE)
        .skip(request)
        .limit(1)
        .toArray();
  }

  /** The rows of requests after the prologue that failed. */
  public static int[] atFailures(List<FailedRequest> failures) {
    return failures.stream()
        .filter(failure -> failure.requestIndex() >= 0)
        .mapToInt(FailedRequest::row)
        .sorted()
        .toArray();
  }
}
