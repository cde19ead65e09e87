package org.allocsim.reports.question;

import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import org.allocsim.analysis.job.Job;
import org.allocsim.analysis.job.Rank;
import org.allocsim.analysis.job.Ranked;

/**
 * Jobs that a question is asked about: one, or as many as are compared rank by rank.
 *
 * @param jobs the jobs
 * @param common the ranks that all have, with their recordings in the order of the jobs
 * @param again opens the recording of a rank once more
 */
public record AskedJobs(
    List<Job> jobs, List<Ranked<List<Path>>> common, Function<Rank, AskedTrace> again) {
  /** The ranks that a job has and others lack. */
  public List<Rank> alone(Job job) {
    return job.without(common);
  }
}
