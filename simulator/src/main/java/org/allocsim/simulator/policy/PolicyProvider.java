package org.allocsim.simulator.policy;

import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.effect.EffectListener;

/**
 * Describes one allocator policy and makes instances of it. Every policy has one provider, named in
 * {@code META-INF/services}; lists, option checks and documentation are made from what the
 * providers say.
 */
public interface PolicyProvider {
  /** What the policy is and which options it has. */
  PolicySpec spec();

  /**
   * An instance that holds nothing.
   *
   * @param settings limit and option values
   * @param future the requests that will come; only policies that plan ahead look at it
   * @param device where its memory comes from
   * @param listener receives what it does
   * @throws PolicyOptionException where an option's value is not valid
   * @throws UnfitTraceException where the policy needs something that the requests do not have
   */
  AllocatorPolicy create(
      PolicySettings settings, FutureRequests future, DeviceMemory device, EffectListener listener)
      throws PolicyOptionException, UnfitTraceException;

  /**
   * Size from which on statistics count the blocks and segments of an instance as oversize,
   * unsigned ({@code max_split_size} of {@code torch.cuda.memory_stats()}).
   *
   * @param settings limit and option values
   * @return bytes; −1 (2^64 − 1), where nothing is oversize
   * @throws PolicyOptionException where an option's value is not valid
   */
  default long oversizeBytes(PolicySettings settings) throws PolicyOptionException {
    return -1;
  }
}
