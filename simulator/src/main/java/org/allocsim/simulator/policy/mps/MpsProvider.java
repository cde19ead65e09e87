package org.allocsim.simulator.policy.mps;

import java.util.List;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.OptionsProvider;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.PolicyOptions;
import org.allocsim.simulator.policy.PolicySpec;

/** Makes {@link MpsAllocator}s; a limit given for the policy limits its heaps. */
public final class MpsProvider extends OptionsProvider {
  private static final String HIGH = "high-watermark-ratio";
  private static final String LOW = "low-watermark-ratio";
  private static final String WORKING_SET = "working-set";
  private static final String ALIGNMENT = "alignment";

  /** {@code default_high_watermark_upper_bound}. */
  private static final double MAX_RATIO = 2;

  private static final PolicySpec SPEC =
      new PolicySpec(
          "torch-mps",
          "PyTorch on Apple GPUs: buffers in heaps of 8 MiB, 32 MiB and 1 GiB, watermarks",
          "pytorch/pytorch, aten/src/ATen/mps/MPSAllocator.h and .mm, main of 2026; source read",
          List.of(
              new PolicySpec.Option(
                  HIGH,
                  Double.toString(MpsSettings.HIGH_RATIO),
                  "",
                  "most that may be allocated, as a multiple of working-set; 0 for no limit"
                      + " (PYTORCH_MPS_HIGH_WATERMARK_RATIO)"),
              new PolicySpec.Option(
                  LOW,
                  Double.toString(MpsSettings.LOW_RATIO),
                  "",
                  "multiple of working-set from which cached buffers are released; 0 for never"
                      + " (PYTORCH_MPS_LOW_WATERMARK_RATIO)"),
              new PolicySpec.Option(
                  WORKING_SET,
                  "0.75",
                  "",
                  "fraction of the device that Metal recommends (recommendedMaxWorkingSetSize)"),
              new PolicySpec.Option(
                  ALIGNMENT,
                  "256",
                  "bytes",
                  "Metal's granularity of buffers in heaps, a power of two; Metal decides it for"
                      + " each GPU")));

  /** A provider; the service loader makes it. */
  public MpsProvider() {
    super(SPEC);
  }

  @Override
  protected AllocatorPolicy create(
      PolicyOptions options, long limitBytes, DeviceMemory device, EffectListener listener)
      throws PolicyOptionException {
    double high = options.fraction(HIGH, 0, MAX_RATIO);
    double low = options.fraction(LOW, 0, high == 0 ? MAX_RATIO : high);
    double workingSet = options.fraction(WORKING_SET, 0, 1);
    long alignmentBytes = options.bytes(ALIGNMENT, 1);
    if (Long.bitCount(alignmentBytes) != 1 || alignmentBytes > 1 << 20) {
      throw options.wrong(ALIGNMENT, "a power of two of at most 1 MiB");
    }
    long recommendedBytes =
        device.totalBytes() < 0 ? -1 : (long) (device.totalBytes() * workingSet);
    return new MpsAllocator(
        new MpsSettings(
            watermark(recommendedBytes, high), watermark(recommendedBytes, low), alignmentBytes),
        limitBytes,
        device,
        listener);
  }

  private static long watermark(long recommendedBytes, double ratio) {
    return ratio == 0 || recommendedBytes < 0
        ? MpsSettings.UNLIMITED
        : (long) (ratio * recommendedBytes);
  }
}
