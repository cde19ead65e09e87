package org.allocsim.reports.answer.job;

import java.util.List;
import org.allocsim.analysis.job.Ranked;
import org.allocsim.reports.document.Block;
import org.allocsim.reports.document.Facts;
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
public abstract class JobQuestion<A, R, F> {
  private final Shape<R> row;
  private final Kind<JobAnswer<R, F>> kind;

  /**
   * Describes the answer.
   *
   * @param kind the JSON
   * @param row what is said of each rank
   */
  JobQuestion(Kind<JobAnswer<R, F>> kind, Shape<R> row) {
    this.kind = kind;
    this.row = row;
  }

  /** The JSON. */
  final Kind<JobAnswer<R, F>> kind() {
    return kind;
  }

  final Shape<R> row() {
    return row;
  }

  /** Keeps what the fold needs. */
  public abstract R keep(A answer);

  /**
   * Folds what was kept.
   *
   * @param ranks those whose recordings could be read, in their order; there is one at least
   */
  public abstract F fold(List<Ranked<R>> ranks);

  /** What it comes to in sentences. */
  abstract Verdict verdict(JobAnswer<R, F> answer);

  /** What the answer is about. */
  Facts facts(JobAnswer<R, F> answer) {
    return Facts.none().and("job", "{}", JobAnswer.about(answer.job()));
  }

  /** Tables before that of the ranks; the first one is written as CSV. */
  List<Block> blocks(JobAnswer<R, F> answer) {
    return List.of();
  }

  /** Whether what the command checks holds for the job; its exit code follows. */
  boolean holds(F finding) {
    return true;
  }
}
