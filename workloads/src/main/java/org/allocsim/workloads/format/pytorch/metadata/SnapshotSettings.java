package org.allocsim.workloads.format.pytorch.metadata;

import java.util.Optional;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.policy.pytorch.RoundupDivisions;
import org.jspecify.annotations.Nullable;

/**
 * The {@code allocator_settings} of a snapshot (PyTorch 2.3 and later); older files have none. The
 * memory fraction and the device's size are not among them.
 *
 * @param present whether the file has settings; if not, the other values are PyTorch's defaults
 * @param conf the configuration string as the program gave it
 * @param maxSplitBytes {@code max_split_size} as written, a signed number; −1 is unlimited
 * @param garbageCollectionThreshold share of the limit above which cached blocks are released; 0 is
 *     off
 * @param expandableSegments whether expandable segments were on
 * @param roundupDivisions {@code roundup_power2_divisions}
 * @param pinnedNumRegisterThreads threads that register pinned memory
 * @param releaseLockOnCudamalloc whether the allocator's lock was released during driver calls
 * @param pinnedUseCudaHostRegister whether pinned memory came from malloc and registration
 * @param graphCaptureRecordStreamReuse whether blocks freed in a capture could be reused in it
 * @param traceMaxEntries capacity of the history per device (2.12 and later), −1 where not reported
 * @param traceOverflowed whether the history lost its oldest entries (2.12 and later), if reported
 * @param release the earliest release that writes files of this form, but 2.11 where 2.10 does too;
 *     null where the form does not tell
 */
public record SnapshotSettings(
    boolean present,
    String conf,
    long maxSplitBytes,
    double garbageCollectionThreshold,
    boolean expandableSegments,
    RoundupDivisions roundupDivisions,
    long pinnedNumRegisterThreads,
    boolean releaseLockOnCudamalloc,
    boolean pinnedUseCudaHostRegister,
    boolean graphCaptureRecordStreamReuse,
    long traceMaxEntries,
    Optional<Boolean> traceOverflowed,
    @Nullable PyTorchVersion release) {

  /** The settings of a file that has none: PyTorch's defaults. */
  public static final SnapshotSettings ABSENT =
      new SnapshotSettings(
          false,
          "",
          -1,
          0,
          false,
          RoundupDivisions.NONE,
          1,
          false,
          false,
          false,
          -1,
          Optional.empty(),
          null);

  /** The same with what the other parts of a file show. */
  public SnapshotSettings with(long maxEntries, @Nullable PyTorchVersion shownRelease) {
    return new SnapshotSettings(
        present,
        conf,
        maxSplitBytes,
        garbageCollectionThreshold,
        expandableSegments,
        roundupDivisions,
        pinnedNumRegisterThreads,
        releaseLockOnCudamalloc,
        pinnedUseCudaHostRegister,
        graphCaptureRecordStreamReuse,
        maxEntries < 0 ? traceMaxEntries : maxEntries,
        traceOverflowed,
        shownRelease);
  }
}
