package org.allocsim.analysis.leak;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import org.allocsim.analysis.leak.Iterations.Source;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.RequestKind;

/**
 * Cuts a program into iterations. Markers are named phases of the program; PyTorch writes one for
 * every {@code Optimizer.step}, its profiler one for every {@code ProfilerStep#N}. Names that
 * differ only in numbers are one marker. An iteration reaches from one begin of a marker to the
 * next; what comes before the first and after the last belongs to none.
 */
public final class IterationFinder {
  private static final Pattern NUMBER = Pattern.compile("[0-9]+");

  /** PyTorch marks every step of an optimizer: a program that has few steps has few iterations. */
  private static final String STEP = "Optimizer.step#";

  /** Marks what the compiler does, once for each function that it compiles. */
  private static final String COMPILER = "dynamo_timed";

  private static final double NEARLY_AS_REGULAR = 0.01;
  private static final int MAX_NAMES = 4;
  private static final String NO_PERIOD =
      "no request delimits " + Iterations.FEWEST + " regular iterations";

  private final AllocationTrace trace;
  private final int device;

  /** Markers by name, in the order of their first begin. */
  private final Map<String, Rows> markers = new LinkedHashMap<>();

  /** Rows of a marker's begins, and the allocations made before each. */
  private static final class Rows {
    final List<Integer> rows = new ArrayList<>();
    final List<Integer> allocations = new ArrayList<>();

    /** Begins with nothing between them are one: a history can be shorter than its markers. */
    void add(int row, int allocationsBefore) {
      if (!rows.isEmpty() && allocations.getLast() == allocationsBefore) {
        rows.removeLast();
        allocations.removeLast();
      }
      rows.add(row);
      allocations.add(allocationsBefore);
    }

    /** Standard deviation of the distances in allocations over their mean. */
    double irregularity() {
      int gaps = allocations.size() - 1;
      double mean = (double) (allocations.getLast() - allocations.getFirst()) / gaps;
      double squares = 0;
      for (int i = 1; i < allocations.size(); i++) {
        double off = allocations.get(i) - allocations.get(i - 1) - mean;
        squares += off * off;
      }
      return mean == 0 ? Double.POSITIVE_INFINITY : Math.sqrt(squares / gaps) / mean;
    }
  }

  /** Looks at the requests of one device. */
  public IterationFinder(AllocationTrace trace, int device) {
    this.trace = trace;
    this.device = device;
    int allocations = 0;
    for (int event = trace.prologueCount(); event < trace.eventCount(); event++) {
      if (trace.device(event) != device) {
        continue;
      }
      RequestKind kind = trace.kind(event);
      if (kind == RequestKind.ALLOCATE) {
        allocations++;
      } else if (kind == RequestKind.MARKER_BEGIN
          && !trace.markerNameOf(event).contains(COMPILER)) {
        Rows rows = markers.computeIfAbsent(unnumbered(trace.markerNameOf(event)), _ -> new Rows());
        rows.add(event, allocations);
      }
    }
  }

  private static String unnumbered(String name) {
    return NUMBER.matcher(name).replaceAll("N");
  }

  /** Iterations by markers, or where they give too few, by periodicity. */
  public Iterations any() throws IterationException {
    Optional<Iterations> marked = steadiest();
    if (marked.isPresent()) {
      return whole(marked.get());
    }
    if (markers.keySet().stream().anyMatch(name -> name.startsWith(STEP))) {
      throw new IterationException(
          "no iterations to compare: " + rareMarkers() + "; " + IterationException.REMEDY, false);
    }
    Optional<Iterations> periodic = periodic();
    if (periodic.isPresent()) {
      return whole(periodic.get());
    }
    throw new IterationException(
        (markers.isEmpty() ? "it has no markers" : rareMarkers())
            + " and "
            + NO_PERIOD
            + "; "
            + IterationException.REMEDY,
        false);
  }

  /** Refuses the layers of one pass. */
  private Iterations whole(Iterations found) throws IterationException {
    if (SingleCall.holds(trace, device, found)) {
      throw IterationException.withinOnePass(found.name());
    }
    return found;
  }

  /** Iterations by the marker that comes at the most regular distances, counted in allocations. */
  public Iterations byMarkers() throws IterationException {
    return steadiest()
        .orElseThrow(() ->
            new IterationException(
                (markers.isEmpty() ? "it has no markers" : rareMarkers())
                    + "; give --iterations period, or "
                    + IterationException.REMEDY,
                false));
  }

  private String rareMarkers() {
    return "no marker delimits " + Iterations.FEWEST + " whole iterations (" + names() + ")";
  }

  /** Iterations by the marker with this name; numbers in it do not matter. */
  public Iterations byMarker(String name) throws IterationException {
    String wanted = unnumbered(name);
    Rows rows = markers.get(wanted);
    if (rows == null) {
      throw new IterationException(
          markers.isEmpty()
              ? "it has no markers; give --iterations period"
              : "it has no marker " + name + "; it has " + names(),
          true);
    }
    if (rows.rows.size() <= Iterations.FEWEST) {
      throw new IterationException(
          "marker "
              + wanted
              + " delimits "
              + (rows.rows.size() - 1)
              + " whole iterations, but a trend needs "
              + Iterations.FEWEST
              + "; record more",
          false);
    }
    return new Iterations(Source.MARKER, wanted, array(rows.rows));
  }

  /** Iterations by a request that comes back regularly. */
  public Iterations byPeriod() throws IterationException {
    return periodic()
        .orElseThrow(
            () -> new IterationException(NO_PERIOD + "; " + IterationException.REMEDY, false));
  }

  private Optional<Iterations> periodic() {
    return Recurrence.find(trace, device)
        .map(found -> new Iterations(Source.PERIOD, found.description(), found.rows()));
  }

  private Optional<Iterations> steadiest() {
    String best = null;
    double lowest = Double.POSITIVE_INFINITY;
    for (Map.Entry<String, Rows> marker : markers.entrySet()) {
      if (marker.getValue().rows.size() <= Iterations.FEWEST) {
        continue;
      }
      double irregularity = marker.getValue().irregularity();
      if (best == null || irregularity < lowest - NEARLY_AS_REGULAR) {
        best = marker.getKey();
        lowest = irregularity;
      }
    }
    return best == null
        ? Optional.empty()
        : Optional.of(
            new Iterations(
                Source.MARKER, best, array(Objects.requireNonNull(markers.get(best)).rows)));
  }

  private String names() {
    List<String> shown = new ArrayList<>();
    for (Map.Entry<String, Rows> marker : markers.entrySet()) {
      shown.add(marker.getKey() + " ×" + marker.getValue().rows.size());
    }
    return shown.size() <= MAX_NAMES
        ? String.join(", ", shown)
        : String.join(", ", shown.subList(0, MAX_NAMES))
            + " and "
            + (shown.size() - MAX_NAMES)
            + " more";
  }

  private static int[] array(List<Integer> rows) {
    return rows.stream().mapToInt(Integer::intValue).toArray();
  }
}
