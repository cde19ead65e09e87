package org.allocsim.workloads.source;

import org.allocsim.simulator.policy.pytorch.MemoryLimit;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;

/**
 * What is known of a recorded program beside its file; requests-only traces do not depend on it.
 *
 * @param version the release that recorded
 * @param limitBytes limit to replay under, {@link MemoryLimit#NONE} without one; it helps to
 *     understand a recording, unless the recorded program went beyond it
 * @param deviceTotalBytes size of the recorded GPU, {@link #UNKNOWN_BYTES} where it is not known
 */
public record ReadingOptions(PyTorchVersion version, long limitBytes, long deviceTotalBytes) {
  /** The size of the recorded GPU is not known. */
  public static final long UNKNOWN_BYTES = -1;

  /** Nothing but the release is known. */
  public static ReadingOptions of(PyTorchVersion version) {
    return new ReadingOptions(version, MemoryLimit.NONE, UNKNOWN_BYTES);
  }

  /** The same by the rules of another release. */
  ReadingOptions by(PyTorchVersion release) {
    return new ReadingOptions(release, limitBytes, deviceTotalBytes);
  }

  /** The same with the size of the recorded GPU. */
  public ReadingOptions withDeviceTotal(long bytes) {
    return new ReadingOptions(version, limitBytes, bytes);
  }
}
