package org.allocsim.reports.answer.part;

import static org.allocsim.reports.document.Quantity.bytes;

import java.util.List;
import java.util.Optional;
import org.allocsim.analysis.attribution.Category;
import org.allocsim.analysis.attribution.CategoryTotals;
import org.allocsim.reports.document.Sentence;

/**
 * Which changes of the program could lower its memory, by what that memory is for. These are upper
 * bounds of what a change removes, not savings: what is reserved then depends on all that remains.
 */
public final class RemedyHint {
  /** What holds less of allocated memory is not worth a change. */
  private static final double WORTH_RATIO = 0.1;

  private RemedyHint() {}

  /** The hint; empty where no change is known for what holds the memory. */
  public static Optional<Sentence> of(CategoryTotals categories) {
    long allBytes = categories.rows().stream().mapToLong(each -> each.group().blockBytes()).sum();
    List<Sentence> parts =
        categories.rows().stream()
            .filter(each -> each.group().blockBytes() >= WORTH_RATIO * allBytes)
            .flatMap(each -> part(each).stream())
            .toList();
    if (parts.isEmpty()) {
      return Optional.empty();
    }
    Sentence all = parts.getFirst();
    for (Sentence each : parts.subList(1, parts.size())) {
      all = Sentence.of("{}, {}", all, each);
    }
    return Optional.of(
        Sentence.of(
            "Changes to the program could save at most {}. 'allocsim advise -- python train.py'"
                + " tries them without a GPU and reports which make it fit.",
            all));
  }

  private static Optional<Sentence> part(CategoryTotals.Row row) {
    return how(row.category())
        .map(how -> Sentence.of("{} by {}", bytes(row.group().blockBytes()), how));
  }

  private static Optional<String> how(Category category) {
    return Optional.ofNullable(
        switch (category) {
          case SAVED_ACTIVATION -> "activation checkpointing, mixed precision or smaller batches";
          case OPTIMIZER_STATE -> "8-bit optimizer states or offloading them to the host";
          case GRADIENT -> "an optimizer step fused into the backward pass";
          case PARAMETER -> "16-bit parameters";
          default -> null;
        });
  }
}
