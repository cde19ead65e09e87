package org.allocsim.reports.question;

import java.util.List;
import org.allocsim.reports.answer.job.JobView;

/**
 * A question that is also asked of jobs: of each rank, and folded.
 *
 * @param <A> the answer
 */
public interface JobQuestion<A> extends Question<A> {
  /**
   * Refuses what makes sense for files only.
   *
   * @param names what the user named; a folder is among them
   * @throws org.allocsim.reports.output.Failure that says so
   */
  default void requireForJob(List<String> names) {}

  /** What is said of jobs. */
  JobView<A, ?, ?> view(AskedJobs jobs);
}
