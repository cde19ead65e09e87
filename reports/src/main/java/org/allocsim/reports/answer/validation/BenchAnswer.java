package org.allocsim.reports.answer.validation;

import static org.allocsim.reports.document.Quantity.count;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.allocsim.reports.answer.part.Columns;
import org.allocsim.reports.document.Block;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.document.Facts;
import org.allocsim.reports.document.Kind;
import org.allocsim.reports.document.Notes;
import org.allocsim.reports.document.Section;
import org.allocsim.reports.document.Sentence;
import org.allocsim.reports.document.Shape;
import org.allocsim.reports.document.Table;
import org.allocsim.reports.document.Unit;
import org.allocsim.reports.document.Verdict;
import org.allocsim.validation.benchmark.Machine;
import org.allocsim.validation.benchmark.Measurement;
import org.allocsim.validation.benchmark.Samples;
import org.jspecify.annotations.Nullable;

/**
 * Results of {@code allocsim bench}, which are also what later runs compare with. Two files of the
 * same machine differ in figures only: they name neither date nor host.
 *
 * @param machine where they were measured
 * @param runs processes for each benchmark
 * @param measurements what was measured
 * @param notRun what could not be measured, and why
 * @param baseline earlier results to compare with; null for none
 * @param tolerance how much slower is still the same, as a share
 */
public record BenchAnswer(
    Machine machine,
    int runs,
    List<Measurement> measurements,
    Map<String, String> notRun,
    @Nullable BenchBaseline baseline,
    double tolerance) {
  private static final double NANOS_PER_SECOND = 1e9;
  private static final double MILLION = 1e6;

  /** With less of the processor than this, figures by the clock say little. */
  private static final double ENOUGH_CPU = 0.97;

  private static final Shape<Machine> MACHINE =
      Shape.of(machine ->
          machine
              .text("cpu", "Name of the processor.", Machine::cpu)
              .count("cores", "Processors available to the program.", Machine::cores)
              .text("system", "Operating system and architecture.", Machine::system)
              .text("jdk", "Java version used for the measurements.", Machine::jdk));

  private static final Shape<Samples> SAMPLES =
      Shape.of(samples ->
          samples
              .number("median", "Median of all samples.", Samples::median)
              .number("lower_quartile", "First quartile of the samples.", Samples::lowerQuartile)
              .number("upper_quartile", "Third quartile of the samples.", Samples::upperQuartile)
              .number("min", "Lowest sample.", Samples::least)
              .number("max", "Highest sample.", Samples::most)
              .series(
                  Unit.NUMBER,
                  "values",
                  "All samples, in the order they were taken.",
                  Samples::values));

  private static final Shape<Measurement> RATES =
      Shape.of(row ->
          row.rate(
                  "events_per_second",
                  null,
                  "Median events per second.",
                  Measurement::eventsPerSecond)
              .number(
                  "nanos_per_request",
                  "Median nanoseconds per request.",
                  Measurement::nanosPerRequest)
              .missing("there are none")
              .rate(
                  "uncompressed_bytes_per_second",
                  null,
                  "Median uncompressed bytes read per second.",
                  Measurement::plainBytesPerSecond)
              .missing("no file is read")
              .ratio(
                  "cpu_utilization_ratio",
                  "Fraction of the time that the measured thread was on the processor.",
                  Measurement::cpuShare)
              .missing("several threads are used")
              .number(
                  "allocated_bytes_per_event",
                  "Heap bytes allocated per event.",
                  Measurement::allocatedBytesPerEvent)
              .missing("they are not counted")
              .meanBytes(
                  "peak_resident_bytes",
                  null,
                  "Peak memory of the process.",
                  Measurement::peakResidentBytes)
              .missing("only a part of the process is measured"));

  private static final Shape<Measurement> CSV =
      Shape.of(row ->
          row.text("id", "Name of the benchmark.", Measurement::id)
              .term(Columns.UNIT, Measurement::unit)
              .term(Columns.EVENTS_IN_ALL, Measurement::events)
              .number(
                  "nanos_per_event",
                  "Median of all samples.",
                  each -> each.nanosPerEvent().median())
              .number(
                  "ns_per_event_lower_quartile",
                  "First quartile of the samples.",
                  each -> each.nanosPerEvent().lowerQuartile())
              .number(
                  "ns_per_event_upper_quartile",
                  "Third quartile of the samples.",
                  each -> each.nanosPerEvent().upperQuartile())
              .embed(RATES));

  private static final Shape<Measurement> MEASUREMENTS =
      Shape.of(row ->
          row.text("id", "Name of the benchmark; baselines are matched by name.", Measurement::id)
              .text("what", "what", "What was measured.", Measurement::what)
              .term(Columns.UNIT, Measurement::unit)
              .term(Columns.EVENTS_IN_ALL, Measurement::events)
              .one("nanos_per_event", "Nanoseconds per event.", SAMPLES, Measurement::nanosPerEvent)
              .embed(RATES)
              .shown(
                  Unit.NUMBER,
                  "ns/event",
                  "Median nanoseconds per event.",
                  each -> number(each.nanosPerEvent().median()))
              .shown(
                  Unit.NUMBER,
                  "±",
                  "Half the interquartile range.",
                  each -> "%.0f %%".formatted(100 * each.nanosPerEvent().spread()))
              .shown(
                  Unit.NUMBER,
                  "M events/s",
                  "Million events per second.",
                  each -> each.eventsPerSecond() / MILLION)
              .shown(
                  Unit.NUMBER,
                  "MB/s",
                  "Million uncompressed bytes read per second.",
                  each -> number(each.plainBytesPerSecond() / MILLION))
              .rank(3));

  public static final Kind<BenchAnswer> KIND =
      new Kind<>(
          "bench",
          "bench --json",
          "What `allocsim bench --json` writes, and `--baseline` reads: speeds on one machine.",
          Shape.of(answer ->
              answer
                  .one(
                      "machine",
                      "The machine; files from the same machine differ only in their figures.",
                      MACHINE,
                      BenchAnswer::machine)
                  .count("runs", "Processes per benchmark.", BenchAnswer::runs)
                  .many(
                      "measurements",
                      "One entry for each benchmark.",
                      MEASUREMENTS,
                      BenchAnswer::measurements)
                  .named(
                      Unit.TEXT,
                      "not_run",
                      "What could not be measured.",
                      "Why.",
                      BenchAnswer::notRun)));

  private static final Shape<Measurement> COMMANDS =
      Shape.of(row ->
          row.shown(Unit.TEXT, "whole command", "What was measured.", Measurement::what)
              .shown(
                  Unit.NUMBER,
                  "s",
                  "Seconds it took.",
                  each ->
                      each.nanosPerEvent().median()
                          * each.events()
                          / each.nanosPerEvent().values().size()
                          / NANOS_PER_SECOND)
              .shown(
                  Unit.NUMBER,
                  "MiB at its peak",
                  "Peak memory of the process.",
                  each -> number(each.peakResidentBytes() / (1 << 20))));

  public Document<BenchAnswer> document() {
    List<Block> blocks = new ArrayList<>();
    blocks.add(
        Facts.none()
            .and("machine", "{}, {}", machine.cpu(), count(machine.cores(), "core"))
            .and("system", "{}, Java {}", machine.system(), machine.jdk()));
    blocks.add(Table.of("Measurements", columns(), measurements).at("/measurements"));
    List<Measurement> commands =
        measurements.stream().filter(each -> Double.isFinite(each.peakResidentBytes())).toList();
    if (!commands.isEmpty()) {
      blocks.add(Table.of("Whole commands", COMMANDS, commands));
    }
    blocks.add(new Notes(notes()));
    return new Document<>(
        KIND,
        machine.cpu(),
        baseline == null ? null : verdict(),
        List.of(new Section(null, blocks)),
        Table.of("Measurements", CSV, measurements),
        this);
  }

  /** What people read of measurements, compared with the baseline where there is one. */
  private Shape<Measurement> columns() {
    return baseline == null
        ? MEASUREMENTS.and(row ->
            row.shown(
                    Unit.NUMBER,
                    "ns/request",
                    "Nanoseconds per request.",
                    each -> number(each.nanosPerRequest()))
                .rank(2)
                .shown(
                    Unit.NUMBER,
                    "B/event",
                    "Java heap bytes allocated per event.",
                    each -> number(each.allocatedBytesPerEvent()))
                .rank(1))
        : MEASUREMENTS.and(row ->
            row.shown(
                    Unit.NUMBER,
                    "to baseline",
                    "New median divided by the old one.",
                    each -> compared(each).map(BenchBaseline.Comparison::ratio).orElse(null))
                .shown(
                    Unit.NUMBER,
                    "memory to baseline",
                    "New peak memory divided by the old one.",
                    each ->
                        compared(each)
                            .map(BenchBaseline.Comparison::memoryRatio)
                            .filter(Double::isFinite)
                            .orElse(null))
                .rank(1)
                .shown(
                    Unit.TEXT,
                    "verdict",
                    "Whether it is slower, by more than both the tolerance and the spread, or takes"
                        + " more memory.",
                    this::verdict));
  }

  private Verdict verdict() {
    long worse = measurements.stream().filter(this::isWorse).count();
    return new Verdict(
        worse == 0 ? Verdict.Tone.GOOD : Verdict.Tone.BAD,
        Sentence.of(
            "Slower than the baseline, or with more memory, by more than {} %: {} of {}.",
            "%.0f".formatted(100 * tolerance),
            worse == 0 ? "none" : count(worse),
            count(measurements.size(), "measurement")));
  }

  private String verdict(Measurement each) {
    return compared(each).map(this::verdict).orElse("not in it");
  }

  private String verdict(BenchBaseline.Comparison comparison) {
    if (comparison.isSlower(tolerance)) {
      return comparison.isLarger(tolerance) ? "slower, more memory" : "slower";
    }
    if (comparison.isLarger(tolerance)) {
      return "more memory";
    }
    return comparison.apart() && comparison.ratio() < 1 - tolerance ? "faster" : "same";
  }

  private Optional<BenchBaseline.Comparison> compared(Measurement each) {
    return Optional.ofNullable(baseline).flatMap(earlier -> earlier.compare(each));
  }

  /** Whether anything is slower than it was, or takes more memory. */
  public boolean isWorse() {
    return measurements.stream().anyMatch(this::isWorse);
  }

  private boolean isWorse(Measurement each) {
    return compared(each)
        .filter(comparison -> comparison.isSlower(tolerance) || comparison.isLarger(tolerance))
        .isPresent();
  }

  private List<Sentence> notes() {
    List<Sentence> notes = new ArrayList<>();
    notes.add(
        Sentence.of(
            "Medians of {} from {} each; ± is half the interquartile range. An event is an"
                + " effect as PyTorch's history records it (alloc, free_requested,"
                + " free_completed, segment_...); in timed simulations it is a row of the"
                + " program. B/event: Java heap bytes allocated per event.",
            count(
                measurements.stream()
                    .mapToInt(each -> each.nanosPerEvent().values().size())
                    .max()
                    .orElse(0),
                "sample"),
            runs == 1 ? "1 process" : runs + " processes"));
    double cpu =
        measurements.stream()
            .mapToDouble(Measurement::cpuShare)
            .filter(Double::isFinite)
            .min()
            .orElse(1);
    if (cpu < ENOUGH_CPU) {
      notes.add(
          Sentence.of(
              "Other programs used the processor for up to {} % of the time; an idle machine is"
                  + " faster by that much.",
              "%.0f".formatted(100 * (1 - cpu))));
    }
    notRun.forEach((what, why) -> notes.add(Sentence.of("not run: {}: {}", what, why)));
    if (baseline != null && !baseline.machine().jdk().equals(machine.jdk())) {
      notes.add(Sentence.of("The baseline was measured with Java {}.", baseline.machine().jdk()));
    }
    return notes;
  }

  private static @Nullable String number(double value) {
    return !Double.isFinite(value)
        ? null
        : (Math.abs(value) < 100 ? "%.1f" : "%.0f").formatted(value);
  }
}
