package org.allocsim.analysis.idle;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.allocsim.analysis.idle.memory.MemoryPeak;
import org.allocsim.analysis.idle.profile.TimeProfile;
import org.allocsim.analysis.idle.profile.TimeProfileReader;
import org.allocsim.analysis.idle.timeline.HostStates;
import org.allocsim.analysis.idle.timeline.Intervals;
import org.allocsim.analysis.idle.timeline.Steps;
import org.allocsim.analysis.idle.timeline.Timeline;
import org.allocsim.analysis.idle.timeline.Waits;
import org.allocsim.workloads.format.Progress;
import org.allocsim.workloads.format.TraceFormatException;

/** Why the GPU of a profile is idle. */
public final class IdleAnalysis {
  private final Timeline timeline;
  private final Steps steps;
  private final Waits waits;
  private final HostStates states;
  private final Intervals hostBusy;
  private final Gaps gaps;
  private final IdleResult result;

  private IdleAnalysis(TimeProfile profile) throws TraceFormatException {
    timeline = new Timeline(profile);
    steps = Steps.of(timeline);
    waits = new Waits(timeline);
    states = new HostStates(timeline, waits, steps.thread());
    hostBusy = HostStates.busy(timeline, steps.thread());
    GpuTime gpu = new GpuTime(timeline);
    GapFinder finder = new GapFinder(timeline, steps, waits, states, hostBusy, gpu);
    gaps = finder.all();
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
            finder.sums(),
            finder.longest(),
            others,
            MemoryPeak.of(profile.memory(), timeline.device(), Long.MIN_VALUE, Long.MAX_VALUE),
            stepMemory());
  }

  /** Of each step, for which the host asks for memory; empty where some step has none. */
  private List<MemoryPeak> stepMemory() {
    List<MemoryPeak> peaks = new ArrayList<>();
    for (int step = 0; step < steps.count(); step++) {
      MemoryPeak peak =
          MemoryPeak.of(
              timeline.profile().memory(),
              timeline.device(),
              steps.hostNanos(step),
              steps.hostNanos(step + 1));
      if (peak == null) {
        return List.of();
      }
      peaks.add(peak);
    }
    return peaks;
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

  /** The work of the GPU, joined with the calls of the host. */
  public Timeline timeline() {
    return timeline;
  }

  /** The steps. */
  public Steps steps() {
    return steps;
  }

  /** What calls of the host wait for. */
  public Waits waits() {
    return waits;
  }

  /** What the host does that keeps the GPU waiting. */
  public HostStates states() {
    return states;
  }

  /** When the host is in operators or calls. */
  public Intervals hostBusy() {
    return hostBusy;
  }

  /** All gaps of the GPU. */
  public Gaps gaps() {
    return gaps;
  }

  /** Where the time went. */
  public IdleResult result() {
    return result;
  }
}
