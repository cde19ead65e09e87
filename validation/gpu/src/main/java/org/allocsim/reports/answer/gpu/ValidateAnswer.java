package org.allocsim.reports.answer.gpu;

import static org.allocsim.reports.document.Quantity.count;
import static org.allocsim.reports.document.Quantity.exactBytes;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import org.allocsim.reports.answer.part.Columns;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.document.Facts;
import org.allocsim.reports.document.Kind;
import org.allocsim.reports.document.Section;
import org.allocsim.reports.document.Sentence;
import org.allocsim.reports.document.Shape;
import org.allocsim.reports.document.Table;
import org.allocsim.reports.document.Verdict;
import org.allocsim.validation.gpu.CaseResult;
import org.allocsim.validation.gpu.cuda.CudaDevice;
import org.allocsim.validation.gpu.summary.ValidationSummary;
import org.jspecify.annotations.Nullable;

/**
 * All of one run of {@code validate gpu}.
 *
 * @param date the day, as ISO 8601 has it
 * @param driver version of the driver, or null where it does not say
 * @param gpu the GPU as it was found
 * @param freeBytesAfter its free memory at the end
 * @param maxBytes memory that might be used, {@link Long#MAX_VALUE} for all
 * @param touched whether blocks were filled
 * @param cases what was run
 */
public record ValidateAnswer(
    String date,
    @Nullable String driver,
    CudaDevice.Identity gpu,
    long freeBytesAfter,
    long maxBytes,
    boolean touched,
    List<ValidatedCase> cases) {

  public static final Kind<ValidateAnswer> KIND =
      new Kind<>(
          "validate",
          "validate gpu --json",
          "What `allocsim validate gpu --json` writes: predictions against measurements on a GPU.",
          Shape.of(answer ->
              answer
                  .term(Columns.DATE, ValidateAnswer::date)
                  .term(Columns.GPU_NAME, each -> each.gpu().name())
                  .count(
                      "cuda_version",
                      "Version of CUDA: 1000 times the major and 10 times the minor number.",
                      each -> each.gpu().driverVersion())
                  .term(Columns.DRIVER, ValidateAnswer::driver)
                  .missing("it is not known")
                  .term(Columns.DEVICE_BYTES, each -> each.gpu().totalBytes())
                  .bytes(
                      "free_before_bytes",
                      "Free memory of the GPU before the run.",
                      each -> each.gpu().freeBytesAtStart())
                  .bytes(
                      "free_after_bytes",
                      "Free memory of the GPU after the run.",
                      ValidateAnswer::freeBytesAfter)
                  .bytes(
                      "max_bytes",
                      "Maximum GPU memory that the run may use.",
                      each -> each.maxBytes() == Long.MAX_VALUE ? null : each.maxBytes())
                  .missing("the run has no limit")
                  .flag("touched", "Whether every block was written to.", ValidateAnswer::touched)
                  .one(
                      "summary",
                      "All cases together.",
                      ValidateSummary.SHAPE,
                      each -> each.summary(_ -> true))
                  .named(
                      ValidateSummary.SHAPE,
                      "summary_by_policy",
                      "The cases of each policy.",
                      "The summary over the cases of a policy.",
                      ValidateAnswer::byPolicy)
                  .many(
                      "cases",
                      "One entry for each case.",
                      ValidatedCase.SHAPE,
                      ValidateAnswer::cases)));

  public Document<ValidateAnswer> document() {
    Table<ValidatedCase> table =
        Table.of("Cases", ValidatedCase.SHAPE, cases)
            .leavingOut(
                each -> each.result() == null ? "was not run: " + each.notRunBecause() : null)
            .at("/cases");
    ValidationSummary all = summary(_ -> true);
    List<Section> sections = new ArrayList<>();
    sections.add(new Section(null, List.of(facts(), table)));
    sections.addAll(ValidateSummary.sections(all));
    return new Document<>(KIND, gpu.name(), verdict(all), sections, table, this);
  }

  private Facts facts() {
    return Facts.none()
        .and(
            "GPU",
            "{}, CUDA {}.{}{}",
            gpu.name(),
            gpu.driverVersion() / 1000,
            gpu.driverVersion() % 1000 / 10,
            driver == null ? "" : ", driver " + driver)
        .and(
            "memory",
            "{} free before and {} after",
            exactBytes(gpu.freeBytesAtStart()),
            freeBytesAfter == gpu.freeBytesAtStart() ? "as much" : exactBytes(freeBytesAfter));
  }

  private Verdict verdict(ValidationSummary all) {
    if (all.cases() == 0) {
      return Verdict.ofText(Verdict.Tone.NEUTRAL, "No case could be run.", List.of(), null);
    }
    boolean isExact = all.sameCalls() == all.cases() && all.sameFailures() == all.cases();
    Sentence sentence =
        isExact
            ? Sentence.of(
                "The simulation matches this GPU: the same driver calls and the same failed"
                    + " requests in {}.",
                all.cases() == 1
                    ? "the only case"
                    : Sentence.of("all {} cases", count(all.cases())))
            : Sentence.of(
                "The simulation and this GPU differ: the same driver calls in {}, the same failed"
                    + " requests in {} of {}.",
                count(all.sameCalls()),
                count(all.sameFailures()),
                count(all.cases(), "case"));
    List<Sentence> differences =
        cases.stream()
            .flatMap(each ->
                each.firstDifference().stream()
                    .map(difference -> Sentence.of("{}: {}", each.name(), difference)))
            .toList();
    return new Verdict(isExact ? Verdict.Tone.GOOD : Verdict.Tone.BAD, sentence, differences);
  }

  private ValidationSummary summary(Predicate<ValidatedCase> condition) {
    return ValidationSummary.of(results(condition));
  }

  private Map<String, ValidationSummary> byPolicy() {
    Map<String, ValidationSummary> summaries = new LinkedHashMap<>();
    for (ValidatedCase each : cases) {
      summaries.computeIfAbsent(
          each.choice().label(), policy -> summary(other -> other.choice().label().equals(policy)));
    }
    return summaries;
  }

  /** Results of the cases that were run and meet a condition. */
  List<CaseResult> results(Predicate<ValidatedCase> condition) {
    return cases.stream()
        .filter(condition)
        .map(ValidatedCase::result)
        .filter(Objects::nonNull)
        .toList();
  }
}
