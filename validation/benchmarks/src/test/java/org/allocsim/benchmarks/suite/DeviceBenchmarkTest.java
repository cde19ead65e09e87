package org.allocsim.benchmarks.suite;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class DeviceBenchmarkTest {
  @ParameterizedTest
  @EnumSource
  void everyOperationIsTwoCalls(DeviceBenchmark.Layout layout) {
    DeviceBenchmark benchmark = new DeviceBenchmark();
    benchmark.layout = layout;
    benchmark.blocks = 100;
    benchmark.prepare();
    PassCounts counts = new PassCounts();
    benchmark.takeAndGiveBack(counts);
    benchmark.takeAndGiveBack(counts);
    assertEquals(2 * counts.requests, counts.events);
    assertEquals(2048, counts.requests);
  }
}
