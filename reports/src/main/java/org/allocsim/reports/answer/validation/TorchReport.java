package org.allocsim.reports.answer.validation;

import java.util.List;
import java.util.function.Predicate;
import org.allocsim.validation.torch.TorchMachine;

/**
 * All of one run of {@code validate --pytorch}.
 *
 * @param date the day, as ISO 8601 has it
 * @param driver version of the driver, or null where it does not say
 * @param machine what PyTorch found
 * @param confs settings, in the order of their runs
 * @param cases what was run
 * @param seconds wall time
 */
public record TorchReport(
    String date,
    String driver,
    TorchMachine machine,
    List<String> confs,
    List<TorchCase> cases,
    double seconds) {

  /** Cases of a setting. */
  List<TorchCase> cases(String conf) {
    return cases.stream().filter(each -> each.conf().equals(conf)).toList();
  }

  /** Number of cases of a setting that were run and meet a condition. */
  long count(String conf, Predicate<TorchCase> condition) {
    return cases(conf).stream()
        .filter(each -> each.verdict() != null && condition.test(each))
        .count();
  }

  /** Whether every case was run and is exact. */
  public boolean exact() {
    return cases.stream().allMatch(TorchCase::exact);
  }

  /** Whether a case could not be run. */
  public boolean failed() {
    return cases.stream().anyMatch(each -> each.verdict() == null);
  }
}
