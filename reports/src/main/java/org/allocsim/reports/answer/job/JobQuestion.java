package org.allocsim.reports.answer.job;

import java.util.List;
import org.allocsim.analysis.job.Ranked;
import org.allocsim.reports.document.Block;
import org.allocsim.reports.document.Kind;
import org.allocsim.reports.document.Shape;
import org.allocsim.reports.document.Verdict;

/**
 * What a command says of a job. The command gives its ordinary answer to each rank; a few figures
 * of it are kept, and folded when all ranks were asked.
 *
 * @param <A> the command's answer to one rank
 * @param <R> what is kept of it; no recording, run or trace may hang on it
 * @param <F> what that comes to
 */
public interface JobQuestion<A, R, F> {
  /** The JSON. */
  Kind<JobAnswer<R, F>> kind();

  /** What is said of each rank. */
  Shape<R> row();

  /** Keeps what the fold needs. */
  R keep(A answer);

  /**
   * Folds what was kept.
   *
   * @param ranks those whose recordings could be read, in their order; there is one at least
   */
  F fold(List<Ranked<R>> ranks);

  /** What it comes to in sentences. */
  Verdict verdict(JobAnswer<R, F> answer);

  /** Tables before that of the ranks; the first one is written as CSV. */
  default List<Block> blocks(JobAnswer<R, F> answer) {
    return List.of();
  }

  /** Whether what the command checks holds for the job; its exit code follows. */
  default boolean holds(F finding) {
    return true;
  }
}
