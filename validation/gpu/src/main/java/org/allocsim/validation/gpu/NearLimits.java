package org.allocsim.validation.gpu;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.UnfitTraceException;
import org.allocsim.validation.gpu.cuda.CudaDevice;

/**
 * Finds, in simulation, where a policy just serves every request: the smallest memory of the device
 * and the smallest limit of the allocator, in pages. Both are cases to run on a GPU, and so is each
 * with one page less, where a request fails. Where a program passes on a smaller device and fails
 * on a larger one, one such boundary is found.
 */
public final class NearLimits {
  private final GpuCase base;
  private final CudaDevice.Identity gpu;
  private final long maxBytes;

  /**
   * Limits of a case.
   *
   * @param base the case without a limit
   * @param maxBytes free bytes of the GPU that may be used
   */
  public NearLimits(GpuCase base, CudaDevice.Identity gpu, long maxBytes) {
    this.base = base;
    this.gpu = gpu;
    this.maxBytes = maxBytes;
  }

  /** The cases, none where the program does not fit the GPU at all. */
  public List<GpuCase> cases() throws PolicyOptionException, UnfitTraceException {
    List<GpuCase> cases = new ArrayList<>();
    long page = DeviceProfile.PAGE_BYTES;
    if (!passes(-1, maxBytes)) {
      return cases;
    }
    long capacity = smallest(false);
    cases.add(base.with(-1, capacity));
    cases.add(base.with(-1, capacity - page));
    long limit = smallest(true);
    cases.add(base.with(limit, -1));
    cases.add(base.with(limit - page, -1));
    return cases;
  }

  private long smallest(boolean ofLimit) throws PolicyOptionException, UnfitTraceException {
    long page = DeviceProfile.PAGE_BYTES;
    long low = 0;
    long high = maxBytes / page;
    while (high - low > 1) {
      long middle = low + (high - low) / 2;
      boolean passes = ofLimit ? passes(middle * page, maxBytes) : passes(-1, middle * page);
      if (passes) {
        high = middle;
      } else {
        low = middle;
      }
    }
    return high * page;
  }

  private boolean passes(long limitBytes, long capacityBytes)
      throws PolicyOptionException, UnfitTraceException {
    return GpuValidation.passes(
        base.with(limitBytes, -1), GpuValidation.profile(gpu, capacityBytes));
  }
}
