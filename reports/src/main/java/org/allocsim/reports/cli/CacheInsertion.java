package org.allocsim.reports.cli;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.allocsim.analysis.leak.IterationException;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.analysis.tuning.CachePlaces;
import org.allocsim.simulator.run.Run;
import org.allocsim.simulator.run.RunResult;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.workloads.transform.CacheClearing;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Calls of {@code torch.cuda.empty_cache()} that a program is replayed with and did not make.
 *
 * @param place where they stand
 * @param number number of the place, 0 where it has none
 */
record CacheInsertion(Place place, long number) {
  /** Where calls stand. */
  enum Place {
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
  record Inserted(ReplaySetup setup, int calls) {}

  /**
   * Puts the calls into a program.
   *
   * @throws Failure where the program does not have the place
   */
  Inserted into(ReplaySetup setup) {
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
          "--insert empty_cache@"
              + this
              + ": "
              + setup.input().name()
              + " has fewer allocation requests, counted from 0; name one of them");
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

  /** Reads {@code empty_cache@PLACE}. */
  static final class Converter implements ITypeConverter<CacheInsertion> {
    private static final Pattern NUMBERED =
        Pattern.compile("empty_cache@(every|request):([0-9]{1,9})");

    @Override
    public CacheInsertion convert(String text) {
      Matcher numbered = NUMBERED.matcher(text);
      if (numbered.matches()) {
        long number = Long.parseLong(numbered.group(2));
        Place place = Place.valueOf(numbered.group(1).toUpperCase(Locale.ROOT));
        if (place == Place.EVERY && number == 0) {
          throw new TypeConversionException("'" + text + "' is no distance; write 1 or more");
        }
        return new CacheInsertion(place, number);
      }
      return switch (text) {
        // The second is the word of earlier versions.
        case "empty_cache@phase-boundaries", "empty_cache@phase-borders" ->
            new CacheInsertion(Place.PHASE_BOUNDARIES, 0);
        case "empty_cache@before-oom" -> new CacheInsertion(Place.BEFORE_OOM, 0);
        default ->
            throw new TypeConversionException(
                "'"
                    + text
                    + "' is none of empty_cache@phase-boundaries, empty_cache@every:N,"
                    + " empty_cache@before-oom, empty_cache@request:N");
      };
    }
  }
}
