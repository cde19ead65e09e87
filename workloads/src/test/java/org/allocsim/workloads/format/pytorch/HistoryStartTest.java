package org.allocsim.workloads.format.pytorch;

import static org.allocsim.workloads.format.pytorch.SnapshotData.event;
import static org.allocsim.workloads.format.pytorch.SnapshotData.readValue;
import static org.allocsim.workloads.format.pytorch.SnapshotData.snapshot;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.allocsim.simulator.policy.pytorch.AllocatorConfig;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.workloads.format.pytorch.derive.DerivationOptions;
import org.allocsim.workloads.format.pytorch.derive.DerivedRequests;
import org.allocsim.workloads.format.pytorch.derive.RequestDerivation;
import org.junit.jupiter.api.Test;

/** Whether a history begins before the first allocation shows in what it gives back. */
class HistoryStartTest {
  private static final long ADDRESS = 1L << 40;

  /** The usual one without its failure, which nothing before it explains. */
  private static List<Object> history() {
    List<Object> history = SnapshotData.history();
    history.removeLast();
    return history;
  }

  private static DerivedRequests derive(List<Object> history) throws Exception {
    return RequestDerivation.derive(
        readValue(snapshot(history)),
        new DerivationOptions(AllocatorConfig.DEFAULT, PyTorchVersion.V2_11, -1, -1));
  }

  @Test
  void aHistoryThatAccountsForAllBeginsWithNothing() throws Exception {
    DerivedRequests requests = derive(history());
    assertTrue(requests.starts().getFirst().complete());
    assertEquals(0, requests.trace().prologueCount());
    assertEquals(0, requests.unexplainedEntries());
  }

  @Test
  void aHistoryThatLacksASegmentOfTheEndBeginsLate() throws Exception {
    List<Object> history = history();
    history.removeFirst();
    DerivedRequests requests = derive(history);
    assertFalse(requests.starts().getFirst().complete());
    assertEquals(0, requests.unexplainedEntries());
  }

  @Test
  void aHistoryThatFreesAnUnknownBlockBeginsLateAlthoughItsSegmentsAddUp() throws Exception {
    List<Object> history = history();
    history.add(0, event("free_requested", 3 * ADDRESS, 512, 1));
    history.add(1, event("free_completed", 3 * ADDRESS, 512, 1));
    assertFalse(derive(history).starts().getFirst().complete());
  }

  @Test
  void aHistoryThatContradictsTheRulesLaterStillBeginsWithNothing() throws Exception {
    List<Object> history = history();
    // Best fit would have taken another place.
    history.add(event("alloc", ADDRESS + 4096, 512, 14));
    DerivedRequests requests = derive(history);
    assertTrue(requests.starts().getFirst().complete());
    assertTrue(requests.unexplainedEntries() > 0);
  }
}
