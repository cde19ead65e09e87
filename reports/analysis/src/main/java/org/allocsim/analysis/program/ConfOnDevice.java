package org.allocsim.analysis.program;

import java.util.Optional;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.policy.pytorch.ConfigException;
import org.allocsim.simulator.policy.pytorch.MemoryLimit;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.policy.pytorch.conf.ParsedConfig;
import org.allocsim.simulator.stats.ByteFormat;

/** What settings of PyTorch's allocator come to on a device. */
public final class ConfOnDevice {
  /** Sums with larger segments would pass 2^63. */
  private static final long LARGEST_SEGMENT_BYTES = 1L << 60;

  private ConfOnDevice() {}

  /**
   * Why no device of a profile can follow settings, and what to do; empty where one can. Under such
   * settings its driver would refuse every large segment.
   */
  public static Optional<String> obstacle(ParsedConfig config, DeviceProfile profile) {
    long segmentBytes = config.allocator().largeSegmentBytes();
    if (segmentBytes <= 0 || segmentBytes > LARGEST_SEGMENT_BYTES) {
      return Optional.of(
          "large_segment_size_mb is beyond "
              + ByteFormat.human(LARGEST_SEGMENT_BYTES)
              + ", more than can be simulated; write a smaller number");
    }
    if (config.allocator().expandableSegments() && segmentBytes % profile.pageBytes() != 0) {
      return Optional.of(
          "with expandable segments, large_segment_size_mb must be a multiple of the driver's pages"
              + " of "
              + ByteFormat.human(profile.pageBytes())
              + "; write an even number");
    }
    return Optional.empty();
  }

  /**
   * The limit that holds under settings on a device. Without a limit, that of {@code
   * per_process_memory_fraction} holds; a given one replaces it, as {@code
   * torch.cuda.set_per_process_memory_fraction} does.
   *
   * @param givenBytes a limit that the program sets itself, −1 without one
   */
  public static long limitBytes(
      ParsedConfig config, PyTorchVersion version, long givenBytes, DeviceProfile device) {
    double fraction = config.allocator().perProcessMemoryFraction();
    if (givenBytes != MemoryLimit.NONE || fraction == 1) {
      return givenBytes;
    }
    try {
      return MemoryLimit.ofFraction(fraction, device.totalBytes(), version);
    } catch (ConfigException e) {
      throw new IllegalStateException("the parser let fraction " + fraction + " pass", e);
    }
  }
}
