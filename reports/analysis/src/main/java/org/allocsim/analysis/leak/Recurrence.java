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
  private static final double MIN_SHARE = 0.75;
  private static final double MIN_SPAN = 0.5;
  private static final int TOLERANCE = 8;
  private static final double MAX_SCATTER = 0.10;
  private static final int FEW = 12;
  private static final int CHANCE_BREAKS = 2;
  private static final int MAX_CANDIDATES = 500;

  /** A phrase whose rhythm is regular. */
  private record Candidate(String description, int[] places, int breaks) {}

  /**
   * How regularly a phrase comes.
   *
   * @param gap median distance
   * @param breaks distances that are not within an eighth of it
   * @param spanned sum of those that are
   */
  private record Rhythm(int gap, int breaks, int spanned) {
    /**
     * The rhythm of a part of some places.
     *
     * @param gaps where to put their distances
     */
    static Rhythm of(int[] places, int from, int to, int[] gaps) {
      int count = to - from - 1;
      for (int i = 0; i < count; i++) {
        gaps[i] = places[from + i + 1] - places[from + i];
      }
      Arrays.sort(gaps, 0, count);
      int median = gaps[count / 2];
      int breaks = 0;
      int spanned = 0;
      for (int i = 0; i < count; i++) {
        boolean regular = Math.abs(gaps[i] - median) <= median / TOLERANCE;
        breaks += regular ? 0 : 1;
        spanned += regular ? gaps[i] : 0;
      }
      return new Rhythm(median, breaks, spanned);
    }
  }

  static Optional<Recurrence> find(AllocationTrace trace, int device) {
    AllocationTexts texts = AllocationTexts.of(trace, device);
    List<Candidate> candidates = candidates(texts);
    LiveCurve live = new LiveCurve(trace, device);
    Candidate best = null;
    int fewestBreaks = 0;
    for (Candidate candidate : candidates.subList(0, Math.min(MAX_CANDIDATES, candidates.size()))) {
      if (best != null && candidate.breaks > fewestBreaks + CHANCE_BREAKS) {
        break;
      }
      if ((best == null || candidate.places.length > best.places.length)
          && comesBack(candidate, texts.rows(), live)) {
        fewestBreaks = best == null ? candidate.breaks : fewestBreaks;
        best = candidate;
      }
    }
    return best == null
        ? Optional.empty()
        : Optional.of(new Recurrence(best.description, rowsOf(best, texts.rows())));
  }

  /** The regular phrases, those first whose rhythm breaks least often, the most frequent first. */
  private static List<Candidate> candidates(AllocationTexts texts) {
    List<Candidate> candidates = new ArrayList<>();
    PhraseIndex index = new PhraseIndex(texts.count());
    long[] longer = new long[texts.count()];
    collect(texts.sizes(), true, index, longer, candidates);
    collect(texts.lifetimes(), false, index, longer, candidates);
    candidates.sort(
        Comparator.comparingInt(Candidate::breaks)
            .thenComparing(Comparator.comparingInt((Candidate c) -> c.places.length).reversed()));
    return candidates;
  }

  /**
   * Adds the regular phrases of a text.
   *
   * @param longer room for phrases
   */
  private static void collect(
      long[] text, boolean sizes, PhraseIndex index, long[] longer, List<Candidate> candidates) {
    long[] phrases = text;
    for (int length = 1; length <= LONGEST_PHRASE; length *= PhraseIndex.IN_ROW) {
      if (length > 1) {
        PhraseIndex.inRow(phrases, length / PhraseIndex.IN_ROW, longer);
        phrases = longer;
      }
      index.read(phrases, length, Iterations.FEWEST, MIN_SPAN * text.length);
      addRegular(text, length, sizes, index, candidates);
    }
  }

  /** Adds the regular ones of the phrases that were indexed, of those with one rhythm the first. */
  private static void addRegular(
      long[] text, int length, boolean sizes, PhraseIndex index, List<Candidate> candidates) {
    double span = MIN_SPAN * text.length;
    int[] places = index.places();
    int[] gaps = new int[index.maxPlaces()];
    Set<Long> rhythms = new HashSet<>();
    for (int wide = 0; wide < index.wideCount(); wide++) {
      int from = index.begin(wide);
      int to = index.begin(wide + 1);
      Rhythm rhythm = Rhythm.of(places, from, to, gaps);
      if (rhythm.breaks <= (1 - MIN_SHARE) * (to - from - 1)
          && rhythm.spanned >= span
          && isTransient(text, places[from], length, sizes)
          && rhythms.add(((long) (to - from) << 40) ^ ((long) rhythm.gap << 16) ^ rhythm.breaks)) {
        candidates.add(
            new Candidate(
                describe(text[places[from]], length, sizes, to - from, rhythm.gap),
                Arrays.copyOfRange(places, from, to),
                rhythm.breaks));
      }
    }
  }

  /** Whether a phrase of lifetimes has an end at all: weights in a row are no iterations. */
  private static boolean isTransient(long[] text, int place, int length, boolean sizes) {
    for (int i = 0; i < length; i++) {
      if (sizes || text[place - i] != AllocationTexts.NEVER_FREED) {
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
    double slope = Trend.slope(floors, warmUp);
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
}
