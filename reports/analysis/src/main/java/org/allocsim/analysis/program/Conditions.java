package org.allocsim.analysis.program;

import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.policy.pytorch.ConfigException;
import org.allocsim.simulator.policy.pytorch.MemoryLimit;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.jspecify.annotations.Nullable;

/**
 * Under what a program is asked about. Whatever is null is as the recording shows it, else
 * PyTorch's default on an H100 with 80 GB without a limit.
 *
 * @param conf value of {@code PYTORCH_CUDA_ALLOC_CONF}; empty for PyTorch's defaults
 * @param release whose rules the allocator follows
 * @param limit what the allocator may reserve
 * @param gpu the GPU
 * @param gpuFile the file with its profile; null where its name is enough
 * @param deviceIndex which GPU of the trace
 */
public record Conditions(
    @Nullable String conf,
    @Nullable PyTorchVersion release,
    @Nullable Limit limit,
    @Nullable DeviceProfile gpu,
    @Nullable String gpuFile,
    @Nullable Integer deviceIndex) {
  /** Everything as the recording shows it. */
  public static final Conditions RECORDED = new Conditions(null, null, null, null, null, null);

  /** What the allocator may reserve, as {@code set_per_process_memory_fraction()} sets it. */
  public sealed interface Limit {
    /** What it comes to on a GPU, in bytes, by the rules of a release. */
    long bytesOn(DeviceProfile gpu, PyTorchVersion release);

    /** A size in bytes. */
    record Size(long bytes) implements Limit {
      /** Refuses negative sizes. */
      public Size {
        if (bytes < 0) {
          throw new IllegalArgumentException("a limit of " + bytes + " bytes is negative");
        }
      }

      @Override
      public long bytesOn(DeviceProfile gpu, PyTorchVersion release) {
        return bytes;
      }
    }

    /** A fraction of the GPU's memory, above 0 and up to 1. */
    record Fraction(double ratio) implements Limit {
      /** Refuses what is no fraction. */
      public Fraction {
        if (!(ratio > 0 && ratio <= 1)) {
          throw new IllegalArgumentException(
              "a fraction of " + ratio + " is not above 0 and up to 1");
        }
      }

      @Override
      public long bytesOn(DeviceProfile gpu, PyTorchVersion release) {
        try {
          return MemoryLimit.ofFraction(ratio, gpu.totalBytes(), release);
        } catch (ConfigException e) {
          throw new IllegalStateException("PyTorch rejects the fraction " + ratio, e);
        }
      }
    }
  }

  /** The same under other settings; null for the recorded ones. */
  public Conditions under(@Nullable String settings) {
    return new Conditions(settings, release, limit, gpu, gpuFile, deviceIndex);
  }

  /** The same by the rules of a release; null for the recorded one. */
  public Conditions by(@Nullable PyTorchVersion version) {
    return new Conditions(conf, version, limit, gpu, gpuFile, deviceIndex);
  }

  /** The same with a limit; null for the recorded one. */
  public Conditions within(@Nullable Limit other) {
    return new Conditions(conf, release, other, gpu, gpuFile, deviceIndex);
  }

  /** The same on a GPU; null for the recorded one. */
  public Conditions on(@Nullable DeviceProfile profile) {
    return new Conditions(conf, release, limit, profile, null, deviceIndex);
  }

  /** The same on a GPU whose profile is in a file. */
  public Conditions on(DeviceProfile profile, String file) {
    return new Conditions(conf, release, limit, profile, file, deviceIndex);
  }

  /** The same for a GPU of the trace; null for the one that matters most. */
  public Conditions ofDevice(@Nullable Integer index) {
    return new Conditions(conf, release, limit, gpu, gpuFile, index);
  }
}
