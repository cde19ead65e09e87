package org.allocsim.reports.answer.replay;

import java.util.Locale;
import org.allocsim.analysis.leak.IterationException;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.analysis.tuning.CachePlaces;
import org.allocsim.reports.input.Addresses;
import org.allocsim.reports.input.ReplaySetup;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.output.ProgressMeter;
import org.allocsim.simulator.run.Run;
import org.allocsim.simulator.run.RunResult;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.workloads.transform.CacheClearing;

/**
 * Calls of {@code torch.cuda.empty_cache()} that a program is replayed with and did not make.
 *
 * @param place where they stand
 * @param number number of the place, 0 where it has none
 */
public record CacheInsertion(Place place, long number) {
  /** Where calls stand. */
  public enum Place {
    /** Where a phase of the program begins or ends. */
    PHASE_BOUNDARIES,
    /** After every so many steps. */
    EVERY,
    /** Right before each request that fails without them. */
    BEFORE_OOM,
    /** Right before one allocation request. */
    REQUEST
  }

  /**
   * A program with the calls in it.
   *
   * @param setup how to replay it
   * @param calls number of calls
   */
  public record Inserted(ReplaySetup setup, int calls) {}

  /**
   * Puts the calls into a program.
   *
   * @throws Failure where the program does not have the place
   */
  public Inserted into(ReplaySetup setup) {
    AllocationTrace trace = setup.trace();
    int device = setup.device();
    int[] rows =
        switch (place) {
          case PHASE_BOUNDARIES -> CachePlaces.atPhaseBoundaries(trace, device);
          case EVERY -> everySteps(trace, device, setup.input().name());
          case BEFORE_OOM -> beforeFailures(setup);
          case REQUEST -> CachePlaces.atRequest(trace, device, number);
        };
    if (rows.length == 0 && place == Place.PHASE_BOUNDARIES) {
      throw new Failure(
          setup.input().name()
              + ": it holds no phases, so --insert empty_cache@phase-boundaries has no place; mark"
              + " them with torch.profiler.record_function(), or choose every:N or request:N");
    }
    if (rows.length == 0 && place == Place.REQUEST) {
      throw Failure.usage(
          ("--insert empty_cache@%s: %s has fewer allocation requests, counted from 0;"
                  + " name one of them")
              .formatted(this, setup.input().name()));
    }
    return new Inserted(
        setup.with(setup.input().with(CacheClearing.before(trace, device, rows))), rows.length);
  }

  private int[] everySteps(AllocationTrace trace, int device, String traceName) {
    try {
      return CachePlaces.everySteps(trace, device, Math.toIntExact(number));
    } catch (IterationException e) {
      throw new Failure(traceName + ": " + e.getMessage(), e);
    }
  }

  private static int[] beforeFailures(ReplaySetup setup) {
    try (ProgressMeter progress = ProgressMeter.ofEvents("looking for failures")) {
      RunResult result =
          Run.of(setup.runInTime(Addresses.MODELLED), ReplayRun.progress(setup.trace(), progress));
      return CachePlaces.atFailures(result.failures());
    }
  }

  /** What was inserted, in a sentence. */
  String note(int calls) {
    if (calls == 0) {
      return "no empty_cache() was inserted: "
          + (place == Place.BEFORE_OOM ? "no request fails without" : "the program is too short");
    }
    return "empty_cache() was inserted "
        + Numbers.count(calls, "time")
        + ", "
        + switch (place) {
          case PHASE_BOUNDARIES -> "where phases begin or end";
          case EVERY -> "every " + Numbers.count(number, "step");
          case BEFORE_OOM -> "right before what fails without";
          case REQUEST -> "before allocation request " + Numbers.count(number);
        }
        + "; the recorded program did not call it there";
  }

  /** The place as the option has it. */
  @Override
  public String toString() {
    return switch (place) {
      case PHASE_BOUNDARIES, BEFORE_OOM -> word(place);
      case EVERY, REQUEST -> word(place) + ":" + number;
    };
  }

  private static String word(Place place) {
    return place.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
