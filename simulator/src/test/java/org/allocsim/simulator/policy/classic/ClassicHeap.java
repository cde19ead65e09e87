package org.allocsim.simulator.policy.classic;

import java.util.Map;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.device.simulated.SimulatedDevice;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.engine.InvariantChecker;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.FutureRequests;
import org.allocsim.simulator.policy.MemoryLayout;
import org.allocsim.simulator.policy.Policies;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.PolicySettings;
import org.allocsim.simulator.policy.UnfitTraceException;
import org.allocsim.simulator.stats.MemoryStats;

/** A policy under test, by offsets in its heap; each allocation has the id that the test names. */
final class ClassicHeap {
  final MemoryStats stats = new MemoryStats(-1);
  final SimulatedDevice device;
  private final AllocatorPolicy policy;
  private final InvariantChecker checker;
  private long base = -1;

  ClassicHeap(String id, Map<String, String> options, long capacityBytes, long limitBytes) {
    device = new SimulatedDevice(DeviceProfiles.ofCapacity(capacityBytes));
    boolean mergesFreeBlocks = !id.equals("buddy") && !id.equals("slab");
    checker = new InvariantChecker(InvariantChecker.UNLIMITED, mergesFreeBlocks);
    EffectListener listener = EffectListeners.all(stats, checker);
    try {
      policy =
          Policies.named(id)
              .orElseThrow()
              .create(
                  new PolicySettings(limitBytes, options), FutureRequests.NONE, device, listener);
    } catch (PolicyOptionException | UnfitTraceException e) {
      throw new AssertionError(e);
    }
  }

  /** A heap with units of so many bytes on a device with plenty. */
  static ClassicHeap ofUnit(String id, int unitBytes) {
    String option = id.equals("buddy") ? "min-block" : "unit";
    return new ClassicHeap(id, Map.of(option, "" + unitBytes), 1L << 40, -1);
  }

  /** Offset of the new allocation from the first one ever made, or −1. */
  long allocate(int allocation, long bytes) {
    long address = policy.allocate(allocation, bytes, 0, 0);
    checker.check(policy);
    if (address == AllocatorPolicy.OUT_OF_MEMORY) {
      return -1;
    }
    if (base < 0) {
      base = address;
    }
    return address - base;
  }

  void free(int allocation) {
    policy.free(allocation);
    checker.check(policy);
  }

  void emptyCache() {
    policy.emptyCache();
    checker.check(policy);
  }

  MemoryLayout layout() {
    return MemoryLayout.of(policy);
  }

  /** Free parts of partly used segments, counted from the layout. */
  long inactiveBlocks() {
    MemoryLayout layout = layout();
    long count = 0;
    for (int segment = 0; segment < layout.segmentCount(); segment++) {
      long free = 0;
      int blocks = layout.firstBlock(segment + 1) - layout.firstBlock(segment);
      for (int i = layout.firstBlock(segment); i < layout.firstBlock(segment + 1); i++) {
        free += layout.allocation(i) < 0 ? 1 : 0;
      }
      count += free == blocks ? 0 : free;
    }
    return count;
  }
}
