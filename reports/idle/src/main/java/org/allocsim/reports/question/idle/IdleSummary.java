package org.allocsim.reports.question.idle;

import java.nio.file.Path;
import java.util.Comparator;
import java.util.Optional;
import org.allocsim.analysis.idle.CauseSum;
import org.allocsim.analysis.idle.IdleAnalysis;
import org.allocsim.analysis.idle.IdleResult;
import org.allocsim.analysis.idle.profile.TimeProfile;
import org.allocsim.analysis.idle.profile.TimeProfileReader;
import org.allocsim.analysis.idle.timeline.Cause;
import org.allocsim.reports.wing.IdleTime;
import org.allocsim.workloads.format.Progress;
import org.allocsim.workloads.format.TraceFormatException;

/** The idle time of a profile, for the answers of the core. */
public final class IdleSummary implements IdleTime {
  @Override
  public Optional<Summary> of(Path file, Progress progress) throws TraceFormatException {
    TimeProfile profile = TimeProfileReader.read(file, progress);
    boolean hasWork = false;
    for (int row = 0; row < profile.count() && !hasWork; row++) {
      hasWork = profile.kind(row).isOnGpu();
    }
    if (!hasWork) {
      return Optional.empty();
    }
    IdleResult result = IdleAnalysis.of(profile).result();
    return result.causes().stream()
        .map(CauseSum::cause)
        .distinct()
        .max(Comparator.comparingLong(result::nanosOf))
        .map(cause ->
            new Summary(
                result.total().nanos(),
                result.total().idleNanos(),
                cause.id(),
                cause.words(),
                where(result, cause),
                result.nanosOf(cause)));
  }

  /** The place that has most of a cause; sums are the longest first. */
  private static String where(IdleResult result, Cause cause) {
    return result.causes().stream()
        .filter(sum -> sum.cause() == cause)
        .findFirst()
        .map(CauseSum::where)
        .orElse("");
  }
}
