package org.allocsim.analysis.leak;

import java.util.Optional;
import java.util.function.Supplier;
import org.allocsim.analysis.task.ParallelTasks;
import org.allocsim.simulator.trace.AllocationTrace;

/**
 * Leak, plateau, fragmentation or none, and why.
 *
 * <p>Four series are looked at after the warm-up. LEAK: the floor of live memory, or its part kept
 * for more than an iteration, {@linkplain Trend#grows grows} and ends higher than it began. Both
 * are asked, each at half the permitted error: the floor sees buffers that are replaced by ever
 * larger ones, the kept part sees small leaks that varying batches hide. FRAGMENTATION: neither
 * does, but both reserved memory and its excess over the highest that was ever live grow, and
 * reserved memory does so in the second half alone too. PLATEAU: reserved memory or the floor rose
 * after the warm-up and did not go on. NONE: neither rose.
 *
 * <p>Iterations that are guessed from what repeats may be the layers of one pass, which gather
 * memory until it ends. What grew over guessed iterations, is given back when the recording ends,
 * and was asked for within one function that asks for more elsewhere, is no leak.
 *
 * @param iterations how the program was cut
 * @param series what was measured
 * @param warmUp iterations at the start that do not count
 * @param floor trend of the floor of live memory
 * @param kept trend of its long-lived part; empty where too few iterations are left for it
 * @param reserved trend of reserved memory
 * @param excess trend of reserved memory beyond the highest that was ever live
 * @param verdict the answer
 * @param growth what grew between the first iteration after the warm-up and the last
 */
public record LeakAnalysis(
    Iterations iterations,
    IterationSeries series,
    int warmUp,
    Trend floor,
    Optional<Trend> kept,
    Trend reserved,
    Trend excess,
    LeakVerdict verdict,
    Growth growth) {
  /** Confidence of the verdict's intervals together. */
  public static final double CONFIDENCE = 0.95;

  /** The beginning and the end are each this part of the iterations. */
  private static final int END_SHARE = 8;

  private static final double NET_SHARE = 0.7;

  /** Two series can each show a leak; halving the error of each keeps that of both. */
  private static final double CONFIDENCE_OF_EACH = 1 - (1 - CONFIDENCE) / 2;

  /**
   * Analyses a replay that is over.
   *
   * @param served has watched the replay
   * @param warmUp iterations to leave out, or −1 to find them from the data
   * @throws IterationException where the warm-up leaves too few iterations, or what grew over
   *     guessed iterations is given back when the recording ends
   */
  public static LeakAnalysis of(
      AllocationTrace trace, int device, Iterations iterations, ServedBlocks served, int warmUp)
      throws IterationException {
    IterationSampler sampler = new IterationSampler(trace, device, iterations, served);
    IterationSeries series = IterationSeries.of(trace, device, sampler);
    int count = series.count();
    if (warmUp >= 0 && count - warmUp < Iterations.FEWEST) {
      throw new IterationException(
          "a warm-up of "
              + warmUp
              + " iterations leaves "
              + Math.max(0, count - warmUp)
              + " of "
              + count
              + ", but a trend needs "
              + Iterations.FEWEST
              + "; give a smaller --warm-up",
          false);
    }
    int cut = warmUp >= 0 ? warmUp : Trend.warmUp(series.floorBytes());
    // Each of these takes as long as the others; a long program waits for them at its end.
    Supplier<Growth> growth =
        ParallelTasks.beside(() -> Growth.between(trace, device, sampler, cut, count - 1));
    Supplier<Trend> reserving =
        ParallelTasks.beside(() -> Trend.of(series.reservedBytes(), cut, CONFIDENCE));
    Supplier<Trend> exceeding =
        ParallelTasks.beside(() -> Trend.of(series.excessBytes(), cut, CONFIDENCE));
    int keptFrom = Math.max(cut, 1) + IterationSeries.KEPT_LAG - 1;
    Optional<Trend> kept =
        count - keptFrom < Iterations.FEWEST
            ? Optional.empty()
            : Optional.of(Trend.of(series.keptBytes(), keptFrom, CONFIDENCE_OF_EACH));
    Trend floor = Trend.of(series.floorBytes(), cut, CONFIDENCE_OF_EACH);
    Trend reserved = reserving.get();
    Trend excess = exceeding.get();
    LeakVerdict verdict = verdict(series, cut, floor, kept, reserved, excess);
    if (verdict == LeakVerdict.LEAK
        && iterations.source() == Iterations.Source.PERIOD
        && isFreedAtEnd(series.floorBytes(), cut, sampler.liveAtEndBytes())
        && SingleCall.holdsUntilTheEnd(trace, device, iterations)) {
      throw IterationException.withinOnePass(iterations.name());
    }
    return new LeakAnalysis(
        iterations, series, cut, floor, kept, reserved, excess, verdict, growth.get());
  }

  /** Whether most of what the floor gained is not live any more when the recording ends. */
  private static boolean isFreedAtEnd(long[] floorBytes, int first, long atEndBytes) {
    long gainedBytes = floorBytes[floorBytes.length - 1] - floorBytes[first];
    return gainedBytes > 0 && atEndBytes - floorBytes[first] < gainedBytes / 2;
  }

  private static LeakVerdict verdict(
      IterationSeries series,
      int cut,
      Trend floor,
      Optional<Trend> kept,
      Trend reserved,
      Trend excess) {
    boolean floorLeaks = floor.grows() && endsHigher(series.floorBytes(), floor.first());
    boolean keptLeaks =
        kept.isPresent()
            && kept.get().grows()
            && endsHigher(series.keptBytes(), kept.get().first());
    if (floorLeaks || keptLeaks) {
      return LeakVerdict.LEAK;
    }
    if (reserved.grows() && excess.grows() && growsInSecondHalf(series.reservedBytes(), cut)) {
      return LeakVerdict.FRAGMENTATION;
    }
    return floor.rises() || lastRecord(series.reservedBytes(), cut) > cut
        ? LeakVerdict.PLATEAU
        : LeakVerdict.NONE;
  }

  /**
   * Whether memory is higher at the end than at the beginning by most of the range that it moved
   * in: what rises and falls again has a slope, too, but does not fill a GPU.
   */
  private static boolean endsHigher(long[] bytes, int first) {
    int few = Math.max(1, (bytes.length - first) / END_SHARE);
    long net = 0;
    long lowest = Long.MAX_VALUE;
    long highest = Long.MIN_VALUE;
    for (int i = first; i < bytes.length; i++) {
      net += (i >= bytes.length - few ? bytes[i] : 0) - (i < first + few ? bytes[i] : 0);
      lowest = Math.min(lowest, bytes[i]);
      highest = Math.max(highest, bytes[i]);
    }
    return (double) net / few >= NET_SHARE * (highest - lowest);
  }

  /** The first batches of every size need new segments; what fragments goes on needing them. */
  private static boolean growsInSecondHalf(long[] reservedBytes, int cut) {
    int half = (reservedBytes.length - cut) / 2;
    return half >= Trend.MIN_POINTS
        && Trend.ofPart(reservedBytes, reservedBytes.length - half, CONFIDENCE).rises();
  }

  /** The last iteration that ended with more than all from {@code first} on before it. */
  private static int lastRecord(long[] bytes, int first) {
    int record = first;
    for (int i = first; i < bytes.length; i++) {
      if (bytes[i] > bytes[record]) {
        record = i;
      }
    }
    return record;
  }

  /** The last iteration in which reserved memory reached a new high, after the warm-up. */
  public int lastReservedRecord() {
    return lastRecord(series.reservedBytes(), warmUp);
  }

  /** Whether in every iteration with a new high of reserved memory live memory had one too. */
  public boolean recordsNeedLargerPeaks() {
    long[] reserved = series.reservedBytes();
    long[] peaks = series.peakBytes();
    long reservedRecord = reserved[warmUp];
    long peakRecord = 0;
    for (int i = 0; i <= warmUp; i++) {
      peakRecord = Math.max(peakRecord, peaks[i]);
    }
    for (int i = warmUp + 1; i < reserved.length; i++) {
      if (reserved[i] > reservedRecord && peaks[i] <= peakRecord) {
        return false;
      }
      reservedRecord = Math.max(reservedRecord, reserved[i]);
      peakRecord = Math.max(peakRecord, peaks[i]);
    }
    return true;
  }

  /** The trend that decides: the one that grows for a leak, the clearest one otherwise. */
  public Trend deciding() {
    if (verdict == LeakVerdict.FRAGMENTATION) {
      return reserved;
    }
    if (verdict == LeakVerdict.LEAK && !floor.grows()) {
      return kept.orElseThrow();
    }
    return floor;
  }

  /** When a GPU will be full for good, where memory grows. */
  public Optional<Forecast> forecast(long capacityBytes) {
    if (!verdict.isHarmful()) {
      return Optional.empty();
    }
    if (verdict == LeakVerdict.FRAGMENTATION) {
      return Optional.of(reservedForecast(capacityBytes));
    }
    int last = series.count() - 1;
    Trend trend =
        floor.grows() ? pace(floor, series.floorBytes()) : pace(deciding(), series.keptBytes());
    double now = 0;
    for (int i = warmUp; i <= last; i++) {
      now = Math.max(now, series.peakBytes()[i] + trend.slope() * (last - i));
    }
    return Optional.of(Forecast.of(capacityBytes, (long) now, last, trend));
  }

  /**
   * When, while live memory leaks, reserved memory will take a whole GPU. From then on the
   * allocator must give cached memory back, and fails earlier than the leak alone would make it
   * where partly used segments hold what it needs. Empty where reserved memory does not grow.
   */
  public Optional<Forecast> pressure(long capacityBytes) {
    return verdict == LeakVerdict.LEAK && reserved.grows()
        ? Optional.of(reservedForecast(capacityBytes))
        : Optional.empty();
  }

  private Forecast reservedForecast(long capacityBytes) {
    int last = series.count() - 1;
    return Forecast.of(
        capacityBytes, series.reservedBytes()[last], last, pace(reserved, series.reservedBytes()));
  }

  /** The trend to go on with: that of the last third where it is clearly faster than the whole. */
  private Trend pace(Trend whole, long[] bytes) {
    int third = (bytes.length - whole.first()) / 3;
    if (third < Trend.MIN_POINTS) {
      return whole;
    }
    Trend late = Trend.of(bytes, bytes.length - third, whole.confidence());
    return late.lower() > whole.upper() ? late : whole;
  }
}
