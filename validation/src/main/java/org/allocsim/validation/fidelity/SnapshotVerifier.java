package org.allocsim.validation.fidelity;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.allocsim.simulator.effect.EffectFollower;
import org.allocsim.simulator.effect.EffectLog;
import org.allocsim.simulator.policy.MemoryLayout;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.UnfitTraceException;
import org.allocsim.simulator.run.MemorySource;
import org.allocsim.simulator.run.Run;
import org.allocsim.simulator.run.RunObserver;
import org.allocsim.simulator.run.RunPolicy;
import org.allocsim.simulator.run.RunResult;
import org.allocsim.simulator.run.RunSetup;
import org.allocsim.simulator.stats.ByteFormat;
import org.allocsim.simulator.stats.MemoryStats;
import org.allocsim.workloads.format.pytorch.Snapshot;
import org.allocsim.workloads.format.pytorch.SnapshotSegment;
import org.allocsim.workloads.format.pytorch.derive.DerivationOptions;
import org.allocsim.workloads.format.pytorch.derive.DerivedRequests;
import org.allocsim.workloads.format.pytorch.derive.RequestDerivation;

/**
 * Checks that the simulated caching allocator does, request by request, what the real one did: the
 * requests of a snapshot are replayed on a device that answers as recorded, and every effect and
 * the final state are compared with the recording.
 */
public final class SnapshotVerifier {
  private static final int CONTEXT_ROWS = 3;

  /** Receives the progress of a verification. */
  @FunctionalInterface
  public interface Progress {
    /** So many requests of the whole trace are done. */
    void done(long events, long total);
  }

  private final Snapshot snapshot;
  private final VerificationOptions options;
  private final Progress progress;
  private final DerivedRequests requests;

  private SnapshotVerifier(Snapshot snapshot, VerificationOptions options, Progress progress) {
    this.snapshot = snapshot;
    this.options = options;
    this.progress = progress;
    requests =
        RequestDerivation.derive(
            snapshot,
            new DerivationOptions(
                options.config(),
                options.version(),
                options.limitBytes(),
                options.deviceTotalBytes()));
  }

  /** Verifies every device of a snapshot that has entries or segments. */
  public static List<DeviceVerification> verify(
      Snapshot snapshot, VerificationOptions options, Progress progress) {
    SnapshotVerifier verifier = new SnapshotVerifier(snapshot, options, progress);
    List<DeviceVerification> results = new ArrayList<>();
    for (int device = 0; device < snapshot.devices().size(); device++) {
      if (snapshot.devices().get(device).effects().count() > 0
          || !verifier.segments(device).isEmpty()) {
        results.add(verifier.verify(device));
      }
    }
    return results;
  }

  private List<SnapshotSegment> segments(int device) {
    return snapshot.segments().stream().filter(segment -> segment.device() == device).toList();
  }

  private DeviceVerification verify(int device) {
    EffectLog effects = snapshot.devices().get(device).effects();
    DerivedRequests.DeviceStart start = requests.starts().get(device);
    RunSetup setup =
        new RunSetup(
            requests.trace(),
            device,
            RunPolicy.pytorch(options.config(), options.version()),
            requests.limitBytes(device),
            new MemorySource.Recorded(effects, start.layout(), options.deviceTotalBytes()));
    Run run = start(setup, new UntilDivergence());
    RunResult result = run.finish();
    EffectFollower follower = run.follower().orElseThrow();
    boolean allProduced = result.divergedRow() < 0;
    Optional<Divergence> divergence =
        allProduced ? Optional.empty() : Optional.of(divergence(effects, follower, run.stats()));
    List<String> differences =
        allProduced
            ? LayoutComparison.differences(
                segments(device), MemoryLayout.of(run.policy()), requests.trace(), start.complete())
            : List.of();
    return new DeviceVerification(
        device,
        effects.count(),
        follower.position(),
        divergence,
        differences,
        result.stats(),
        start.complete(),
        requests.inferences().stream().filter(inference -> inference.device() == device).toList());
  }

  private static Run start(RunSetup setup, RunObserver observer) {
    try {
      return Run.start(setup, observer);
    } catch (PolicyOptionException | UnfitTraceException e) {
      throw new IllegalStateException("PyTorch's allocator takes every trace", e);
    }
  }

  /**
   * Ends where the simulation does something else than the recording, and reports how far it is.
   */
  private final class UntilDivergence implements RunObserver {
    @SuppressWarnings("NullAway.Init") // a run begins before its rows come
    private EffectFollower follower;

    @Override
    public void begin(Run run) {
      follower = run.follower().orElseThrow();
    }

    @Override
    public boolean before(int row) {
      if ((row & 0xFFFF) == 0) {
        progress.done(row, requests.trace().eventCount());
      }
      return !follower.hasDiverged();
    }
  }

  private Divergence divergence(EffectLog effects, EffectFollower follower, MemoryStats stats) {
    int row = follower.position();
    List<String> context = new ArrayList<>();
    for (int i = Math.max(0, row - CONTEXT_ROWS);
        i < Math.min(effects.count(), row + CONTEXT_ROWS + 1);
        i++) {
      context.add((i == row ? "> " : "  ") + "entry " + i + ": " + text(effects, i));
    }
    context.add(
        "after the replay: reserved "
            + ByteFormat.formatSize(stats.reservedBytes())
            + ", allocated "
            + ByteFormat.formatSize(stats.allocatedBytes()));
    return new Divergence(
        row, row < effects.count() ? text(effects, row) : "", actual(follower), context);
  }

  private String actual(EffectFollower follower) {
    return follower.hasDiverged()
        ? text(
            follower.actualKind().action(),
            follower.actualAddress(),
            follower.actualBytes(),
            follower.actualStream())
        : "";
  }

  private String text(EffectLog effects, int row) {
    return text(
        effects.kind(row).action(), effects.address(row), effects.bytes(row), effects.stream(row));
  }

  private String text(String action, long address, long bytes, int stream) {
    long[] handles = snapshot.streamHandles();
    String handle = stream < handles.length ? Long.toUnsignedString(handles[stream]) : "?";
    return "%s addr=%s size=%s stream=%s"
        .formatted(action, Long.toUnsignedString(address), bytes, handle);
  }
}
