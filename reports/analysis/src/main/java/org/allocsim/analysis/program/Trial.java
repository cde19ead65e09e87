package org.allocsim.analysis.program;

import org.allocsim.simulator.run.RunPolicy;
import org.allocsim.simulator.run.RunSetup;

/**
 * A run of PyTorch's allocator on a program: with the recorded device's answers where these hold,
 * else on the model of the GPU. Where the allocator does something else than in the recording, the
 * answers do not lead to the end, and the whole program runs on the model.
 *
 * @param outcome what came of the run that counts
 * @param isRecorded whether addresses and refusals are the recorded ones
 * @param divergedRow event from which the recorded answers did not fit, −1 where they did or were
 *     not tried
 */
public record Trial<T>(T outcome, boolean isRecorded, long divergedRow) {
  /**
   * Makes one run; may be asked twice.
   *
   * @param <T> what comes of it
   * @param <E> how it fails
   */
  @FunctionalInterface
  public interface Attempt<T, E extends Exception> {
    /**
     * Runs.
     *
     * @param isRecorded whether the recorded device answers
     */
    T run(RunSetup setup, boolean isRecorded) throws E;
  }

  /** Finds in an outcome at which event the recorded answers stopped to fit; −1 where they fit. */
  @FunctionalInterface
  public interface Divergence<T> {
    /** The event's number. */
    long rowOf(T outcome);
  }

  /** Runs a program under the settings that hold. */
  public static <T, E extends Exception> Trial<T> of(
      Program program, Attempt<T, E> attempt, Divergence<T> divergence) throws E {
    RunPolicy policy = RunPolicy.of(program.pytorch());
    long divergedRow = -1;
    if (program.isRecordedFirst()) {
      T followed = attempt.run(program.onRecordedAnswers(policy), true);
      divergedRow = divergence.rowOf(followed);
      if (divergedRow < 0) {
        return new Trial<>(followed, true, -1);
      }
    }
    return new Trial<>(attempt.run(program.onModel(policy), false), false, divergedRow);
  }
}
