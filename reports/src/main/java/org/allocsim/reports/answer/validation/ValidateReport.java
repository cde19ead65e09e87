package org.allocsim.reports.answer.validation;

import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import org.allocsim.validation.gpu.CaseResult;
import org.allocsim.validation.gpu.CudaDevice;

/**
 * All of one run of {@code validate}.
 *
 * @param date the day, as ISO 8601 has it
 * @param driver version of the driver, or null where it does not say
 * @param gpu the GPU as it was found
 * @param freeBytesAfter its free memory at the end
 * @param maxBytes memory that might be used, {@link Long#MAX_VALUE} for all
 * @param touched whether blocks were filled
 * @param cases what was run
 */
public record ValidateReport(
    String date,
    String driver,
    CudaDevice.Identity gpu,
    long freeBytesAfter,
    long maxBytes,
    boolean touched,
    List<ValidatedCase> cases) {

  /** Results of the cases that were run and meet a condition. */
  List<CaseResult> results(Predicate<ValidatedCase> condition) {
    return cases.stream()
        .filter(condition)
        .map(ValidatedCase::result)
        .filter(Objects::nonNull)
        .toList();
  }

  /** The policies in the order of their first case. */
  List<String> policies() {
    return cases.stream().map(each -> each.choice().label()).distinct().toList();
  }
}
