package org.allocsim.validation.gpu;

import java.util.Locale;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.device.cost.AsyncCosts;
import org.allocsim.simulator.device.cost.DriverCosts;
import org.allocsim.validation.gpu.cuda.CudaDevice;
import org.allocsim.workloads.profile.ShippedProfiles;

/** Finds the simulated device that stands for a real one. */
final class GpuProfiles {
  private GpuProfiles() {}

  /**
   * A device with as much free memory as a GPU has now; its costs and addresses are those of
   * another profile.
   */
  static DeviceProfile like(
      DeviceProfile base,
      CudaDevice.Identity gpu,
      long freeBytes,
      long unusableBytes,
      long pageBytes) {
    return new DeviceProfile(
        base.name(),
        base.origin(),
        base.source(),
        gpu.totalBytes(),
        gpu.totalBytes() - freeBytes,
        unusableBytes,
        pageBytes,
        base.reservationBytes(),
        base.arenaAddress(),
        base.topAddress(),
        base.rangeAddress(),
        withWarmPool(base.costs()),
        base.compute(),
        base.history());
  }

  /** The pool is made before the first case ({@link CudaDevice#warmUp}). */
  private static DriverCosts withWarmPool(DriverCosts costs) {
    AsyncCosts async = costs.async();
    return new DriverCosts(
        costs.allocateSharedNanos(),
        costs.allocateNanos(),
        costs.allocatePageNanos(),
        costs.allocateReservingNanos(),
        costs.allocateReservingPageNanos(),
        costs.freeSharedNanos(),
        costs.freeNanos(),
        costs.freePageNanos(),
        costs.freeReservationNanos(),
        costs.freeReservationPageNanos(),
        costs.synchronizeNanos(),
        costs.handles(),
        new AsyncCosts(
            0,
            async.allocateOwnNanos(),
            async.allocateSharedNanos(),
            async.allocateOtherNanos(),
            async.allocateMergedNanos(),
            async.allocateMergedPageNanos(),
            async.mapNanos(),
            async.newChunkNanos(),
            async.movedChunkNanos(),
            async.spareChunkNanos(),
            async.refuseNanos(),
            async.refuseNewChunkNanos(),
            async.refuseMovedChunkNanos(),
            async.refuseReleaseNanos(),
            async.refuseReleaseNewChunkNanos(),
            async.refuseReleaseMovedChunkNanos(),
            async.freeNanos(),
            async.trimNanos(),
            async.trimChunkNanos()));
  }

  /**
   * The built-in profile whose name is in the GPU's name (the first words of {@code h100-80gb}
   * are), or the default one.
   */
  static DeviceProfile of(CudaDevice.Identity gpu) {
    String wanted = gpu.name().toLowerCase(Locale.ROOT);
    for (String name : ShippedProfiles.names()) {
      int dash = name.indexOf('-');
      boolean brand = name.startsWith("rtx-");
      String key = brand ? name.replace('-', ' ') : dash < 0 ? name : name.substring(0, dash);
      if (wanted.matches(".*\\b" + key + "\\b.*")) {
        return ShippedProfiles.named(name);
      }
    }
    return DeviceProfiles.defaultProfile();
  }
}
