package org.allocsim.reports.cli;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import org.allocsim.reports.advice.AfterOom;
import org.allocsim.reports.advice.MemoryMoment;
import org.allocsim.reports.advice.MomentQuery;
import org.allocsim.reports.advice.PolicyChoice;
import org.allocsim.reports.advice.PolicyResult;
import org.allocsim.reports.advice.PolicyTrial;
import org.allocsim.reports.advice.Scenario;
import org.allocsim.reports.advice.SlackSplit;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.SimulatedDevice;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.MemoryLayout;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.stats.FragmentationTimeline;
import org.allocsim.simulator.stats.MemoryStats;
import org.allocsim.simulator.stats.MemorySummary;
import org.allocsim.simulator.stats.MemoryTimeline;

/** Replays a trace of any format through any policy, on a simulated device. */
final class PolicyReplay {
  private static final long NO_OVERSIZE = -1;
  private static final int PROGRESS_STEP = 1 << 12;

  /** What is mapped together where a policy maps pages; tells slack apart. */
  private static final long LARGE_PAGE_BYTES = 20L << 20;

  private final TraceInput input;
  private final PolicyChoice choice;
  private final PolicyTrial trial;

  PolicyReplay(
      TraceInput input,
      PolicyChoice choice,
      DeviceProfile profile,
      long limitBytes,
      PyTorchVersion version,
      AfterOom afterOom) {
    this.input = input;
    this.choice = choice;
    DeviceProfile card = profile.withHistory(input.addresses());
    PolicyTrial plain =
        new PolicyTrial(input.trace(), input.device(), card, limitBytes, version, afterOom);
    trial =
        input.conf() == null
            ? plain
            : plain.inTimeOf(
                RecordedDriverTime.of(input.trace(), input.device(), input.conf(), card, version));
  }

  /**
   * Replays.
   *
   * @param events gets every effect as a line, or null
   * @throws Failure where the policy cannot serve the trace
   */
  ReplayReport run(Outputs.Output events) throws IOException {
    MemoryStats stats = new MemoryStats(NO_OVERSIZE);
    MemoryTimeline timeline = new MemoryTimeline();
    FragmentationTimeline fragmentation = new FragmentationTimeline(timeline);
    Watch watch = new Watch(stats, Integer.MAX_VALUE);
    PolicyResult result;
    try (ProgressMeter progress = ProgressMeter.ofEvents("replaying");
        OutputStream stream = events == null ? null : new BufferedOutputStream(events.stream());
        EventLines lines = stream == null ? null : new EventLines(stream, input.trace())) {
      watch.progress = progress;
      result =
          trial.run(
              choice,
              stats,
              timeline,
              EffectListeners.both(fragmentation, lines == null ? EffectListeners.NONE : lines),
              watch);
    }
    if (!result.isRun()) {
      throw new Failure(
          input.name()
              + ": policy "
              + choice.label()
              + " cannot serve it: "
              + result.notRunBecause());
    }
    MemoryLayout atPeak =
        watch.peakRow == watch.lastRow ? watch.layout : layoutBehind(watch.peakRow);
    List<String> notes = new ArrayList<>(input.notes());
    if (trial.afterOom() == AfterOom.STOP && result.failureCount() > 0) {
      notes.add("the replay ended at the first request that failed, as --after-oom stop asks");
    }
    if (result.failureCount() > result.failures().size()) {
      notes.add(
          "of "
              + result.failureCount()
              + " requests that failed the first "
              + result.failures().size()
              + " are kept");
    }
    boolean isPyTorch = choice.provider().spec().id().equals(Scenario.PYTORCH);
    return new ReplayReport(
        input.name(),
        input.sha256(),
        result.events(),
        result.requests(),
        Map.of(),
        choice.provider().spec().id(),
        isPyTorch ? trial.version().id() : null,
        isPyTorch ? choice.options().getOrDefault("conf", "") : null,
        choice.options(),
        trial.profile().name(),
        input.device(),
        trial.profile().totalBytes(),
        trial.limitBytes(),
        Addresses.MODELLED,
        stats.toMap(),
        MemorySummary.format(stats, input.device(), false),
        Fragmentation.of(stats, timeline, watch.layout, slack(watch.layout), atPeak, slack(atPeak)),
        result.failures(),
        watch.driverCalls,
        result.driverNanos(),
        result.seconds(),
        List.of(),
        notes,
        timeline,
        null,
        0,
        result.time() == null ? null : new SimulatedTime(result.time(), input.trace()),
        pictures(result, fragmentation, watch, atPeak));
  }

  private ReplayPictures pictures(
      PolicyResult result, FragmentationTimeline fragmentation, Watch watch, MemoryLayout atPeak) {
    List<ReplayPictures.Moment> moments = new ArrayList<>();
    if (watch.atFailure != null) {
      moments.add(
          new ReplayPictures.Moment(
              "oom",
              MomentQuery.Kind.FIRST_OOM.phrase(),
              result.failures().getFirst().event(),
              watch.atFailure));
    }
    moments.add(
        new ReplayPictures.Moment(
            "peak", MomentQuery.Kind.PEAK_RESERVED.phrase(), watch.peakRow, atPeak));
    moments.add(
        new ReplayPictures.Moment(
            "end", MomentQuery.Kind.END.phrase(), watch.lastRow, watch.layout));
    return new ReplayPictures(input.trace(), fragmentation, moments, result.time() != null);
  }

  private static SlackSplit slack(MemoryLayout layout) {
    return SlackSplit.of(layout, MemoryMoment.mainStream(layout), LARGE_PAGE_BYTES);
  }

  private MemoryLayout layoutBehind(int row) {
    MemoryStats stats = new MemoryStats(NO_OVERSIZE);
    Watch watch = new Watch(stats, row);
    try (ProgressMeter progress = ProgressMeter.ofEvents("looking at the peak")) {
      watch.progress = progress;
      EffectListener nobody = EffectListeners.NONE;
      trial.run(choice, stats, new MemoryTimeline(2), nobody, watch);
    }
    return watch.layout;
  }

  /** Finds the row of the peak and keeps what the policy holds at the end. */
  private final class Watch implements PolicyTrial.Observer {
    private final MemoryStats stats;
    private final int endRow;
    private ProgressMeter progress;
    private long peakBytes;
    private int peakRow = -1;
    private int lastRow = -1;
    private MemoryLayout layout;
    private MemoryLayout atFailure;
    private SortedMap<String, Long> driverCalls;

    Watch(MemoryStats stats, int endRow) {
      this.stats = stats;
      this.endRow = endRow;
    }

    @Override
    public boolean before(int event, AllocatorPolicy policy, SimulatedDevice device) {
      notePeak();
      noteFailure(policy);
      lastRow = event;
      if ((event & (PROGRESS_STEP - 1)) == 0) {
        progress.update(event, input.trace().eventCount());
      }
      return event < endRow;
    }

    @Override
    public void end(AllocatorPolicy policy, SimulatedDevice device) {
      notePeak();
      noteFailure(policy);
      layout = MemoryLayout.of(policy);
      driverCalls = CountingDevice.byName(device::driverCalls);
    }

    private void noteFailure(AllocatorPolicy policy) {
      if (atFailure == null && stats.outOfMemories() > 0) {
        atFailure = MemoryLayout.of(policy);
      }
    }

    private void notePeak() {
      if (stats.peakReservedBytes() > peakBytes) {
        peakBytes = stats.peakReservedBytes();
        peakRow = lastRow;
      }
    }
  }
}
