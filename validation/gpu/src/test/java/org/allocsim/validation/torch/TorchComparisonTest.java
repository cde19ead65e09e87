package org.allocsim.validation.torch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.List;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.policy.pytorch.conf.ConfigParser;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.workloads.format.TraceFormats;
import org.junit.jupiter.api.Test;

/**
 * Synthetic programs that PyTorch 2.11 served on an H200, as {@code validate pytorch} kept them.
 */
class TorchComparisonTest {
  private static final TorchMachine MACHINE =
      new TorchMachine(
          "2.11.0+cu130", "13.0", "NVIDIA H200", 150_109_880_320L, 149_433_614_336L, false);

  private static Path file(String name) {
    try {
      return Path.of(TorchComparisonTest.class.getResource("/torch/" + name).toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  private static AllocationTrace trace(String name) throws Exception {
    Path file = file(name + ".jsonl.xz");
    return TraceFormats.of(file).read(file, (_, _) -> {}).trace();
  }

  private static TorchVerdict verdict(String name, String conf, long limitBytes) throws Exception {
    return verdict(name, conf, limitBytes, trace(name));
  }

  private static TorchVerdict verdict(
      String name, String conf, long limitBytes, AllocationTrace trace) throws Exception {
    return TorchComparison.of(
        new TorchJob(0, TorchRequests.of(trace, 0), limitBytes),
        ConfigParser.parse(conf, PyTorchVersion.V2_11).allocator(),
        conf,
        PyTorchVersion.V2_11,
        MACHINE,
        0,
        file(name + ".pickle.xz"),
        file(name + ".json"));
  }

  /** Blocks whose uses on several streams end together become reusable in the recorded order. */
  @Test
  void aProgramOfFourStreamsIsForeseenRepeatedAndVerified() throws Exception {
    TorchVerdict verdict = verdict("random-424", "", -1);
    assertTrue(verdict.exact(), verdict::toString);
    assertEquals(435, verdict.predicted().equal());
    assertEquals(435, verdict.predicted().equalAddresses());
    assertTrue(verdict.statisticsCompared() > 100);
  }

  /** Eight ranges, two of them beyond 2^40; a snapshot does not say what a gone pool held. */
  @Test
  void expandableSegmentsBeyondTwoToTheFortiethAreForeseenWithTheirAddresses() throws Exception {
    TorchVerdict verdict = verdict("random-3", "expandable_segments:True", -1);
    assertTrue(verdict.foreseen(), verdict::toString);
    assertTrue(verdict.repeats(), verdict::toString);
    assertNull(verdict.predicted().addressDifference());
    assertFalse(verdict.verified());
  }

  /** 18 requests fail, and five times the allocator waited for streams that were held. */
  @Test
  void failedRequestsAndWaitsInsideTheAllocatorAreForeseen() throws Exception {
    TorchVerdict verdict =
        verdict(
            "random-87", "max_split_size_mb:64,garbage_collection_threshold:0.7", 1_541_406_720L);
    assertTrue(verdict.foreseen(), verdict::toString);
    assertTrue(verdict.repeats(), verdict::toString);
    assertEquals(18, verdict.failures());
    assertEquals(5, verdict.forcedWaits());
    assertEquals(List.of(), verdict.failureDifferences());
  }

  @Test
  void otherRequestsAreFoundToDiffer() throws Exception {
    TorchVerdict verdict = verdict("random-424", "", -1, trace("random-3"));
    assertFalse(verdict.foreseen());
    assertFalse(verdict.repeats());
    assertTrue(verdict.verified());
    assertTrue(
        verdict.predicted().difference().startsWith("row "), verdict.predicted().difference());
  }

  @Test
  void anotherLimitIsFoundToDiffer() throws Exception {
    TorchVerdict verdict =
        verdict(
            "random-87", "max_split_size_mb:64,garbage_collection_threshold:0.7", 1_241_406_720L);
    assertFalse(verdict.foreseen());
    assertFalse(verdict.repeats());
  }

  @Test
  void aSnapshotOfOtherSettingsIsRefused() throws Exception {
    IOException refused =
        assertThrows(IOException.class, () -> verdict("random-3", "max_split_size_mb:64", -1));
    assertEquals(
        "PyTorch ran with the settings \"expandable_segments:True\" instead", refused.getMessage());
  }
}
