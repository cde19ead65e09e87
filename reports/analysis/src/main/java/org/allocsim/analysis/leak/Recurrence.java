package org.allocsim.analysis.leak;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.allocsim.simulator.stats.ByteFormat;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.RequestKind;

/**
 * An allocation that a program makes once in every iteration, found without markers.
 *
 * <p>The allocations are read as texts in two languages: exact sizes, which gradients and weights
 * repeat whatever the batch; and lifetimes counted in allocations, which a program repeats even
 * where every size changes. A phrase of 1, 4 or 16 words may begin the iterations if
 *
 * <ul>
 *   <li>it delimits at least {@link Iterations#FEWEST} iterations;
 *   <li>at least three quarters of its distances, counted in allocations, are within an eighth of
 *       their median, and these alone span half of the history;
 *   <li>memory comes back: around their trend the quietest moments scatter (between the quartiles,
 *       or wholly where they are fewer than {@value #FEW}) by no more than a tenth of what the
 *       median iteration takes on top. The phrases of a layer or of a generated token repeat as
 *       regularly, but memory rises and falls across them.
 * </ul>
 *
 * <p>Of those that may, the ones whose rhythm breaks least often (but for {@value #CHANCE_BREAKS}
 * breaks) are kept, and of them the one that comes most often.
 *
 * @param description what comes back, for people
 * @param rows rows of the trace at which it does
 */
record Recurrence(String description, int[] rows) {
  private static final int LONGEST_PHRASE = 16;
  private static final int LONGER = 4;
  private static final double MIN_SHARE = 0.75;
  private static final double MIN_SPAN = 0.5;
  private static final int TOLERANCE = 8;
  private static final double MAX_SCATTER = 0.10;
  private static final int FEW = 12;
  private static final int CHANCE_BREAKS = 2;
  private static final int MAX_CANDIDATES = 500;
  private static final long NEVER_FREED = -1;

  /** A phrase whose rhythm is regular. */
  private record Candidate(String description, int[] places, int gap, int breaks) {}

  /**
   * How regularly a phrase comes.
   *
   * @param gap median distance
   * @param breaks distances that are not within an eighth of it
   * @param spanned sum of those that are
   */
  private record Rhythm(int gap, int breaks, int spanned) {
    static Rhythm of(int[] places) {
      int[] sorted = new int[places.length - 1];
      for (int i = 0; i < sorted.length; i++) {
        sorted[i] = places[i + 1] - places[i];
      }
      Arrays.sort(sorted);
      int median = sorted[sorted.length / 2];
      int breaks = 0;
      int spanned = 0;
      for (int gap : sorted) {
        boolean regular = Math.abs(gap - median) <= median / TOLERANCE;
        breaks += regular ? 0 : 1;
        spanned += regular ? gap : 0;
      }
      return new Rhythm(median, breaks, spanned);
    }
  }

  static Optional<Recurrence> find(AllocationTrace trace, int device) {
    int[] rows = allocations(trace, device);
    List<Candidate> candidates = new ArrayList<>();
    collect(sizes(trace, rows), true, candidates);
    collect(lifetimes(trace, device, rows), false, candidates);
    candidates.sort(
        Comparator.comparingInt(Candidate::breaks)
            .thenComparing(Comparator.comparingInt((Candidate c) -> c.places.length).reversed()));
    LiveCurve live = new LiveCurve(trace, device);
    Candidate best = null;
    int fewestBreaks = 0;
    for (Candidate candidate : candidates.subList(0, Math.min(MAX_CANDIDATES, candidates.size()))) {
      if (best != null && candidate.breaks > fewestBreaks + CHANCE_BREAKS) {
        break;
      }
      if ((best == null || candidate.places.length > best.places.length)
          && comesBack(candidate, rows, live)) {
        fewestBreaks = best == null ? candidate.breaks : fewestBreaks;
        best = candidate;
      }
    }
    return best == null
        ? Optional.empty()
        : Optional.of(new Recurrence(best.description, rowsOf(best, rows)));
  }

  /** Adds the regular phrases of a text, of those with one rhythm only the first. */
  private static void collect(long[] text, boolean sizes, List<Candidate> candidates) {
    long[] phrases = text;
    for (int length = 1; length <= LONGEST_PHRASE; length *= LONGER) {
      phrases = length == 1 ? text : PhraseIndex.inRow(phrases, length / LONGER, LONGER);
      PhraseIndex index = PhraseIndex.of(phrases, length);
      Set<Long> rhythms = new HashSet<>();
      double span = MIN_SPAN * text.length;
      for (int phrase = index.nextWide(0, Iterations.FEWEST, span);
          phrase < index.size();
          phrase = index.nextWide(phrase + 1, Iterations.FEWEST, span)) {
        int[] places = index.places(phrase);
        Rhythm rhythm = Rhythm.of(places);
        if (rhythm.breaks <= (1 - MIN_SHARE) * (places.length - 1)
            && rhythm.spanned >= span
            && isTransient(text, places, length, sizes)
            && rhythms.add(
                ((long) places.length << 40) ^ ((long) rhythm.gap << 16) ^ rhythm.breaks)) {
          candidates.add(
              new Candidate(
                  describe(text[places[0]], length, sizes, places.length, rhythm.gap),
                  places,
                  rhythm.gap,
                  rhythm.breaks));
        }
      }
    }
  }

  /** Whether a phrase of lifetimes has an end at all: weights in a row are no iterations. */
  private static boolean isTransient(long[] text, int[] places, int length, boolean sizes) {
    for (int i = 0; i < length; i++) {
      if (sizes || text[places[0] - i] != NEVER_FREED) {
        return true;
      }
    }
    return false;
  }

  private static String describe(long word, int length, boolean sizes, int count, int gap) {
    String what;
    if (sizes) {
      what = length == 1 ? "a request for " + ByteFormat.human(word) : length + " sizes in a row";
    } else {
      what = length == 1 ? "a lifetime of " + word + " requests" : length + " lifetimes in a row";
    }
    return what + ", " + count + " times, about every " + gap + " requests";
  }

  private static boolean comesBack(Candidate candidate, int[] rows, LiveCurve live) {
    int[] begins = rowsOf(candidate, rows);
    int count = begins.length - 1;
    long[] floors = new long[count];
    long[] heights = new long[count];
    for (int i = 0; i < count; i++) {
      floors[i] = live.lowest(begins[i], begins[i + 1]);
      heights[i] = live.greatest(begins[i], begins[i + 1]) - floors[i];
    }
    int warmUp = Trend.warmUp(floors);
    double slope = Trend.of(floors, warmUp, LeakAnalysis.CONFIDENCE).slope();
    double[] scatter = new double[count - warmUp];
    for (int i = warmUp; i < count; i++) {
      scatter[i - warmUp] = floors[i] - slope * i;
    }
    Arrays.sort(scatter);
    Arrays.sort(heights);
    int tail = scatter.length < FEW ? 0 : (scatter.length - 1) / 4;
    double width = scatter[scatter.length - 1 - tail] - scatter[tail];
    return width <= MAX_SCATTER * heights[count / 2];
  }

  private static int[] rowsOf(Candidate candidate, int[] rows) {
    return Arrays.stream(candidate.places).map(place -> rows[place]).toArray();
  }

  private static int[] allocations(AllocationTrace trace, int device) {
    int[] rows = new int[1024];
    int count = 0;
    for (int event = trace.prologueCount(); event < trace.eventCount(); event++) {
      if (trace.device(event) == device && trace.kind(event) == RequestKind.ALLOCATE) {
        if (count == rows.length) {
          rows = Arrays.copyOf(rows, 2 * count);
        }
        rows[count++] = event;
      }
    }
    return Arrays.copyOf(rows, count);
  }

  private static long[] sizes(AllocationTrace trace, int[] rows) {
    return Arrays.stream(rows).mapToLong(trace::bytes).toArray();
  }

  /** Allocations made between each allocation and its free. */
  private static long[] lifetimes(AllocationTrace trace, int device, int[] rows) {
    long[] words = new long[rows.length];
    Arrays.fill(words, NEVER_FREED);
    int[] orders = new int[trace.allocationCount()];
    Arrays.fill(orders, -1);
    int made = 0;
    for (int event = trace.prologueCount(); event < trace.eventCount(); event++) {
      if (trace.device(event) != device) {
        continue;
      }
      if (trace.kind(event) == RequestKind.ALLOCATE) {
        orders[trace.allocation(event)] = made++;
      } else if (trace.kind(event) == RequestKind.FREE && orders[trace.allocation(event)] >= 0) {
        int order = orders[trace.allocation(event)];
        words[order] = (long) made - order - 1;
      }
    }
    return words;
  }
}
