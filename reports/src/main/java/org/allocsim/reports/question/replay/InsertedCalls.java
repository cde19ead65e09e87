package org.allocsim.reports.question.replay;

import org.allocsim.analysis.leak.IterationException;
import org.allocsim.analysis.moment.RowProgress;
import org.allocsim.analysis.program.Program;
import org.allocsim.analysis.tuning.CachePlaces;
import org.allocsim.reports.answer.replay.CacheInsertion;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.output.ProgressMeter;
import org.allocsim.simulator.run.Run;
import org.allocsim.simulator.run.RunResult;
import org.allocsim.simulator.run.RunSetup;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.workloads.transform.CacheClearing;

/**
 * A program with calls of {@code empty_cache()} that it did not make.
 *
 * @param program the program with the calls in it
 * @param calls number of calls
 */
record InsertedCalls(Program program, int calls) {
  /**
   * Puts the calls into a program.
   *
   * @param run the program's run without them
   * @throws Failure where the program does not have the place
   */
  static InsertedCalls into(Program program, CacheInsertion insertion, RunSetup run) {
    AllocationTrace trace = program.input().trace();
    int device = program.input().device();
    int[] rows =
        switch (insertion.place()) {
          case PHASE_BOUNDARIES -> CachePlaces.atPhaseBoundaries(trace, device);
          case EVERY -> everySteps(trace, device, insertion.number(), program.name());
          case BEFORE_OOM -> beforeFailures(run);
          case REQUEST -> CachePlaces.atRequest(trace, device, insertion.number());
        };
    if (rows.length == 0 && insertion.place() == CacheInsertion.Place.PHASE_BOUNDARIES) {
      throw new Failure(
          program.name()
              + ": it has no phases for --insert empty_cache@phase-boundaries; mark phases with"
              + " torch.profiler.record_function(), or use every:N or request:N");
    }
    if (rows.length == 0 && insertion.place() == CacheInsertion.Place.REQUEST) {
      throw Failure.usage(
          ("--insert empty_cache@%s: %s has fewer allocation requests, counted from 0; give a"
                  + " smaller number")
              .formatted(insertion, program.name()));
    }
    return new InsertedCalls(
        program.asking(CacheClearing.before(trace, device, rows)), rows.length);
  }

  private static int[] everySteps(AllocationTrace trace, int device, long steps, String traceName) {
    try {
      return CachePlaces.everySteps(trace, device, Math.toIntExact(steps));
    } catch (IterationException e) {
      throw new Failure(traceName + ": " + e.getMessage(), e);
    }
  }

  private static int[] beforeFailures(RunSetup run) {
    try (ProgressMeter progress = ProgressMeter.ofEvents("looking for failures")) {
      RunResult result = Run.of(run, new RowProgress(run.trace().eventCount(), progress::update));
      return CachePlaces.atFailures(result.failures());
    }
  }
}
