package org.allocsim.validation.torch;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.simulator.effect.EffectLog;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.validation.torch.AllocatorCall.Kind;
import org.junit.jupiter.api.Test;

/** What the calls of a sequence make of uses that a capture defers. */
class CallReplayTest {
  private static final long MIB = 1L << 20;

  private final List<AllocatorCall> calls = new ArrayList<>();

  private void call(Kind kind, int id, long bytes, int stream) {
    calls.add(new AllocatorCall(kind, id, bytes, stream));
  }

  /** What the allocator did, from an event on. */
  private List<String> eventsFrom(int first) throws Exception {
    CallSequence sequence =
        new CallSequence(
            0, "", List.of("expandable_segments:False"), 1L << 30, Double.NaN, 0, 2, calls);
    EffectLog events = CallReplay.of(sequence, PyTorchVersion.V2_14, new EffectLog()).events();
    List<String> texts = new ArrayList<>();
    for (int row = first; row < events.count(); row++) {
      texts.add(events.kind(row).action() + ' ' + events.bytes(row));
    }
    return texts;
  }

  /**
   * Emptying a pool looks for what a capture deferred, and giving its segment back waits for all
   * streams.
   */
  @Test
  void aPoolThatIsGivenUpSubmitsTheFreesOfACapture() throws Exception {
    call(Kind.MAKE_POOL, 1, 0, 0);
    call(Kind.BEGIN_POOL, 1, 0, 0);
    call(Kind.ALLOCATE, 0, 5 * MIB, 0);
    call(Kind.END_POOL, 1, 0, 0);
    call(Kind.FREE, 0, 0, 0);
    call(Kind.ALLOCATE, 1, 3 * MIB, 0);
    call(Kind.USE, 1, 0, 1);
    call(Kind.BEGIN_CAPTURE, 2, 0, 1);
    call(Kind.ALLOCATE, 2, MIB, 1);
    call(Kind.FREE, 1, 0, 0);
    call(Kind.END_CAPTURE, 2, 0, 1);
    int before = eventsFrom(0).size();
    call(Kind.RELEASE_POOL, 1, 0, 0);
    call(Kind.ALLOCATE, 3, MIB, 0);
    assertEquals(
        List.of(
            "segment_free " + 20 * MIB,
            "free_completed " + 3 * MIB,
            "segment_alloc " + 2 * MIB,
            "alloc " + MIB),
        eventsFrom(before));
  }
}
