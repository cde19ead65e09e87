package org.allocsim.simulator.device;

import org.allocsim.simulator.device.cost.ComputeProfile;
import org.allocsim.simulator.device.cost.DriverCosts;

/** Device profiles that need no file. */
public final class DeviceProfiles {
  private static final long PAGE = DeviceProfile.PAGE_BYTES;

  /** Distance of the top address below the arena in plain processes on H100. */
  private static final long TOP_DISTANCE = 244 * PAGE;

  private static final long MIN_AMPLE_BYTES = 1L << 39;

  private static final long MAX_AMPLE_BYTES = 1L << 44;

  private static final DeviceProfile H100 =
      profile(
          "h100-80gb",
          DeviceProfile.Origin.MEASURED,
          "memory and driver recorded on NVIDIA H100 80GB HBM3, driver 580.159.04, CUDA 13.0;"
              + " virtual memory calls for 20 MiB only",
          85_017_493_504L,
          DeviceProfile.CONTEXT_BYTES,
          DeviceProfile.UNUSABLE_BYTES);

  private DeviceProfiles() {}

  /** The profile that serves when none is named: the H100 80 GB of the recordings. */
  public static DeviceProfile defaultProfile() {
    return H100;
  }

  /**
   * A device with this many bytes free before the first allocation and no context; all else as on
   * H100.
   *
   * @throws IllegalArgumentException if {@code bytes} is not positive
   */
  public static DeviceProfile ofCapacity(long bytes) {
    if (bytes <= 0) {
      throw new IllegalArgumentException("a capacity of " + bytes + " bytes is not positive");
    }
    return profile(
        "capacity",
        DeviceProfile.Origin.CHOSEN,
        "given memory size, everything else as on an H100",
        bytes,
        0,
        0);
  }

  /**
   * A device on which a program runs short of nothing: with eight times what it asks for at a time,
   * and never less than any GPU of today has. It is not larger than that, as each of PyTorch's
   * expandable segments reserves addresses for nine eighths of the device, and those of a process
   * are 128 TiB.
   *
   * @param peakRequestedBytes what the program asks for at most at a time
   */
  public static DeviceProfile ample(long peakRequestedBytes) {
    long wantedBytes = 8 * Math.clamp(peakRequestedBytes, MIN_AMPLE_BYTES / 8, MAX_AMPLE_BYTES / 8);
    return ofCapacity(Long.highestOneBit(2 * wantedBytes - 1));
  }

  private static DeviceProfile profile(
      String name,
      DeviceProfile.Origin origin,
      String source,
      long totalBytes,
      long contextBytes,
      long unusableBytes) {
    return new DeviceProfile(
        name,
        origin,
        source,
        totalBytes,
        contextBytes,
        unusableBytes,
        PAGE,
        DeviceProfile.RESERVATION_BYTES,
        DeviceProfile.ARENA_ADDRESS,
        DeviceProfile.ARENA_ADDRESS - TOP_DISTANCE,
        DeviceProfile.RANGE_ADDRESS,
        DriverCosts.H100,
        ComputeProfile.H100,
        AddressHistory.UNKNOWN);
  }
}
