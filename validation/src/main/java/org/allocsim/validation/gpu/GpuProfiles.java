package org.allocsim.validation.gpu;

import java.util.Locale;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.DeviceProfiles;

/** Finds the simulated device that stands for a real one. */
final class GpuProfiles {
  private GpuProfiles() {}

  /**
   * A device with as much free memory as a GPU has now; its costs and addresses are those of the
   * built-in profile whose name is in the GPU's name (the first words of {@code h100-80gb} are), or
   * of the default one.
   */
  static DeviceProfile like(CudaDevice.Identity gpu, long freeBytes, long pageBytes) {
    DeviceProfile base = named(gpu.name());
    return new DeviceProfile(
        base.name(),
        base.origin(),
        gpu.totalBytes(),
        gpu.totalBytes() - freeBytes,
        pageBytes,
        base.reservationBytes(),
        base.arenaAddress(),
        base.topAddress(),
        base.rangeAddress(),
        base.costs(),
        base.history());
  }

  private static DeviceProfile named(String gpuName) {
    String wanted = gpuName.toLowerCase(Locale.ROOT);
    for (String name : DeviceProfiles.names()) {
      int dash = name.indexOf('-');
      boolean brand = name.startsWith("rtx-");
      String key = brand ? name.replace('-', ' ') : dash < 0 ? name : name.substring(0, dash);
      if (wanted.matches(".*\\b" + key + "\\b.*")) {
        return DeviceProfiles.named(name);
      }
    }
    return DeviceProfiles.defaultProfile();
  }
}
