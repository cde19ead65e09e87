package org.allocsim.analysis.tuning;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SequencedMap;
import org.allocsim.analysis.recording.RecordedConditions;
import org.allocsim.simulator.run.RunResult;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.workloads.io.EarlyEnd;
import org.allocsim.workloads.source.DeviceTrace;
import org.allocsim.workloads.transform.Perturbation;

/**
 * The one setting that every command recommends.
 *
 * <p>Where every recorded request was served, it is the simplest that is safe and reserves hardly
 * more than the best ({@link SettingOrder#simplest}), if it reserves enough less than the recorded
 * one; both are modelled from the same start, for a recording that begins late has a cache that no
 * other setting can have. Where a request failed, that one and the best few that are safe and serve
 * everything are tried on changed copies of the program, expandable segments among them, and that
 * is recommended under which the fewest copies fail.
 *
 * @param entry the setting; the recorded one where no other is better
 * @param copies changed copies of the program under it; empty where none were needed to choose it
 * @param passedOver the setting that would have been chosen by its own run; empty where it was
 */
public record Recommendation(
    Tuning.Entry entry, Optional<Fragility> copies, Optional<PassedOver> passedOver) {
  /**
   * A setting that serves every request, under which more copies fail than under the chosen one.
   */
  public record PassedOver(Tuning.Entry entry, Fragility copies) {}

  /** Changes of the copies: neighbours swapped, every size up to two per cent up or down. */
  public static final Perturbation CHANGES = new Perturbation(true, 0.02, Perturbation.Resize.SIZE);

  /**
   * A change is not worth its risk, nor a further option its place, where it saves a smaller share
   * of the peak, in per cent.
   */
  public static final long MIN_SAVING_PERCENT = 2;

  private static final int MAX_COPIES = 50;
  private static final int FEWEST_COPIES = 10;

  /** Rows that all copies together may have, unless they are the fewest. */
  private static final long ROWS_OF_COPIES = 50_000_000;

  private static final long FIRST_SEED = 1;

  /** Settings whose margin is tried; of long programs fewer. */
  private static final int MAX_CANDIDATES = 4;

  private static final int FEWEST_CANDIDATES = 2;

  private static final String EXPANDABLE = "expandable_segments:True";

  /**
   * Chooses.
   *
   * @param ranked all settings, the best first
   * @param recorded the recorded settings and what they came to
   * @param modelled what they come to from the start that the others have, too
   * @param samePeakBytes peaks that differ by no more count as equal
   */
  static Recommendation of(
      DeviceTrace input,
      List<Tuning.Entry> ranked,
      Tuning.Entry recorded,
      RunResult modelled,
      RecordedConditions recordedConditions,
      long samePeakBytes,
      Tuning.Progress progress) {
    RunResult now = recorded.result().passes() ? modelled : recorded.result();
    List<Tuning.Entry> better =
        ranked.stream().filter(entry -> entry.isSafe() && isBetter(entry.result(), now)).toList();
    Tuning.Entry first =
        SettingOrder.simplest(
                better,
                Tuning.Entry::figures,
                SettingOrder.nearBytes(lowestPeakBytes(better), samePeakBytes))
            .orElse(recorded);
    if (recorded.result().passes() || !first.result().passes() || recordedConditions.areUnknown()) {
      return new Recommendation(first, Optional.empty(), Optional.empty());
    }
    long rows = Math.max(1, input.trace().eventCount());
    List<Tuning.Entry> candidates =
        candidates(
            first,
            ranked,
            Math.clamp(ROWS_OF_COPIES / FEWEST_COPIES / rows, FEWEST_CANDIDATES, MAX_CANDIDATES));
    Recommendation best = null;
    Optional<PassedOver> passedOver = Optional.empty();
    for (Tuning.Entry candidate : candidates) {
      Fragility copies = copies(input, candidate, candidates.size(), progress);
      if (best == null) {
        best = new Recommendation(candidate, Optional.of(copies), Optional.empty());
        passedOver = Optional.of(new PassedOver(candidate, copies));
      } else if (copies.failures() < best.copies.orElseThrow().failures()) {
        best = new Recommendation(candidate, Optional.of(copies), passedOver);
      }
      if (copies.failures() == 0 || EarlyEnd.isAsked()) {
        break;
      }
    }
    return Objects.requireNonNull(best);
  }

  private static long lowestPeakBytes(List<Tuning.Entry> settings) {
    return settings.stream()
        .filter(each -> each.result().passes())
        .mapToLong(each -> each.result().peakReservedBytes())
        .min()
        .orElse(0);
  }

  /** The same with changed copies, which are run where they have not been. */
  public Recommendation withCopies(DeviceTrace input, Tuning.Progress progress) {
    return copies.isPresent()
        ? this
        : new Recommendation(entry, Optional.of(copies(input, entry, 1, progress)), passedOver);
  }

  /** Whether a result is so much better than another that a change is worth it. */
  public static boolean isBetter(RunResult result, RunResult than) {
    if (result.passes() != than.passes()) {
      return result.passes();
    }
    if (!result.passes()) {
      return Tuning.progressOf(result) > Tuning.progressOf(than);
    }
    long savedBytes = than.peakReservedBytes() - result.peakReservedBytes();
    return savedBytes > than.peakReservedBytes() / 100 * MIN_SAVING_PERCENT;
  }

  private static Fragility copies(
      DeviceTrace input, Tuning.Entry entry, int candidates, Tuning.Progress progress) {
    AllocationTrace trace = input.trace();
    int count =
        Math.clamp(
            ROWS_OF_COPIES / candidates / Math.max(1, trace.eventCount()),
            FEWEST_COPIES,
            MAX_COPIES);
    return Fragility.run(
        trace,
        input.device(),
        entry.scenario(),
        entry.result(),
        CHANGES,
        FIRST_SEED,
        count,
        progress);
  }

  /** The best setting and the next ones that are safe, serve everything and do something else. */
  private static List<Tuning.Entry> candidates(
      Tuning.Entry first, List<Tuning.Entry> ranked, int most) {
    SequencedMap<RunFigures, Tuning.Entry> candidates = new LinkedHashMap<>();
    candidates.put(RunFigures.of(first), first);
    List<Tuning.Entry> others =
        ranked.stream().filter(each -> each.isSafe() && each.result().passes()).toList();
    others.stream()
        .filter(each -> each.conf().equals(EXPANDABLE))
        .forEach(each -> candidates.putIfAbsent(RunFigures.of(each), each));
    for (Tuning.Entry other : others) {
      if (candidates.size() < most) {
        candidates.putIfAbsent(RunFigures.of(other), other);
      }
    }
    return List.copyOf(candidates.values());
  }

  /** Settings that share these did the same. */
  private record RunFigures(long peakReservedBytes, long driverCalls) {
    static RunFigures of(Tuning.Entry entry) {
      return new RunFigures(entry.result().peakReservedBytes(), entry.result().driverCalls());
    }
  }
}
