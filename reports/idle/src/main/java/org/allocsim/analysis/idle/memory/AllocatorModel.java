package org.allocsim.analysis.idle.memory;

import java.nio.file.Path;
import java.util.BitSet;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.allocsim.analysis.program.Conditions;
import org.allocsim.analysis.program.Program;
import org.allocsim.analysis.program.ProgramException;
import org.allocsim.simulator.column.LongColumn;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.policy.pytorch.MemoryLimit;
import org.allocsim.simulator.run.MemorySource;
import org.allocsim.simulator.run.Run;
import org.allocsim.simulator.run.RunObserver;
import org.allocsim.simulator.run.RunPolicy;
import org.allocsim.simulator.run.RunResult;
import org.allocsim.simulator.run.RunSetup;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.workloads.format.Progress;
import org.allocsim.workloads.format.TraceFormatException;
import org.allocsim.workloads.source.SourceUsageException;
import org.allocsim.workloads.source.TraceSource;
import org.allocsim.workloads.transform.CacheClearing;
import org.jspecify.annotations.Nullable;

/**
 * The memory requests of a run, taken from its profile or from a memory snapshot, run again on
 * PyTorch's allocator under other settings. A profile names neither the settings nor the limit of
 * its run, so they are taken to be PyTorch's defaults on a GPU that is large enough; a snapshot has
 * the settings, and shows the limit where the allocator met it.
 */
public final class AllocatorModel {
  /** Without emptying the cache. */
  private final Program keeping;

  private final Program clearing;
  private final long originNanos;
  private final String conf;
  private final long limitBytes;

  private AllocatorModel(
      Program keeping, Program clearing, long originNanos, String conf, long limitBytes) {
    this.keeping = keeping;
    this.clearing = clearing;
    this.originNanos = originNanos;
    this.conf = conf;
    this.limitBytes = limitBytes;
  }

  /**
   * Reads the requests of a profile.
   *
   * @param device index of the GPU
   * @param originNanos time of day of the first row of the profile
   * @param clearedNanos when the program empties the cache, from the first row of the profile, in
   *     their order
   * @throws TraceFormatException where the memory events cannot be read
   * @throws ProgramException where the GPU has no requests
   */
  public static AllocatorModel read(
      Path profile, long device, long originNanos, long[] clearedNanos, Progress progress)
      throws TraceFormatException, ProgramException {
    Program program;
    try {
      program =
          Program.open(
              TraceSource.open(profile.toString(), null, progress),
              // A number that is no index is that of a GPU without requests.
              Conditions.RECORDED.ofDevice(Math.clamp(device, 0, Integer.MAX_VALUE)));
    } catch (SourceUsageException e) {
      throw new IllegalStateException("a file is not a program", e);
    }
    AllocationTrace trace = program.input().trace();
    int[] rows = new int[clearedNanos.length];
    int row = trace.prologueCount();
    for (int i = 0; i < rows.length; i++) {
      while (row < trace.eventCount() && trace.timeNanos(row) - originNanos < clearedNanos[i]) {
        row++;
      }
      rows[i] = row;
    }
    Program clearing =
        rows.length == 0
            ? program
            : program.asking(CacheClearing.before(trace, program.input().device(), rows));
    return new AllocatorModel(program, clearing, originNanos, "", MemoryLimit.NONE);
  }

  /**
   * The requests of a memory snapshot of the same run.
   *
   * @param program what the snapshot shows of a GPU
   * @param originNanos time of day of the first row of the profile
   */
  public static AllocatorModel of(Program program, long originNanos) {
    AllocationTrace trace = program.input().trace();
    return new AllocatorModel(
        program.asking(CacheClearing.without(trace, program.input().device())),
        program,
        originNanos,
        program.config().text(),
        program.recordedConditions().limitBytes());
  }

  /** Whether the recorded run had expandable segments, as far as its settings are known. */
  public boolean isExpandable() {
    return keeping.config().allocator().expandableSegments();
  }

  /**
   * Runs the requests.
   *
   * @param changedConf settings that are added to the recorded ones; empty for none
   * @param changedLimitBytes what the allocator may reserve; −1 for as much as in the recorded run
   * @param clears whether the program empties the cache where it did
   * @throws ProgramException where PyTorch refuses the settings
   */
  public AllocatorRun run(String changedConf, long changedLimitBytes, boolean clears)
      throws ProgramException {
    Program asked = clears ? clearing : keeping;
    String settings =
        Stream.of(conf, changedConf)
            .filter(part -> !part.isEmpty())
            .collect(Collectors.joining(","));
    AllocationTrace trace = asked.input().trace();
    RunSetup setup =
        new RunSetup(
            trace,
            asked.input().device(),
            RunPolicy.of(
                Program.pytorch(Program.parse(settings, asked.release()), asked.release())),
            changedLimitBytes == MemoryLimit.NONE ? limitBytes : changedLimitBytes,
            new MemorySource.Simulated(DeviceProfiles.ample(peakBytes(trace))));
    DriverTime time = new DriverTime(trace, originNanos);
    RunResult result = Run.of(setup, time);
    return new AllocatorRun(
        new MemoryPeak(result.peakAllocatedBytes(), result.peakReservedBytes()),
        result.failureCount(),
        time.atNanos,
        time.driverNanos,
        time.waits);
  }

  /** The most that the program holds at a time, in requested bytes. */
  private static long peakBytes(AllocationTrace trace) {
    long live = 0;
    long peak = 0;
    long[] bytes = new long[trace.allocationCount()];
    for (int row = 0; row < trace.eventCount(); row++) {
      switch (trace.kind(row)) {
        case ALLOCATE -> {
          bytes[trace.allocation(row)] = trace.bytes(row);
          live += trace.bytes(row);
          peak = Math.max(peak, live);
        }
        case FREE -> live -= bytes[trace.allocation(row)];
        default -> {}
      }
    }
    return peak;
  }

  /** Collects the time of the driver's calls by the row that makes them. */
  private static final class DriverTime implements RunObserver, EffectListener {
    private final AllocationTrace trace;
    private final long originNanos;
    private final LongColumn atNanos = new LongColumn();
    private final LongColumn driverNanos = new LongColumn();
    private final BitSet waits = new BitSet();
    private @Nullable Run run;
    private int row = -1;
    private long before;
    private boolean hasFreed;

    DriverTime(AllocationTrace trace, long originNanos) {
      this.trace = trace;
      this.originNanos = originNanos;
    }

    @Override
    public EffectListener effects() {
      return this;
    }

    @Override
    public boolean followsBlocks() {
      return false;
    }

    @Override
    public void segmentFreed(long address, long bytes, int stream, boolean small) {
      hasFreed = true;
    }

    @Override
    public void segmentUnmapped(long address, long bytes, int stream, boolean small) {
      hasFreed = true;
    }

    @Override
    public void begin(Run begun) {
      run = begun;
    }

    @Override
    public boolean before(int next) {
      close();
      row = next;
      before = Objects.requireNonNull(run).driverNanos();
      return true;
    }

    @Override
    public void end() {
      close();
    }

    /** Keeps what the row that was sent last took; what comes before the profile is not in it. */
    private void close() {
      long nanos = row < 0 || run == null ? 0 : run.driverNanos() - before;
      if (nanos > 0 && row >= trace.prologueCount()) {
        waits.set(atNanos.count(), hasFreed);
        atNanos.add(trace.timeNanos(row) - originNanos);
        driverNanos.add(nanos);
      }
      hasFreed = false;
    }
  }
}
