package org.allocsim.analysis.idle;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.allocsim.analysis.idle.profile.TimeProfile;
import org.allocsim.analysis.idle.profile.TimeProfileReader;
import org.allocsim.workloads.format.Progress;
import org.allocsim.workloads.format.TraceFormatException;

/** Why the GPU of a profile is idle. */
public final class IdleAnalysis {
  private final Timeline timeline;
  private final Steps steps;
  private final Waits waits;
  private final IdleResult result;

  private IdleAnalysis(TimeProfile profile) throws TraceFormatException {
    timeline = new Timeline(profile);
    steps = Steps.of(timeline);
    waits = new Waits(timeline);
    HostStates states = new HostStates(timeline, waits, steps.thread());
    GpuTime gpu = new GpuTime(timeline);
    GapFinder gaps = new GapFinder(timeline, steps, waits, states, gpu);
    List<StepTime> times = new ArrayList<>();
    for (int step = 0; step < steps.count(); step++) {
      times.add(gpu.within(steps.name(step), steps.gpuNanos(step), steps.gpuNanos(step + 1)));
    }
    int others =
        (int)
            IntStream.range(0, profile.laneCount())
                .mapToObj(profile::laneOf)
                .filter(lane -> lane.isOnGpu() && lane.owner() != timeline.device())
                .mapToLong(TimeProfile.Lane::owner)
                .distinct()
                .count();
    result =
        new IdleResult(
            profile.source(),
            timeline.device(),
            gpu.within("all steps", steps.beginNanos(), steps.endNanos()),
            times,
            gaps.sums(),
            gaps.longest(),
            others);
  }

  /**
   * Reads a profile and looks at it.
   *
   * @throws TraceFormatException where it cannot be read, or shows no work of a GPU
   */
  public static IdleAnalysis read(Path file, Progress progress) throws TraceFormatException {
    return of(TimeProfileReader.read(file, progress));
  }

  /**
   * Looks at a profile.
   *
   * @throws TraceFormatException where it shows no work of a GPU
   */
  public static IdleAnalysis of(TimeProfile profile) throws TraceFormatException {
    return new IdleAnalysis(profile);
  }

  StepReplay replay() {
    return new StepReplay(timeline, steps, waits);
  }

  /** Where the time went. */
  public IdleResult result() {
    return result;
  }
}
