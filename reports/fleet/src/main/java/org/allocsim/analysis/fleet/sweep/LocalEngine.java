package org.allocsim.analysis.fleet.sweep;

import java.io.IOException;
import java.util.List;
import org.allocsim.analysis.text.Numbers;

/** Makes the runs of a sweep on the cores of this machine. */
final class LocalEngine implements SweepEngine {
  private static final double NANOS_PER_SECOND = 1e9;

  @Override
  public String id() {
    return LOCAL;
  }

  @Override
  public SweepSummary run(
      SweepRequest request,
      List<String> names,
      String out,
      Options options,
      SweepListener listener) {
    long startNanos = System.nanoTime();
    SweepJob job = new SweepJob(request, new LocalStorage(), out);
    SweepGrid grid = SweepGrid.of(request);
    InputFiles inputs = InputFiles.find(names, job.storage());
    SweepResults.requireUsable(job.storage(), out);
    try {
      SweepResults.announce(job);
      int threads =
          options.threads() > 0 ? options.threads() : Runtime.getRuntime().availableProcessors();
      LocalWork work = new LocalWork(job, grid, inputs.list(), listener);
      work.runOn(threads);
      if (!work.isDone()) {
        throw new SweepException(
            Numbers.count(work.finishedRuns(), "finished run")
                + " of about "
                + Numbers.count((long) inputs.list().size() * grid.usualCellCount())
                + " are in "
                + out
                + "; repeat the command to finish the rest",
            null);
      }
      return SweepResults.write(
          job, inputs, work.reused(), (System.nanoTime() - startNanos) / NANOS_PER_SECOND);
    } catch (IOException e) {
      throw SweepResults.unwritable(out, e);
    }
  }
}
