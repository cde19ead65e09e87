package org.allocsim.simulator.policy.cudaasync;

import java.util.List;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.device.StreamOrderedMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.FutureRequests;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.PolicyOptions;
import org.allocsim.simulator.policy.PolicyProvider;
import org.allocsim.simulator.policy.PolicySettings;
import org.allocsim.simulator.policy.PolicySpec;
import org.allocsim.simulator.policy.UnfitTraceException;

/** Makes {@link CudaAsyncAllocator}s. */
public final class CudaAsyncProvider implements PolicyProvider {
  private static final String THRESHOLD = "release-threshold";
  private static final String OPPORTUNISTIC = "reuse-opportunistic";
  private static final String INTERNAL = "reuse-internal-dependencies";

  private static final PolicySpec SPEC =
      new PolicySpec(
              "cuda-async",
              "the CUDA driver's stream-ordered pool (cudaMallocAsync)",
              "CUDA driver 580 (CUDA 13.0), recorded on H100 and H200",
              List.of(
                  new PolicySpec.Option(
                      THRESHOLD,
                      "0",
                      "bytes",
                      "memory that the pool keeps when the host synchronizes; 'max' for everything,"
                          + " as PyTorch and RMM set it"),
                  new PolicySpec.Option(
                      OPPORTUNISTIC,
                      "true",
                      "",
                      "reuse memory that other streams have freed and finished using"),
                  new PolicySpec.Option(
                      INTERNAL,
                      "true",
                      "",
                      "let a stream wait for others instead of failing; matters if the option above"
                          + " is off")))
          .inPyTorch("PYTORCH_CUDA_ALLOC_CONF=backend:cudaMallocAsync");

  /** A provider; the service loader makes it. */
  public CudaAsyncProvider() {}

  @Override
  public PolicySpec spec() {
    return SPEC;
  }

  @Override
  public AllocatorPolicy create(
      PolicySettings settings, FutureRequests future, DeviceMemory device, EffectListener listener)
      throws PolicyOptionException, UnfitTraceException {
    PolicyOptions options = new PolicyOptions(SPEC, settings);
    long threshold =
        options.text(THRESHOLD).strip().equalsIgnoreCase("max")
            ? StreamOrderedMemory.KEEP_ALL
            : options.bytes(THRESHOLD, 0);
    boolean opportunistic = options.flag(OPPORTUNISTIC);
    boolean internal = options.flag(INTERNAL);
    StreamOrderedMemory memory =
        device
            .streamOrdered()
            .orElseThrow(() -> new UnfitTraceException("a device with stream-ordered memory"));
    memory.setReleaseThreshold(threshold);
    memory.setReuse(opportunistic, internal);
    return new CudaAsyncAllocator(settings.limitBytes(), device, memory, listener);
  }
}
