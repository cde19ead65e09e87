package org.allocsim.validation.benchmark;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What benchmarks showed.
 *
 * @param measurements in the order of the plan
 * @param notRun what could not be measured, with the reason
 */
public record BenchmarkResults(List<Measurement> measurements, Map<String, String> notRun) {
  /** Keeps its own copies. */
  public BenchmarkResults {
    measurements = List.copyOf(measurements);
    notRun = Collections.unmodifiableMap(new LinkedHashMap<>(notRun));
  }
}
