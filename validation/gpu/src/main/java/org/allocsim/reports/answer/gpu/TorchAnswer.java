package org.allocsim.reports.answer.gpu;

import static org.allocsim.reports.document.Quantity.count;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.reports.answer.part.Columns;
import org.allocsim.reports.answer.part.Settings;
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
import org.allocsim.validation.torch.TorchMachine;
import org.allocsim.validation.torch.TorchVerdict;
import org.jspecify.annotations.Nullable;

/**
 * All of one run of {@code validate pytorch}.
 *
 * @param date the day, as ISO 8601 has it
 * @param driver version of the driver, or null where it does not say
 * @param machine what PyTorch found
 * @param confs settings, in the order of their runs
 * @param cases what was run
 * @param sequences random sequences of calls, by kind
 * @param seconds wall time
 */
public record TorchAnswer(
    String date,
    @Nullable String driver,
    TorchMachine machine,
    List<String> confs,
    List<TorchCase> cases,
    List<CallKind> sequences,
    double seconds) {
  /** Beyond so many cases only those that are not exact are listed one by one. */
  private static final int MAX_LISTED = 100;

  /** The same for people. */
  private static final int MAX_LINES = 40;

  private static final Shape<Setting> SETTINGS =
      Shape.of(row ->
          row.term(Columns.CONF, "settings", Setting::conf)
              .worded(each -> Settings.name(each.conf()))
              .term(Columns.CASES, "cases", each -> each.cases().size())
              .count(
                  "not_run",
                  "Cases that did not run.",
                  each -> each.cases().size() - each.verdicts().count())
              .count(
                  "reproduced",
                  "reproduced",
                  "Cases that are exact when requests are known and the driver returns the"
                      + " recorded addresses.",
                  each -> each.count(TorchVerdict::repeats))
              .count(
                  "verified",
                  "verified",
                  "Cases that are exact, end state included, when only the snapshot is known.",
                  each -> each.count(TorchVerdict::verified))
              .count(
                  "predicted",
                  "predicted",
                  "Cases whose actions, sizes, failures and failure messages are exact when only"
                      + " the requests are known.",
                  each -> each.count(TorchVerdict::foreseen))
              .count(
                  "predicted_with_addresses",
                  "with addresses",
                  "Cases predicted exactly, the driver's addresses included.",
                  each -> each.count(of -> of.foreseen() && of.predicted().exact()))
              .count(
                  "events",
                  "events",
                  "Events in the recorded histories.",
                  each -> each.sum(of -> of.predicted().recorded()))
              .count(
                  "events_reproduced",
                  "Events reproduced with known requests and driver addresses.",
                  each -> each.sum(of -> of.repeated().equal()))
              .count(
                  "events_verified",
                  "Events verified from the snapshot alone.",
                  each -> each.sum(of -> of.verification().eventsMatched()))
              .count(
                  "events_predicted",
                  "Events predicted from the requests alone.",
                  each -> each.sum(of -> of.predicted().equal()))
              .term(Columns.ADDRESSES_COMPARED, each -> each.sum(of -> of.predicted().addresses()))
              .term(
                  Columns.ADDRESSES_EQUAL, each -> each.sum(of -> of.predicted().equalAddresses()))
              .count(
                  "cases_with_failed_requests",
                  "Cases in which a request failed.",
                  each -> each.count(of -> of.failures() > 0))
              .term(
                  Columns.FAILED_REQUESTS,
                  "failed requests",
                  each -> each.sum(TorchVerdict::failures))
              .term(Columns.STATISTICS_COMPARED, each -> each.sum(TorchVerdict::statisticsCompared))
              .named(
                  Unit.COUNT,
                  "skipped",
                  "What was not tested, and why.",
                  "Requests skipped for this reason.",
                  each -> skipped(each.cases().stream().map(TorchCase::program))));

  public static final Kind<TorchAnswer> KIND =
      new Kind<>(
          "validate-pytorch",
          "validate pytorch --json",
          "What `allocsim validate pytorch --json` writes: PyTorch's own allocator against the"
              + " simulation.",
          Shape.of(answer ->
              answer
                  .term(Columns.DATE, TorchAnswer::date)
                  .term(Columns.GPU_NAME, each -> each.machine().device())
                  .flag(
                      "is_mock_driver",
                      "Whether a mock CUDA driver, which computes nothing, replaced the GPU.",
                      each -> each.machine().mockDriver())
                  .term(Columns.DRIVER, TorchAnswer::driver)
                  .missing("it is not known")
                  .text("torch", "Version of PyTorch.", each -> each.machine().torch())
                  .term(Columns.DEVICE_BYTES, each -> each.machine().totalBytes())
                  .term(Columns.EXACT, TorchAnswer::isExact)
                  .seconds("seconds", "Duration of the run.", TorchAnswer::seconds)
                  .many(
                      "sequences",
                      "Random sequences of direct calls to the allocator, one entry for each"
                          + " kind.",
                      CallKind.SHAPE,
                      TorchAnswer::sequences)
                  .many("settings", "One entry for each setting.", SETTINGS, TorchAnswer::settings)
                  .text(
                      "cases_listed",
                      "all, or not_exact if there are many.",
                      each -> each.cases().size() <= MAX_LISTED ? "all" : "not_exact")
                  .many(
                      "cases",
                      "One entry for each listed case.",
                      TorchCase.SHAPE,
                      each -> each.listed(MAX_LISTED))));

  private record Setting(String conf, List<TorchCase> cases) {
    private Stream<TorchVerdict> verdicts() {
      return cases.stream().map(TorchCase::verdict).filter(Objects::nonNull);
    }

    private long count(Predicate<TorchVerdict> condition) {
      return verdicts().filter(condition).count();
    }

    private long sum(ToLongFunction<TorchVerdict> figure) {
      return verdicts().mapToLong(figure).sum();
    }
  }

  public Document<TorchAnswer> document() {
    Table<CallKind> calls = Table.of("Calls", CallKind.SHAPE, sequences).at("/sequences");
    Table<Setting> table = Table.of("Settings", SETTINGS, settings()).at("/settings");
    List<Block> blocks = new ArrayList<>();
    blocks.add(
        Facts.none()
            .and("PyTorch", "{}", machine.torch())
            .and(
                "GPU",
                "{}{}",
                machine.mockDriver()
                    ? "none; PyTorch's own allocator on a mock CUDA driver, which computes"
                        + " nothing"
                    : machine.device(),
                driver == null ? "" : ", driver " + driver));
    if (!sequences.isEmpty()) {
      blocks.add(calls);
      blocks.add(
          Notes.of(
              "differences",
              sequences.stream().flatMap(each -> each.differences().stream()).toList()));
    }
    if (cases.isEmpty()) {
      return new Document<>(
          KIND, machine.device(), verdict(), List.of(new Section(null, blocks)), calls, this);
    }
    blocks.add(Notes.of("cases", listed(MAX_LINES).stream().map(TorchCase::line).toList()));
    blocks.add(table);
    blocks.add(
        Notes.of(
            "Each column counts the cases in which every event and memory_stats() are exact",
            List.of(
                "repeated: requests are known, the driver returns the recorded addresses",
                "verified: only the snapshot is known; its end state is compared as well",
                "predicted: only the requests are known; actions, sizes, failures and their"
                    + " messages",
                "with addresses: predicted, the driver's addresses too")));
    blocks.add(
        Notes.of(
            "skipped",
            skipped(cases.stream().map(TorchCase::program).distinct()).entrySet().stream()
                .map(each -> Numbers.count(each.getValue()) + " " + each.getKey())
                .toList()));
    return new Document<>(
        KIND, machine.device(), verdict(), List.of(new Section(null, blocks)), table, this);
  }

  private Verdict verdict() {
    if (cases.isEmpty()) {
      long sent = sequences.stream().mapToLong(each -> each.verdicts().size()).sum();
      return new Verdict(
          isExact() ? Verdict.Tone.GOOD : Verdict.Tone.BAD,
          Sentence.of(
              "PyTorch's allocator, on a mock CUDA driver that computes nothing, and the"
                  + " simulation agree in {} of {} of random calls.",
              count(sequences.stream().mapToLong(CallKind::exact).sum()),
              count(sent, "sequence")));
    }
    long exact = cases.stream().filter(TorchCase::exact).count();
    return new Verdict(
        isExact() ? Verdict.Tone.GOOD : Verdict.Tone.BAD,
        Sentence.of(
            machine.mockDriver()
                ? "PyTorch's allocator, on a mock CUDA driver that computes nothing, and the"
                    + " simulation agree in {} of {}."
                : "PyTorch and the simulation agree in {} of {}.",
            count(exact),
            count(cases.size(), "case")));
  }

  private List<Setting> settings() {
    return confs.stream()
        .map(conf ->
            new Setting(conf, cases.stream().filter(each -> each.conf().equals(conf)).toList()))
        .toList();
  }

  private List<TorchCase> listed(int max) {
    return cases.stream().filter(each -> cases.size() <= max || !each.exact()).toList();
  }

  private static Map<String, Long> skipped(Stream<TorchProgram> programs) {
    Map<String, Long> sum = new TreeMap<>();
    programs.forEach(program ->
        program
            .requests()
            .skipped()
            .forEach((what, number) -> sum.merge(what, (long) number, Long::sum)));
    return sum;
  }

  /** Whether every case was run and is exact. */
  public boolean isExact() {
    return cases.stream().allMatch(TorchCase::exact)
        && sequences.stream().allMatch(each -> each.differences().isEmpty());
  }

  /** Whether a case could not be run. */
  public boolean failed() {
    return cases.stream().anyMatch(each -> each.verdict() == null);
  }
}
