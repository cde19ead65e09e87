package org.allocsim.reports.answer.replay;

import org.allocsim.analysis.moment.MemoryMoment;
import org.allocsim.analysis.moment.ObservedRun;
import org.allocsim.analysis.moment.SlackSplit;
import org.allocsim.analysis.program.Program;
import org.allocsim.simulator.policy.MemoryLayout;
import org.allocsim.simulator.policy.PolicyChoice;
import org.allocsim.simulator.policy.pytorch.conf.ParsedConfig;
import org.allocsim.simulator.run.RunResult;
import org.allocsim.simulator.stats.MemoryStats;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.RequestKind;
import org.jspecify.annotations.Nullable;

/** A replay that is done, with everything that its report shows. */
public final class ReplayRun {
  /** What is mapped together where a policy other than PyTorch's maps pages. */
  private static final long LARGE_PAGE_BYTES = 20L << 20;

  private final Program program;
  private final PolicyChoice choice;
  private final MemoryStats stats;
  private final ObservedRun observed;
  private final Fragmentation fragmentation;

  /**
   * A replay.
   *
   * @param program what was replayed
   * @param choice the allocator with all its options
   * @param stats PyTorch's counters at the end
   * @param observed memory over time, and segments and blocks at some moments
   */
  public ReplayRun(Program program, PolicyChoice choice, MemoryStats stats, ObservedRun observed) {
    this.program = program;
    this.choice = choice;
    this.stats = stats;
    this.observed = observed;
    fragmentation = split();
  }

  /** What was replayed. */
  public Program program() {
    return program;
  }

  /** The allocator with all its options. */
  public PolicyChoice choice() {
    return choice;
  }

  /** Settings of PyTorch's allocator; null for other allocators. */
  public @Nullable ParsedConfig config() {
    return choice.provider().spec().id().equals(Program.PYTORCH) ? program.config() : null;
  }

  /** What came of it. */
  public RunResult result() {
    return observed.result();
  }

  /** PyTorch's counters at the end. */
  public MemoryStats stats() {
    return stats;
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
    AllocationTrace trace = program.input().trace();
    boolean allocates =
        row >= 0
            && (trace.kind(row) == RequestKind.ALLOCATE
                || trace.kind(row) == RequestKind.RESTORE_BLOCK);
    return allocates ? trace.stream(row) : MemoryMoment.mainStream(atPeak);
  }

  private SlackSplit slack(MemoryLayout layout, int stream) {
    ParsedConfig config = config();
    return SlackSplit.of(
        layout, stream, config == null ? LARGE_PAGE_BYTES : config.allocator().largeSegmentBytes());
  }
}
