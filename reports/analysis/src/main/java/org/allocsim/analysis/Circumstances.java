package org.allocsim.analysis;

import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.policy.pytorch.MemoryLimit;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.workloads.source.TraceSource;
import org.jspecify.annotations.Nullable;

/**
 * Under what a program runs, beside its allocator.
 *
 * @param conf settings of PyTorch's allocator; null for the recorded ones
 * @param release whose rules PyTorch's allocator follows
 * @param oldest the oldest release that the trace may be of, whose refusals count when settings are
 *     recommended
 * @param limitBytes the allocator's own limit, −1 where only the settings may give one
 * @param device the device; null for the default one, taken to be that of the recording
 * @param deviceIndex which device of the trace; null for the first with requests
 */
record Circumstances(
    @Nullable String conf,
    PyTorchVersion release,
    PyTorchVersion oldest,
    long limitBytes,
    @Nullable DeviceProfile device,
    @Nullable Integer deviceIndex) {
  /** Those of the recording, as far as it shows them. */
  static Circumstances of(TraceSource source) {
    PyTorchVersion release = source.defaultOptions().version();
    return new Circumstances(
        null, release, source.oldestRelease().orElse(release), MemoryLimit.NONE, null, null);
  }

  Circumstances under(String settings) {
    return new Circumstances(settings, release, oldest, limitBytes, device, deviceIndex);
  }

  Circumstances withRelease(PyTorchVersion other) {
    return new Circumstances(conf, other, other, limitBytes, device, deviceIndex);
  }

  Circumstances withLimit(long bytes) {
    return new Circumstances(conf, release, oldest, bytes, device, deviceIndex);
  }

  Circumstances on(DeviceProfile profile) {
    return new Circumstances(conf, release, oldest, limitBytes, profile, deviceIndex);
  }

  Circumstances ofDevice(int index) {
    return new Circumstances(conf, release, oldest, limitBytes, device, index);
  }

  DeviceProfile profile() {
    return device == null ? DeviceProfiles.defaultProfile() : device;
  }

  boolean isDeviceChosen() {
    return device != null;
  }
}
