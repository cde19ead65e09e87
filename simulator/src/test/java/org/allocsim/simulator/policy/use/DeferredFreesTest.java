package org.allocsim.simulator.policy.use;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class DeferredFreesTest {
  private final StreamUses uses = new StreamUses();
  private final DeferredFrees deferred = new DeferredFrees(uses);
  private final List<Integer> reusable = new ArrayList<>();

  private void use(int owner, int stream, long rank, boolean captured) {
    uses.add(owner, 0, false, stream, rank);
    if (captured) {
      deferred.use(owner, stream);
    }
  }

  @Test
  void whatACaptureUsedIsOverAtItsEndInTheOrderOfRanks() {
    use(1, 5, 20, true);
    use(2, 5, 10, true);
    deferred.free(1);
    deferred.free(2);
    deferred.end(reusable::add);
    assertEquals(List.of(2, 1), reusable);
    assertTrue(deferred.isEmpty());
  }

  @Test
  void otherUsesBecomeEventsAtTheEnd() {
    use(1, 5, 1, true);
    use(1, 6, 1, false);
    deferred.free(1);
    uses.completeAll();
    assertEquals(StreamUses.NONE, uses.pollFinished());
    deferred.end(reusable::add);
    assertEquals(List.of(), reusable);
    assertEquals(1, uses.pollFinished());
  }

  @Test
  void whatIsGivenBackInACaptureWaitsUntilItsEnd() {
    assertTrue(deferred.isEmpty());
    deferred.free(1);
    assertFalse(deferred.isEmpty());
  }

  @Test
  void whatOneCaptureUsedDoesNotCountInTheNext() {
    use(1, 5, 1, true);
    deferred.free(1);
    deferred.end(reusable::add);
    assertEquals(List.of(1), reusable);
    use(1, 5, 2, false);
    deferred.free(1);
    deferred.end(reusable::add);
    assertEquals(List.of(1), reusable, "the use outside of captures is not over");
    uses.complete(1, 5);
    assertEquals(1, uses.pollFinished());
  }

  @Test
  void usesOfBlocksThatAreGivenBackOutsideAreForgotten() {
    use(1, 5, 1, true);
    deferred.forget(1);
    deferred.free(1);
    deferred.end(reusable::add);
    assertEquals(List.of(), reusable);
  }
}
