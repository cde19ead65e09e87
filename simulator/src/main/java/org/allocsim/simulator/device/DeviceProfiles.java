package org.allocsim.simulator.device;

import java.util.List;

/** The built-in device profiles. */
public final class DeviceProfiles {
  private static final long PAGE = DeviceProfile.PAGE_BYTES;

  /** Distance of the top address below the arena: plain processes on H100, and the one on H200. */
  private static final long H100_TOP_DISTANCE = 244 * PAGE;

  private static final long H200_TOP_DISTANCE = 260 * PAGE;

  private static final List<DeviceProfile> BUILT_IN =
      List.of(
          measured(
              "h100-80gb",
              "NVIDIA H100 80GB HBM3",
              85_017_493_504L,
              H100_TOP_DISTANCE,
              DriverCosts.H100,
              ComputeProfiles.H100),
          measured(
              "h200",
              "NVIDIA H200",
              150_109_880_320L,
              H200_TOP_DISTANCE,
              DriverCosts.H200,
              ComputeProfiles.H200),
          derived("a100-80gb", 84_987_740_160L, ComputeProfiles.A100_80GB),
          derived("a100-40gb", 42_298_834_944L, ComputeProfiles.A100_40GB),
          derived("v100-32gb", 34_089_730_048L, ComputeProfiles.V100),
          derived("v100-16gb", 16_945_512_448L, ComputeProfiles.V100),
          derived("rtx-4090", 25_393_692_672L, ComputeProfiles.RTX_4090),
          derived("rtx-3090", 25_447_170_048L, ComputeProfiles.RTX_3090),
          derived("rtx-3060-12gb", 12_629_508_096L, ComputeProfiles.RTX_3060),
          derived("l4", 23_612_293_120L, ComputeProfiles.L4),
          derived("t4", 15_843_721_216L, ComputeProfiles.T4));

  private DeviceProfiles() {}

  /** The profile that serves when none is named: the H100 80 GB of the recordings. */
  public static DeviceProfile defaultProfile() {
    return BUILT_IN.getFirst();
  }

  /** Names of all built-in profiles, the measured ones first. */
  public static List<String> names() {
    return BUILT_IN.stream().map(DeviceProfile::name).toList();
  }

  /**
   * The built-in profile with this name.
   *
   * @throws IllegalArgumentException for an unknown name, with the known ones
   */
  public static DeviceProfile named(String name) {
    for (DeviceProfile profile : BUILT_IN) {
      if (profile.name().equals(name)) {
        return profile;
      }
    }
    throw new IllegalArgumentException(
        "unknown device '%s'; known devices are %s".formatted(name, String.join(", ", names())));
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
        "a size that was asked for, all else as on H100",
        bytes,
        0,
        H100_TOP_DISTANCE,
        DriverCosts.H100,
        ComputeProfiles.H100);
  }

  private static DeviceProfile measured(
      String name,
      String card,
      long totalBytes,
      long topDistanceBytes,
      DriverCosts costs,
      ComputeProfile compute) {
    return profile(
        name,
        DeviceProfile.Origin.MEASURED,
        "memory and driver measured on " + card + ", driver 580.159.04, CUDA 13.0",
        totalBytes,
        DeviceProfile.CONTEXT_BYTES,
        topDistanceBytes,
        costs,
        compute);
  }

  /** Sizes as CUDA's device query prints them on such cards; drivers differ by up to 1 %. */
  private static DeviceProfile derived(String name, long totalBytes, ComputeProfile compute) {
    return profile(
        name,
        DeviceProfile.Origin.DERIVED,
        "size as CUDA's device query was published for such a card, driver as measured on H100",
        totalBytes,
        DeviceProfile.CONTEXT_BYTES,
        H100_TOP_DISTANCE,
        DriverCosts.H100,
        compute);
  }

  private static DeviceProfile profile(
      String name,
      DeviceProfile.Origin origin,
      String source,
      long totalBytes,
      long contextBytes,
      long topDistanceBytes,
      DriverCosts costs,
      ComputeProfile compute) {
    return new DeviceProfile(
        name,
        origin,
        source,
        totalBytes,
        contextBytes,
        origin == DeviceProfile.Origin.CHOSEN ? 0 : DeviceProfile.UNUSABLE_BYTES,
        PAGE,
        DeviceProfile.RESERVATION_BYTES,
        DeviceProfile.ARENA_ADDRESS,
        DeviceProfile.ARENA_ADDRESS - topDistanceBytes,
        DeviceProfile.RANGE_ADDRESS,
        costs,
        compute,
        AddressHistory.UNKNOWN);
  }
}
