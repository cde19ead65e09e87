package org.allocsim.simulator.policy.pytorch.conf;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.allocsim.simulator.policy.pytorch.AllocatorConfig;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.policy.pytorch.ReservedRange;
import org.allocsim.simulator.policy.pytorch.RoundupDivisions;

/**
 * Settings while a configuration string is being read; starts with the defaults, or with what
 * stays.
 */
final class ConfigSettings {
  static final long MEBIBYTE = 1L << 20;

  /** Values in MiB are capped here, so that the bytes fit 64 bits: (2^64 − 1) / 2^20. */
  private static final long MAX_MEBIBYTES = -1L >>> 20;

  private static final int MAX_REGISTER_THREADS = 128;

  long maxSplitBytes = AllocatorConfig.UNLIMITED;
  long maxNonSplitRoundingBytes = AllocatorConfig.DEFAULT_LARGE_SEGMENT_BYTES;
  long largeSegmentBytes = AllocatorConfig.DEFAULT_LARGE_SEGMENT_BYTES;
  double garbageCollectionThreshold;
  boolean expandableSegments;
  final long[] roundupDivisions = new long[RoundupDivisions.SLOTS];
  boolean graphCaptureRecordStreamReuse;
  double perProcessMemoryFraction = 1;
  boolean rejectsBeyondDevice;
  ReservedRange reservedRange = ReservedRange.UNSET;
  ParsedConfig.Backend backend = ParsedConfig.Backend.NATIVE;
  boolean releaseLockOnCudaMalloc;
  boolean pinnedUseBackgroundThreads;
  boolean pinnedUseCudaHostRegister;
  long pinnedNumRegisterThreads = 1;
  long pinnedReserveSegmentMebibytes;
  boolean usesNativeOption;

  /** Whether a program is known to have run with the string. */
  boolean wereAccepted;

  final List<String> warnings = new ArrayList<>();

  /** Settings before a string changes them: what no string resets is as it was. */
  static ConfigSettings keptFrom(AllocatorConfig before) {
    ConfigSettings settings = new ConfigSettings();
    settings.maxNonSplitRoundingBytes = before.maxNonSplitRoundingBytes();
    settings.largeSegmentBytes = before.largeSegmentBytes();
    settings.expandableSegments = before.expandableSegments();
    settings.graphCaptureRecordStreamReuse = before.graphCaptureRecordStreamReuse();
    settings.perProcessMemoryFraction = before.perProcessMemoryFraction();
    settings.rejectsBeyondDevice = before.rejectsBeyondDevice();
    settings.reservedRange = before.reservedRange();
    return settings;
  }

  /** Bytes of a value in MiB (unsigned), capped so that they fit 64 bits. */
  static long bytesOfMebibytes(long mebibytes) {
    boolean beyond = Long.compareUnsigned(mebibytes, MAX_MEBIBYTES) > 0;
    return (beyond ? MAX_MEBIBYTES : mebibytes) * MEBIBYTE;
  }

  /** Whether an unsigned value is a power of two. */
  static boolean isPowerOfTwo(long value) {
    return Long.bitCount(value) == 1;
  }

  static boolean isTooManyThreads(long threads) {
    return Long.compareUnsigned(threads, MAX_REGISTER_THREADS) > 0;
  }

  void divideAll(long divisions) {
    Arrays.fill(roundupDivisions, divisions);
  }

  /** Slot of {@code roundup_power2_divisions} that an interval boundary in MiB names. */
  static int slotOfBoundary(long boundary) {
    return Math.min(63 - Long.numberOfLeadingZeros(boundary), RoundupDivisions.SLOTS - 1);
  }

  ParsedConfig build(String text, PyTorchVersion version) {
    if (backend == ParsedConfig.Backend.CUDA_MALLOC_ASYNC && usesNativeOption) {
      warnings.add(
          "backend:cudaMallocAsync ignores max_split_size_mb,roundup_power2_divisions, and"
              + " garbage_collect_threshold.");
    }
    RoundupDivisions divisions = RoundupDivisions.of(roundupDivisions);
    AllocatorConfig allocator =
        new AllocatorConfig(
            maxSplitBytes,
            maxNonSplitRoundingBytes,
            largeSegmentBytes,
            garbageCollectionThreshold,
            expandableSegments,
            version.roundsToOneDivision() ? divisions : divisions.whereOneKeepsSizes(),
            graphCaptureRecordStreamReuse,
            perProcessMemoryFraction,
            rejectsBeyondDevice,
            reservedRange);
    return new ParsedConfig(
        text,
        allocator,
        backend,
        releaseLockOnCudaMalloc,
        pinnedUseBackgroundThreads,
        pinnedUseCudaHostRegister,
        pinnedNumRegisterThreads,
        pinnedReserveSegmentMebibytes,
        warnings);
  }
}
