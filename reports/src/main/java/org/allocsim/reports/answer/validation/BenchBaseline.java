package org.allocsim.reports.answer.validation;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.allocsim.reports.input.Inputs;
import org.allocsim.reports.json.JsonValues;
import org.allocsim.reports.output.Failure;
import org.allocsim.validation.benchmark.Machine;
import org.allocsim.validation.benchmark.Measurement;
import org.allocsim.validation.benchmark.Samples;
import org.jspecify.annotations.Nullable;

/**
 * Earlier results that new ones are compared with, by ratio.
 *
 * @param machine where they were measured
 * @param costs by the measurement's id
 */
public record BenchBaseline(Machine machine, Map<String, Cost> costs) {
  private static final String FIRST_VERSION = "allocsim-bench-1";
  private static final String SECOND_VERSION = "allocsim-bench-2";

  /**
   * What an event, or a whole command, took.
   *
   * @param nanosPerEvent samples, each times its share of the processor
   * @param peakResidentBytes most memory of the process; NaN where it was not measured
   */
  public record Cost(Samples nanosPerEvent, double peakResidentBytes) {}

  /**
   * How a measurement compares with an earlier one.
   *
   * @param ratio new median over old, of the time that the processor gave: what other programs took
   *     does not count
   * @param apart whether the middle halves of the samples do not meet
   * @param memoryRatio new peak memory over old; NaN where one of them was not measured
   */
  public record Comparison(double ratio, boolean apart, double memoryRatio) {
    /** Whether it is slower by more than a share, and by more than samples differ anyway. */
    public boolean isSlower(double tolerance) {
      return apart && ratio > 1 + tolerance;
    }

    /** Whether it takes more memory by more than a share. */
    public boolean isLarger(double tolerance) {
      return memoryRatio > 1 + tolerance;
    }
  }

  /**
   * Reads results that {@code bench --json} wrote.
   *
   * @throws Failure where the file holds none
   */
  public static BenchBaseline read(String name) {
    Path file = Inputs.require(name);
    try (InputStream stream = Files.newInputStream(file)) {
      Map<String, Object> json = JsonValues.readObject(stream);
      boolean isFirstVersion = FIRST_VERSION.equals(json.get("schema"));
      boolean isOld = isFirstVersion || SECOND_VERSION.equals(json.get("schema"));
      if (!isOld && !BenchAnswer.KIND.id().equals(json.get("schema"))) {
        throw new IOException("its schema is not " + BenchAnswer.KIND.id());
      }
      Map<String, Cost> byId = new LinkedHashMap<>();
      for (Object row : part(json, "measurements", List.class)) {
        if (!(row instanceof Map<?, ?> each)) {
          throw new IOException("a measurement is not an object");
        }
        String key = isFirstVersion ? "ns_per_event" : "nanos_per_event";
        List<?> values = part(part(each, key, Map.class), "values", List.class);
        if (values.isEmpty() || !values.stream().allMatch(BenchBaseline::isTime)) {
          throw new IOException("\"values\" of a measurement are not times above 0");
        }
        Samples samples = new Samples(values.stream().map(BenchBaseline::real).toList());
        byId.put(
            part(each, "id", String.class),
            new Cost(
                samples.times(share(each.get(isOld ? "cpu_share" : "cpu_utilization_ratio"))),
                each.get("peak_resident_bytes") instanceof Number bytes
                    ? bytes.doubleValue()
                    : Double.NaN));
      }
      return new BenchBaseline(machine(part(json, "machine", Map.class)), byId);
    } catch (IOException e) {
      throw unusable(name, e.getMessage(), e);
    } catch (ClassCastException | IllegalArgumentException e) {
      throw unusable(name, "some of its fields have the wrong type", e);
    }
  }

  private static Failure unusable(String name, String reason, Exception cause) {
    return new Failure(
        "--baseline %s: %s; give a file that 'allocsim bench --json FILE' wrote"
            .formatted(name, reason),
        cause);
  }

  private static Machine machine(Map<?, ?> map) throws IOException {
    return new Machine(
        part(map, "cpu", String.class),
        part(map, "cores", Long.class).intValue(),
        part(map, "system", String.class),
        part(map, "jdk", String.class));
  }

  private static <T> T part(Map<?, ?> map, String key, Class<T> kind) throws IOException {
    Object found = map.get(key);
    if (found == null) {
      throw new IOException("it has no \"" + key + "\"");
    }
    return kind.cast(found);
  }

  private static boolean isTime(@Nullable Object value) {
    return value instanceof Number number
        && number.doubleValue() > 0
        && Double.isFinite(number.doubleValue());
  }

  private static Double real(Object value) {
    return ((Number) value).doubleValue();
  }

  /** Where several threads work, or none is given, all time counts. */
  private static double share(@Nullable Object value) {
    return value instanceof Number number && Double.isFinite(number.doubleValue())
        ? number.doubleValue()
        : 1;
  }

  /** The comparison; empty where there is no earlier measurement. */
  public Optional<Comparison> compare(Measurement now) {
    Cost cost = costs.get(now.id());
    if (cost == null) {
      return Optional.empty();
    }
    Samples before = cost.nanosPerEvent;
    Samples samples = now.nanosPerEvent().times(share(now.cpuShare()));
    boolean apart =
        samples.lowerQuartile() > before.upperQuartile()
            || samples.upperQuartile() < before.lowerQuartile();
    return Optional.of(
        new Comparison(
            samples.median() / before.median(),
            apart,
            now.peakResidentBytes() / cost.peakResidentBytes));
  }

  /**
   * Refuses to compare figures of different machines.
   *
   * @throws Failure that names both
   */
  public void requireLike(Machine here) {
    if (!machine.isLike(here)) {
      throw new Failure(
          ("the baseline was measured on %s, but this machine is %s; figures from different"
                  + " machines are not comparable, so measure a baseline here with --json")
              .formatted(description(machine), description(here)));
    }
  }

  private static String description(Machine machine) {
    return machine.cpu() + " with " + machine.cores() + " cores, " + machine.system();
  }
}
