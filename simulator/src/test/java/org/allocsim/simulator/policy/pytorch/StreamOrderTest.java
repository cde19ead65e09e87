package org.allocsim.simulator.policy.pytorch;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.simulator.effect.EffectListener;
import org.junit.jupiter.api.Test;

/** In which order blocks become reusable whose uses on other streams ended together. */
class StreamOrderTest {
  private static final int OWN = 0;
  private static final int FIRST = 1;
  private static final int SECOND = 2;

  private final List<Integer> completed = new ArrayList<>();
  private final CachingAllocator allocator =
      new CachingAllocator(
          AllocatorConfig.DEFAULT,
          PyTorchVersion.V2_11,
          -1,
          new ScriptedDevice(Long.MAX_VALUE),
          new EffectListener() {
            @Override
            public void freeCompleted(
                int allocation,
                long address,
                long requested,
                long bytes,
                int stream,
                boolean small) {
              completed.add(allocation);
            }
          });

  /**
   * Block 0 was given back first and is used on two streams, block 1 on one of them; block 1 became
   * reusable first in a recorded process (PyTorch 2.11): the streams were asked in that order.
   */
  @Test
  void whatIsAheadOnAStreamIsSeenForTheBlockWhoseTurnItIs() {
    allocator.allocate(0, 512, OWN, 0);
    allocator.allocate(1, 512, OWN, 0);
    allocator.useStream(0, SECOND, 2);
    allocator.useStream(0, FIRST, 2);
    allocator.useStream(1, FIRST, 1);
    allocator.free(0);
    allocator.free(1);
    allocator.synchronize();
    allocator.allocate(2, 512, OWN, 0);
    assertEquals(List.of(1, 0), completed);
  }

  @Test
  void anUnfinishedUseHoldsUpThoseAfterIt() {
    allocator.allocate(0, 512, OWN, 0);
    allocator.allocate(1, 512, OWN, 0);
    allocator.useStream(0, FIRST, 2);
    allocator.useStream(1, FIRST, 1);
    allocator.free(0);
    allocator.free(1);
    allocator.useComplete(1, FIRST);
    allocator.allocate(2, 512, OWN, 0);
    assertEquals(List.of(), completed);
    allocator.useComplete(0, FIRST);
    allocator.allocate(3, 512, OWN, 0);
    assertEquals(List.of(0, 1), completed);
  }
}
