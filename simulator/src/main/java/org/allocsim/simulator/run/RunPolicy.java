package org.allocsim.simulator.run;

import java.util.Optional;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.message.OutOfMemoryMessage.Template;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.FutureRequests;
import org.allocsim.simulator.policy.PolicyChoice;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.UnfitTraceException;
import org.allocsim.simulator.policy.pytorch.AllocatorConfig;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;

/** The allocator of a run with its settings, but for its limit; makes one instance for each run. */
public interface RunPolicy {
  /** An installed policy with its options. */
  static RunPolicy of(PolicyChoice choice) {
    return new ChosenPolicy(choice);
  }

  /** PyTorch's caching allocator under settings that are parsed already. */
  static RunPolicy pytorch(AllocatorConfig config, PyTorchVersion version) {
    return new PyTorchPolicy(config, version);
  }

  /**
   * An instance that holds nothing.
   *
   * @param limitBytes bytes that it may hold from the device, −1 without a limit
   * @param requests those that will come
   * @throws UnfitTraceException where it needs something that the requests do not have
   * @throws PolicyOptionException if it rejects one of its options
   */
  AllocatorPolicy create(
      long limitBytes, FutureRequests requests, DeviceMemory memory, EffectListener listener)
      throws UnfitTraceException, PolicyOptionException;

  /**
   * Size from which on blocks and segments count as oversize ({@code max_split_size}), unsigned; −1
   * (2^64 − 1) where none do.
   *
   * @throws PolicyOptionException if it rejects one of its options
   */
  long oversizeBytes() throws PolicyOptionException;

  /**
   * The wording of the messages that failed requests get; empty for allocators that are not
   * PyTorch's.
   *
   * @throws PolicyOptionException where there is no such release
   */
  Optional<Template> wording() throws PolicyOptionException;
}
