package org.allocsim.reports.answer.validation;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.allocsim.reports.json.JsonDocument;
import org.allocsim.validation.benchmark.Machine;
import org.allocsim.validation.benchmark.Measurement;
import org.allocsim.validation.benchmark.Samples;

/**
 * Results of {@code allocsim bench} as JSON, which is also what later runs compare with. Two files
 * of the same machine differ in figures only: they name neither date nor host.
 */
public final class BenchJson {
  private BenchJson() {}

  public static Map<String, Object> of(
      Machine machine, int runs, List<Measurement> measurements, Map<String, String> notRun) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("machine", machine(machine));
    json.put("runs", runs);
    List<Object> rows = new ArrayList<>();
    measurements.forEach(each -> rows.add(measurement(each)));
    json.put("measurements", rows);
    json.put("not_run", new LinkedHashMap<>(notRun));
    return JsonDocument.BENCH.of(json);
  }

  private static Map<String, Object> machine(Machine machine) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("cpu", machine.cpu());
    map.put("cores", machine.cores());
    map.put("system", machine.system());
    map.put("jdk", machine.jdk());
    return map;
  }

  private static Map<String, Object> measurement(Measurement each) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("id", each.id());
    map.put("what", each.what());
    map.put("unit", each.unit());
    map.put("events", each.events());
    map.put("nanos_per_event", samples(each.nanosPerEvent()));
    map.put("nanos_per_request", each.nanosPerRequest());
    map.put("events_per_second", each.eventsPerSecond());
    map.put("plain_bytes_per_second", each.plainBytesPerSecond());
    map.put("cpu_share", each.cpuShare());
    map.put("allocated_bytes_per_event", each.allocatedBytesPerEvent());
    map.put("peak_resident_bytes", each.peakResidentBytes());
    return map;
  }

  private static Map<String, Object> samples(Samples samples) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("median", samples.median());
    map.put("lower_quartile", samples.lowerQuartile());
    map.put("upper_quartile", samples.upperQuartile());
    map.put("min", samples.least());
    map.put("max", samples.most());
    map.put("values", new ArrayList<Object>(samples.values()));
    return map;
  }
}
