package org.allocsim.analysis.idle;

import java.util.List;
import org.allocsim.analysis.idle.memory.MemoryPeak;
import org.allocsim.analysis.idle.profile.TimeProfile;
import org.allocsim.analysis.idle.timeline.Cause;
import org.jspecify.annotations.Nullable;

/**
 * Where the time of a GPU went.
 *
 * @param source the profile
 * @param device index of the GPU
 * @param total all steps together
 * @param steps each step
 * @param causes idle time by cause and place, the longest first; adds up to that of all steps
 * @param gaps the longest gaps, at most a thousand
 * @param otherDevices GPUs of the profile that are not looked at
 * @param memory the most memory in the whole profile; null where it has no memory events
 * @param stepMemory the most memory in each step, on the clock of the host; empty without memory
 */
public record IdleResult(
    TimeProfile.Source source,
    long device,
    StepTime total,
    List<StepTime> steps,
    List<CauseSum> causes,
    List<Gap> gaps,
    int otherDevices,
    @Nullable MemoryPeak memory,
    List<MemoryPeak> stepMemory) {
  /** Keeps its own copies. */
  public IdleResult {
    steps = List.copyOf(steps);
    causes = List.copyOf(causes);
    gaps = List.copyOf(gaps);
    stepMemory = List.copyOf(stepMemory);
  }

  /** Idle time of a cause at all places. */
  public long nanosOf(Cause cause) {
    return causes.stream().filter(each -> each.cause() == cause).mapToLong(CauseSum::nanos).sum();
  }

  /** Mean length of a step. */
  public long stepNanos() {
    return total.nanos() / steps.size();
  }
}
