package org.allocsim.simulator.policy.stalloc;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.allocsim.simulator.policy.FutureRequests;
import org.allocsim.simulator.policy.UnfitTraceException;
import org.allocsim.simulator.policy.offline.Placement;
import org.allocsim.simulator.policy.offline.PlanBudget;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.RequestKind;

/**
 * Makes a plan from a profile, the requests that a program made before. Where the profile has
 * markers of iterations, the first iteration is planned and one steady iteration, whose plan serves
 * all that follow; else the whole profile counts as the first iteration.
 *
 * <p>What lives beyond its iteration gets a place of its own; so does what a steady iteration takes
 * over from the one before. The rest shares places by {@link Placement}, in three orders of which
 * the lowest result counts: what lives on first and then by size; by size; by size times lifetime.
 */
final class PlanMaker {
  /** Begin of the names of the markers that STAlloc's tracer writes at each iteration. */
  static final String ITERATION_MARKER = "Iteration Index";

  private static final int NO_BUFFER = -1;

  private final AllocationTrace trace;
  private final int device;
  private final long maxBytes;
  private final Lifetimes lifetimes = new Lifetimes();

  /** Row of each allocation that has one. */
  private final int[] bufferOf;

  private final boolean[] hasSlot;
  private final IntStream.Builder unplanned = IntStream.builder();
  private int requests;
  private int firstRows;
  private int steadyStart = -1;

  private int slots;
  private int maxSlots;

  private PlanMaker(FutureRequests profile, long maxBytes) {
    trace = Objects.requireNonNull(profile.trace());
    device = profile.device();
    this.maxBytes = maxBytes;
    bufferOf = new int[trace.allocationCount()];
    Arrays.fill(bufferOf, NO_BUFFER);
    hasSlot = new boolean[trace.allocationCount()];
  }

  /**
   * A plan for a profile.
   *
   * @param maxBytes requests of more than this were never served, so none of them is planned
   * @throws UnfitTraceException where making a plan takes too long
   */
  static StAllocPlan plan(FutureRequests profile, long maxBytes) throws UnfitTraceException {
    return profile.isKnown() ? new PlanMaker(profile, maxBytes).make() : StAllocPlan.NONE;
  }

  private StAllocPlan make() throws UnfitTraceException {
    readProfile();
    int count = lifetimes.count();
    long liveBytes = lifetimes.maxLiveBytes();
    PlanBudget budget = new PlanBudget(count);
    Placement best = null;
    for (Comparator<Integer> order : orders()) {
      if (best != null && best.height() == liveBytes) {
        break;
      }
      Placement placement = lifetimes.placement(budget);
      if (!IntStream.range(0, count).boxed().sorted(order).allMatch(placement::place)) {
        break;
      }
      if (best == null || placement.height() < best.height()) {
        best = placement;
      }
    }
    if (best == null) {
      throw PlanBudget.exceeded();
    }
    long[] offsets = new long[count];
    for (int buffer = 0; buffer < count; buffer++) {
      offsets[buffer] = best.offset(buffer);
    }
    return new StAllocPlan(
        offsets,
        exactBytes(count),
        firstRows,
        best.height(),
        liveBytes,
        (long) maxSlots * SlotTable.SLOT_BYTES,
        unplanned.build().toArray());
  }

  private List<Comparator<Integer>> orders() {
    Comparator<Integer> bySize = Comparator.comparingLong(buffer -> -lifetimes.bytes(buffer));
    Comparator<Integer> residentsFirst =
        Comparator.comparing(buffer -> !lifetimes.isForever(buffer));
    Comparator<Integer> byArea =
        Comparator.comparingDouble(buffer ->
            -(double) lifetimes.bytes(buffer) * (lifetimes.end(buffer) - lifetimes.start(buffer)));
    // Sorting is stable: equals stay in the order of the requests.
    return List.of(residentsFirst.thenComparing(bySize), bySize, byArea);
  }

  private long[] exactBytes(int count) {
    long[] exact = new long[count];
    for (int event = 0; event < trace.eventCount(); event++) {
      if (allocates(event) && bufferOf[trace.allocation(event)] != NO_BUFFER) {
        exact[bufferOf[trace.allocation(event)]] = trace.bytes(event);
      }
    }
    return exact;
  }

  private boolean allocates(int event) {
    return trace.device(event) == device
        && (trace.kind(event) == RequestKind.ALLOCATE
            || trace.kind(event) == RequestKind.RESTORE_BLOCK);
  }

  private void readProfile() {
    int iteration = -1;
    int time = 0;
    for (int event = 0; event < trace.eventCount(); event++) {
      if (trace.device(event) != device) {
        continue;
      }
      if (trace.kind(event) == RequestKind.MARKER_BEGIN
          && trace.markerNameOf(event).startsWith(ITERATION_MARKER)) {
        iteration++;
        if (iteration == 1) {
          firstRows = lifetimes.count();
          steadyStart = time;
        }
      } else if (allocates(event)) {
        request(event, time++, iteration);
      } else if (trace.kind(event) == RequestKind.FREE) {
        free(trace.allocation(event), time++, iteration);
      }
    }
    if (steadyStart < 0) {
      firstRows = lifetimes.count();
    }
    for (int buffer = firstRows; buffer < lifetimes.count(); buffer++) {
      if (lifetimes.isForever(buffer)) {
        // The next iteration inherits what the steady one does not free.
        lifetimes.setStart(buffer, steadyStart);
      }
    }
  }

  private void request(int event, int time, int iteration) {
    long bytes = trace.bytes(event);
    int allocation = trace.allocation(event);
    if (bytes == 0) {
      return;
    }
    if (bytes <= SlotTable.SLOT_BYTES) {
      hasSlot[allocation] = true;
      maxSlots = Math.max(maxSlots, ++slots);
      return;
    }
    int number = requests++;
    if (iteration > 1) {
      return;
    }
    if (bytes > maxBytes) {
      unplanned.add(number);
      return;
    }
    bufferOf[allocation] = lifetimes.add(time, StaticArena.rounded(bytes));
  }

  private void free(int allocation, int time, int iteration) {
    if (hasSlot[allocation]) {
      slots--;
      return;
    }
    int buffer = bufferOf[allocation];
    if (buffer == NO_BUFFER) {
      return;
    }
    if (steadyStart < 0 || (iteration == 1 && buffer >= firstRows)) {
      lifetimes.setEnd(buffer, time);
    }
  }
}
