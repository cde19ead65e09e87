package org.allocsim.analysis.fleet.sweep;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.allocsim.analysis.program.Program;
import org.allocsim.analysis.program.ProgramException;
import org.allocsim.analysis.tuning.Demand;
import org.allocsim.simulator.policy.pytorch.AllocatorConfig;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.workloads.format.Progress;
import org.allocsim.workloads.format.TraceFormatException;
import org.allocsim.workloads.source.DeviceTrace;
import org.allocsim.workloads.source.SourceUsageException;
import org.allocsim.workloads.source.TraceSource;
import org.jspecify.annotations.Nullable;

/**
 * The runs of one trace: finds out what is finished already, reads the trace where something is
 * left to do, and keeps the rows in the trace's part. Runs may be made on several threads.
 */
public final class TraceSweep {
  /** A part that is not complete yet is written anew at this distance. */
  private static final long SAVE_NANOS = TimeUnit.SECONDS.toNanos(20);

  private final SweepJob job;
  private SweepGrid grid;
  private final FleetFile file;

  /** Rows that earlier sweeps made of the same trace. */
  private final Map<List<Object>, SweepRow> finished = new HashMap<>();

  private List<SweepCell> cells = List.of();
  private SweepRow[] rows = {};
  private @Nullable DeviceTrace trace;
  private final SweepRow.Builder traceColumns;
  private final List<Integer> pending = new ArrayList<>();

  /** Where the file was read; null for a program. */
  private @Nullable String path;

  private int reused;
  private boolean isTransient;
  private long savedNanos = System.nanoTime();

  private TraceSweep(SweepJob job, SweepGrid grid, FleetFile file) {
    this.job = job;
    this.grid = grid;
    this.file = file;
    traceColumns =
        new SweepRow.Builder()
            .set(SweepColumn.FILE, file.name())
            .set(SweepColumn.FILE_BYTES, file.bytes());
  }

  /**
   * Opens a trace.
   *
   * @throws IOException where the results' storage fails
   * @throws HeapTooSmallException where the trace does not fit the Java heap
   */
  public static TraceSweep open(SweepJob job, SweepGrid grid, FleetFile file)
      throws IOException, HeapTooSmallException {
    TraceSweep sweep = new TraceSweep(job, grid, file);
    sweep.open();
    return sweep;
  }

  /**
   * Gives up a trace that does not fit the Java heap. The next sweep tries it again.
   *
   * @throws IOException where the results' storage fails
   */
  public static TraceSweep tooLarge(SweepJob job, SweepGrid grid, FleetFile file)
      throws IOException {
    TraceSweep sweep = new TraceSweep(job, grid, file);
    sweep.unreadable(file.name() + ": " + HeapTooSmallException.sentence(), true);
    return sweep;
  }

  /** The trace's file. */
  public FleetFile file() {
    return file;
  }

  private void open() throws IOException, HeapTooSmallException {
    Optional<TracePart> part = TracePart.read(job.storage(), job.out(), job.context(), file.name());
    boolean isUnchanged = part.isPresent() && part.get().file().equals(file);
    if (isUnchanged && part.get().request().equals(job.requestDigest())) {
      // The row of a file that could not be read is no run.
      reused = part.get().sha256().isEmpty() ? 0 : part.get().requested();
      return;
    }
    Program program;
    try {
      program = read();
    } catch (IOException e) {
      unreadable(file.name() + ": cannot be read (" + e.getMessage() + ")", true);
      return;
    } catch (TraceFormatException e) {
      if (e.getCause() instanceof OutOfMemoryError) {
        throw new HeapTooSmallException(e);
      }
      unreadable(sentence(e), false);
      return;
    } catch (ProgramException e) {
      if (e.getCause() != null && e.getCause().getCause() instanceof OutOfMemoryError) {
        throw new HeapTooSmallException(e);
      }
      unreadable(sentence(e), false);
      return;
    } catch (SourceUsageException e) {
      unreadable(sentence(e), false);
      return;
    } catch (RuntimeException e) {
      unreadable(
          "%s: reading it hit a bug in allocsim: %s (%s)"
              .formatted(file.name(), e.getClass().getSimpleName(), e.getMessage()),
          false);
      return;
    } catch (OutOfMemoryError e) {
      throw new HeapTooSmallException(e);
    }
    DeviceTrace trace = program.input();
    this.trace = trace;
    String digest = digest(trace);
    if (part.isPresent() && part.get().sha256().equals(digest)) {
      part.get().rows().forEach(row -> finished.put(row.identity(), row));
    }
    cells = grid.cells(program);
    rows = new SweepRow[cells.size()];
    traceColumns
        .set(SweepColumn.SHA256, digest)
        .set(SweepColumn.FORMAT, trace.format())
        .set(SweepColumn.DEVICE_INDEX, (long) trace.device())
        .set(
            SweepColumn.DEMAND_BYTES,
            Demand.of(trace.trace(), trace.device(), AllocatorConfig.DEFAULT).peakRequestedBytes())
        .set(
            SweepColumn.RECORDED_OOMS,
            trace.recording().map(each -> each.failureCount(trace.device())).orElse(null));
    for (int i = 0; i < rows.length; i++) {
      SweepRow known = finished.get(cells.get(i).identity());
      if (known == null) {
        pending.add(i);
      } else {
        rows[i] = known;
        reused++;
      }
    }
    if (pending.isEmpty()) {
      finish();
    }
  }

  private Program read()
      throws IOException, TraceFormatException, SourceUsageException, ProgramException {
    if (TraceSource.isProgram(file.name())) {
      return read(TraceSource.open(file.name(), null, Progress.NONE));
    }
    try (FleetStorage.LocalFile local = job.storage().fetch(file)) {
      path = local.path().toString();
      return read(TraceSource.open(path, job.request().format(), Progress.NONE));
    }
  }

  private Program read(TraceSource source) throws ProgramException {
    PyTorchVersion release = source.defaultOptions().version();
    grid = grid.recordedBy(release, source.oldestRelease().orElse(release));
    return Program.open(source, grid.conditions(job.request().deviceIndex()));
  }

  /** What a user reads; a copy lies elsewhere on every machine. */
  private String sentence(Exception failure) {
    return path == null ? failure.getMessage() : failure.getMessage().replace(path, file.name());
  }

  /** What distinguishes this trace from others; a program is what its name says. */
  private String digest(DeviceTrace of) {
    String sha256 = of.sha256();
    return sha256 == null ? Sha256.of(file.name()) : sha256;
  }

  private void unreadable(String sentence, boolean isTransient) throws IOException {
    this.isTransient = isTransient;
    rows = new SweepRow[] {CellRun.unreadable(traceColumns, sentence)};
    finish();
  }

  /** Numbers of the runs that are still to be made. */
  public List<Integer> pending() {
    return List.copyOf(pending);
  }

  /** Runs that need not be made, because an earlier sweep did. */
  public int reused() {
    return reused;
  }

  /**
   * Makes one run.
   *
   * @param number one of the pending ones
   * @return whether it was the last of the trace
   * @throws IOException where the results' storage fails
   * @throws HeapTooSmallException where the run does not fit the Java heap; what was finished so
   *     far is kept
   */
  public boolean run(int number) throws IOException, HeapTooSmallException {
    try {
      return done(
          number,
          CellRun.run(Objects.requireNonNull(trace), grid, cells.get(number), traceColumns));
    } catch (OutOfMemoryError e) {
      saveUnfinished();
      throw new HeapTooSmallException(e);
    } catch (RuntimeException e) {
      // One policy that fails must not cost the other runs; the row says that it is a defect.
      return giveUp(
          number,
          "a bug in allocsim: " + e.getClass().getSimpleName() + " (" + e.getMessage() + ")");
    }
  }

  /**
   * Leaves out a run that does not fit the Java heap even when it is alone. The next sweep tries it
   * again.
   *
   * @return whether it was the last of the trace
   * @throws IOException where the results' storage fails
   */
  public boolean leaveOut(int number) throws IOException {
    isTransient = true;
    return giveUp(number, HeapTooSmallException.sentence());
  }

  private boolean giveUp(int number, String reason) throws IOException {
    return done(number, CellRun.notRun(cells.get(number).describe(traceColumns.copy()), reason));
  }

  private synchronized void saveUnfinished() throws IOException {
    save(false);
  }

  private synchronized boolean done(int number, SweepRow row) throws IOException {
    rows[number] = row;
    pending.remove(Integer.valueOf(number));
    if (pending.isEmpty()) {
      finish();
      return true;
    }
    if (System.nanoTime() - savedNanos > SAVE_NANOS) {
      save(false);
    }
    return false;
  }

  private void finish() throws IOException {
    save(!isTransient);
    trace = null;
    cells = List.of();
    rows = new SweepRow[0];
    finished.clear();
  }

  /**
   * Writes the part. What could not be read for a reason that may pass is not complete, so that the
   * next sweep tries again; its row is there nevertheless.
   */
  private void save(boolean isComplete) throws IOException {
    List<SweepRow> all = new ArrayList<>();
    Set<List<Object>> identities = new HashSet<>();
    for (SweepRow row : rows) {
      if (row != null) {
        all.add(row);
        identities.add(row.identity());
      }
    }
    int requested = all.size() == rows.length ? rows.length : -1;
    finished.forEach((identity, row) -> {
      if (identities.add(identity)) {
        all.add(row);
      }
    });
    new TracePart(
            job.context(),
            isComplete ? job.requestDigest() : "",
            file,
            trace == null ? "" : digest(trace),
            requested,
            all)
        .write(job.storage(), job.out());
    savedNanos = System.nanoTime();
  }
}
