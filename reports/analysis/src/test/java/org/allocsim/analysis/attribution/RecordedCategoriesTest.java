package org.allocsim.analysis.attribution;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.allocsim.analysis.moment.Landmarks;
import org.allocsim.analysis.moment.MomentFinder;
import org.allocsim.analysis.moment.MomentQuery;
import org.allocsim.analysis.moment.Origins;
import org.allocsim.analysis.program.Conditions;
import org.allocsim.analysis.program.Program;
import org.allocsim.simulator.policy.LayoutVisitor.BlockState;
import org.allocsim.simulator.policy.MemoryLayout;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.workloads.format.Progress;
import org.allocsim.workloads.format.pytorch.metadata.RecordedFacts;
import org.allocsim.workloads.source.DeviceTrace;
import org.allocsim.workloads.source.ReadingOptions;
import org.allocsim.workloads.source.TraceSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Categories that {@code allocsim record} took down: six steps of a transformer with AdamW (PyTorch
 * 2.11, H100), whole and with only its latest 900 entries, so that nearly all parameters are older.
 */
class RecordedCategoriesTest {
  private static DeviceTrace read(String name) throws Exception {
    Path file = Path.of(RecordedCategoriesTest.class.getResource(name + ".pickle.xz").toURI());
    TraceSource source = TraceSource.open(file.toString(), null, Progress.NONE);
    return new DeviceTrace(source.read(ReadingOptions.of(source.defaultOptions().version())), 0);
  }

  private static List<RecordedFacts.Storage> storages(DeviceTrace input) {
    return input
        .recording()
        .orElseThrow()
        .snapshot()
        .facts()
        .orElseThrow()
        .device(0)
        .orElseThrow()
        .storages();
  }

  private static MemoryLayout end(DeviceTrace input) throws Exception {
    Origins origins = Origins.of(input.trace(), 0);
    Landmarks landmarks =
        MomentFinder.survey(
            Program.open(input.opened().source(), Conditions.RECORDED.by(PyTorchVersion.V2_11)),
            Progress.NONE);
    assertTrue(landmarks.hasRecordedAddresses());
    MomentQuery query = MomentQuery.of(MomentQuery.Kind.END);
    return MomentFinder.at(landmarks, query, origins, Progress.NONE).orElseThrow().layout();
  }

  @ParameterizedTest
  @ValueSource(strings = {"recorded-training", "recorded-training-late"})
  void theBlocksOfTheLastLayoutHaveTheCategoriesOfTheirAddresses(String name) throws Exception {
    DeviceTrace input = read(name);
    Map<Long, String> byAddress = new HashMap<>();
    storages(input).forEach(each -> byAddress.put(each.address(), each.category()));
    RecordedCategories recorded = RecordedCategories.of(input);
    MemoryLayout layout = end(input);
    int named = 0;
    for (int block = 0; block < layout.blockCount(); block++) {
      if (layout.state(block) == BlockState.ACTIVE_ALLOCATED) {
        String category = byAddress.get(layout.blockAddress(block));
        assertEquals(
            Optional.ofNullable(category), recorded.of(layout.allocation(block)).map(Category::id));
        named += category == null ? 0 : 1;
      }
    }
    assertEquals(byAddress.size(), named);
  }

  @Test
  void whatTheRecorderKnewIsSaidToBeRecordedAndIsSparedTheRules() throws Exception {
    DeviceTrace input = read("recorded-training");
    Attribution all = Attribution.of(input, CategoryRules.NONE);
    long recorded =
        IntStream.range(0, input.trace().allocationCount())
            .filter(each -> all.certainty(each) == Certainty.RECORDED)
            .count();
    assertEquals(storages(input).size(), recorded);
  }

  @Test
  void aRecordingWithoutFactsNamesNothing() throws Exception {
    Path file = Path.of("../../validation/attribution/recorded/gpt.python.pickle.xz");
    TraceSource source = TraceSource.open(file.toString(), null, Progress.NONE);
    DeviceTrace input =
        new DeviceTrace(source.read(ReadingOptions.of(source.defaultOptions().version())), 0);
    RecordedCategories recorded = RecordedCategories.of(input);
    assertFalse(
        IntStream.range(0, input.trace().allocationCount())
            .anyMatch(each -> recorded.of(each).isPresent()));
  }
}
