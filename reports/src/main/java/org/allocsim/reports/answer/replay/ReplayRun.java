package org.allocsim.reports.answer.replay;

import java.util.stream.Stream;
import org.allocsim.analysis.moment.MemoryMoment;
import org.allocsim.analysis.moment.MomentObserver;
import org.allocsim.analysis.moment.ObservedRun;
import org.allocsim.analysis.moment.RowProgress;
import org.allocsim.analysis.moment.SlackSplit;
import org.allocsim.reports.input.Addresses;
import org.allocsim.reports.input.ReplaySetup;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.output.ProgressMeter;
import org.allocsim.simulator.policy.MemoryLayout;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.UnfitTraceException;
import org.allocsim.simulator.policy.pytorch.conf.ParsedConfig;
import org.allocsim.simulator.run.Run;
import org.allocsim.simulator.run.RunObserver;
import org.allocsim.simulator.run.RunResult;
import org.allocsim.simulator.stats.MemoryStats;
import org.allocsim.simulator.stats.MemoryTimeline;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.RequestKind;

/** A replay that is done, with everything that its report shows. */
public final class ReplayRun {
  private final ReplaySetup setup;
  private final MemoryStats stats;
  private final ObservedRun observed;
  private final Fragmentation fragmentation;

  private ReplayRun(ReplaySetup setup, MemoryStats stats, ObservedRun observed) {
    this.setup = setup;
    this.stats = stats;
    this.observed = observed;
    fragmentation = split();
  }

  /**
   * Replays.
   *
   * @param observers look on, beside those that the report needs
   * @throws Failure where the policy cannot serve the trace
   */
  public static ReplayRun of(ReplaySetup setup, Addresses addresses, RunObserver... observers) {
    MomentObserver moments = new MomentObserver(new MemoryTimeline());
    ParsedConfig config = setup.config();
    Stream<RunObserver> checks =
        setup.checks() && config != null
            ? Stream.of(new CheckedInvariants(config.allocator(), setup.limitBytes()))
            : Stream.empty();
    RunObserver[] all =
        moments.with(Stream.concat(checks, Stream.of(observers)).toArray(RunObserver[]::new));
    Run run = start(setup, addresses, all);
    return new ReplayRun(setup, run.stats(), moments.observed(run.finish()));
  }

  private static Run start(ReplaySetup setup, Addresses addresses, RunObserver... observers) {
    try {
      return Run.start(setup.runInTime(addresses), observers);
    } catch (UnfitTraceException e) {
      throw cannotServe(setup, "needs " + e.getMessage());
    } catch (PolicyOptionException e) {
      throw Failure.usage(e.getMessage());
    }
  }

  static Failure cannotServe(ReplaySetup setup, String reason) {
    return new Failure(
        "%s: policy %s cannot serve it: %s"
            .formatted(setup.input().name(), setup.choice().label(), reason));
  }

  /** Reports how far a run over a trace is. */
  public static RunObserver progress(AllocationTrace trace, ProgressMeter progress) {
    return new RowProgress(trace.eventCount(), progress::update);
  }

  /** What came of it. */
  public RunResult result() {
    return observed.result();
  }

  /** PyTorch's counters at the end. */
  public MemoryStats stats() {
    return stats;
  }

  /** What was run. */
  public ReplaySetup setup() {
    return setup;
  }

  /** Memory over time, and segments and blocks at some moments. */
  public ObservedRun observed() {
    return observed;
  }

  /** Where reserved memory went. */
  Fragmentation fragmentation() {
    return fragmentation;
  }

  private Fragmentation split() {
    MemoryLayout atPeak = observed.layout(ObservedRun.Kind.PEAK).orElseThrow();
    MemoryLayout atEnd = observed.layout(ObservedRun.Kind.END).orElseThrow();
    return Fragmentation.of(
        stats,
        atEnd,
        slack(atEnd, MemoryMoment.mainStream(atEnd)),
        atPeak,
        slack(atPeak, streamAtPeak(atPeak)));
  }

  /** The stream whose request led to the peak, else the one that holds the most. */
  private int streamAtPeak(MemoryLayout atPeak) {
    int row = result().peakRow();
    AllocationTrace trace = setup.trace();
    boolean allocates =
        row >= 0
            && (trace.kind(row) == RequestKind.ALLOCATE
                || trace.kind(row) == RequestKind.RESTORE_BLOCK);
    return allocates ? trace.stream(row) : MemoryMoment.mainStream(atPeak);
  }

  private SlackSplit slack(MemoryLayout layout, int stream) {
    return SlackSplit.of(layout, stream, setup.largePageBytes());
  }
}
