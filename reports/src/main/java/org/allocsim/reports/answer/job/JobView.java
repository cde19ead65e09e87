package org.allocsim.reports.answer.job;

import java.util.List;
import java.util.function.Function;
import org.allocsim.analysis.job.Ranked;
import org.allocsim.reports.answer.part.NextCommand;
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
public abstract class JobView<A, R, F> {
  private final Shape<R> row;
  private final Kind<JobAnswer<R, F>> kind;
  private boolean isOnAllCores;

  /**
   * Describes the answer.
   *
   * @param kind the JSON
   * @param row what is said of each rank
   */
  JobView(Kind<JobAnswer<R, F>> kind, Shape<R> row) {
    this.kind = kind;
    this.row = row;
  }

  /** One answer keeps all cores busy, so that ranks are not asked side by side. */
  public final JobView<A, R, F> onAllCores() {
    isOnAllCores = true;
    return this;
  }

  /** Whether one answer keeps all cores busy. */
  public final boolean isOnAllCores() {
    return isOnAllCores;
  }

  /** The same for a larger answer, of which a part counts. */
  public final <B> JobView<B, R, F> of(Function<B, A> part) {
    return new OfPart<>(this, part);
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

  /** The commands that the answer names, with what it was asked for besides the conditions. */
  public NextCommand next(NextCommand same) {
    return same;
  }

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

  /** Keeps of a larger answer what another view keeps of a part. */
  private static final class OfPart<B, A, R, F> extends JobView<B, R, F> {
    private final JobView<A, R, F> view;
    private final Function<B, A> part;

    OfPart(JobView<A, R, F> view, Function<B, A> part) {
      super(view.kind, view.row);
      this.view = view;
      this.part = part;
    }

    @Override
    public R keep(B answer) {
      return view.keep(part.apply(answer));
    }

    @Override
    public F fold(List<Ranked<R>> ranks) {
      return view.fold(ranks);
    }

    @Override
    public NextCommand next(NextCommand same) {
      return view.next(same);
    }

    @Override
    Verdict verdict(JobAnswer<R, F> answer) {
      return view.verdict(answer);
    }

    @Override
    Facts facts(JobAnswer<R, F> answer) {
      return view.facts(answer);
    }

    @Override
    List<Block> blocks(JobAnswer<R, F> answer) {
      return view.blocks(answer);
    }

    @Override
    boolean holds(F finding) {
      return view.holds(finding);
    }
  }
}
