package org.allocsim.validation.fidelity;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.InputStream;
import java.util.List;
import org.allocsim.simulator.policy.pytorch.AllocatorConfig;
import org.allocsim.simulator.policy.pytorch.MemoryLimit;
import org.allocsim.simulator.policy.pytorch.conf.ConfigParser;
import org.allocsim.workloads.format.Progress;
import org.allocsim.workloads.format.pytorch.Snapshot;
import org.allocsim.workloads.format.pytorch.SnapshotReader;
import org.allocsim.workloads.format.pytorch.metadata.RecordedFacts;
import org.allocsim.workloads.format.pytorch.pickle.PickleInput;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What {@code allocsim record} takes down leaves nothing to infer. The recordings are of PyTorch
 * 2.14.1's allocator on the stand-in for a GPU: random requests on three streams, emptied caches,
 * failures under a limit; graphs and memory pools at random, with pools of their own, shared,
 * nested and entered again, that end in any order. Others are of PyTorch 2.11 on an H100: a rank
 * that used only the first of two GPUs and emptied the caches of both; graphs that share pools and
 * memory pools that are nested, with backward passes inside; the same at random while the program
 * changes settings and limit. On an H200, PyTorch's own test of fourteen graphs, up to ten of which
 * end at once ({@code TestCuda.test_memory_stats_of_multiple_generators_and_graphs}).
 */
class RecordedFactsTest {
  private static Snapshot read(String name) throws Exception {
    InputStream stream = RecordedFactsTest.class.getResourceAsStream(name + ".pickle.xz");
    return SnapshotReader.read(stream, name, Progress.NONE);
  }

  private static List<DeviceVerification> verify(Snapshot snapshot) throws Exception {
    AllocatorConfig config =
        ConfigParser.parse(snapshot.firstConf(), snapshot.settings().release()).allocator();
    return SnapshotVerifier.verify(
        snapshot,
        new VerificationOptions(config, snapshot.settings().release(), MemoryLimit.NONE, -1),
        (done, total) -> {});
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "recorded-limit",
        "recorded-garbage-collection",
        "recorded-expandable",
        "recorded-two-gpus",
        "recorded-pools",
        "recorded-expandable-pools",
        "recorded-changes",
        "recorded-expandable-changes",
        "recorded-ended-pools",
        "recorded-expandable-ended-pools",
        "recorded-many-graphs",
        "recorded-expandable-many-graphs"
      })
  void nothingIsInferredWhereFactsWereRecorded(String name) throws Exception {
    DeviceVerification device = verify(read(name)).getFirst();
    assertTrue(device.exact());
    assertEquals(List.of(), device.inferences());
  }

  /**
   * What PyTorch 2.14.1's history says by itself, without what the recorder knew: the pool of each
   * entry. When pools ended shows in what they released, together with the cache or alone.
   */
  @ParameterizedTest
  @ValueSource(strings = {"ended-pools", "expandable-ended-pools"})
  void poolsThatEndAreFoundWhereNoFactsWereRecorded(String name) throws Exception {
    Snapshot snapshot = read(name);
    assertTrue(snapshot.facts().isEmpty());
    assertTrue(verify(snapshot).getFirst().exact());
  }

  @Test
  void theFactsAreThoseOfTheProgram() throws Exception {
    RecordedFacts facts = read("recorded-limit").facts().orElseThrow();
    RecordedFacts.Device device = facts.device(0).orElseThrow();
    assertEquals("2.14", facts.release().id());
    assertEquals(80L << 30, device.totalBytes());
    assertEquals(MemoryLimit.ofFraction(0.03, 80L << 30, facts.release()), device.limitBytes());
  }

  /** What a recorder adds is longer than any other text of a snapshot. */
  @Test
  void callsAreKeptHoweverManyThereAre() throws Exception {
    RecordedFacts facts = read("recorded-changes").facts().orElseThrow();
    assertTrue(facts.text().length() > PickleInput.LONGEST_TEXT, () -> "" + facts.text().length());
    assertEquals(
        facts.device(0).orElseThrow().calls().size(), facts.text().split("\"call\":").length - 1);
  }
}
