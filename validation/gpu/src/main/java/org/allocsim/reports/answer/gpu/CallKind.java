package org.allocsim.reports.answer.gpu;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.allocsim.reports.document.Shape;
import org.allocsim.validation.torch.CallVerdict;

/**
 * The random sequences of allocator calls of one kind, in {@code validate pytorch}.
 *
 * @param kind what they try, such as {@code expandable}
 * @param verdicts one for each
 */
public record CallKind(String kind, List<CallVerdict> verdicts) {
  private static final int MAX_DIFFERENCES = 5;

  static final Shape<CallKind> SHAPE =
      Shape.of(row ->
          row.text("kind", "calls", "What the sequences test.", CallKind::kind)
              .count("sequences", "sequences", "Sequences.", each -> each.verdicts.size())
              .count(
                  "exact",
                  "exact",
                  "Sequences in which every event with its address, every statistic and every"
                      + " message is equal.",
                  CallKind::exact)
              .count(
                  "aborted",
                  "aborted",
                  "Sequences that PyTorch aborted with a failed assertion of its own or a crash;"
                      + " everything before an assertion is compared and equal unless listed in"
                      + " differences.",
                  each -> each.verdicts.stream().filter(CallVerdict::broken).count())
              .count(
                  "events",
                  "events",
                  "Events of PyTorch's allocator compared.",
                  each -> each.verdicts.stream().mapToLong(CallVerdict::events).sum())
              .count(
                  "failed_requests",
                  "failed requests",
                  "Failed requests whose messages were compared.",
                  each -> each.verdicts.stream().mapToLong(CallVerdict::failures).sum())
              .count(
                  "statistics",
                  "Statistics compared.",
                  each -> each.verdicts.stream().mapToLong(CallVerdict::statistics).sum())
              .texts("differences", "The first differences.", CallKind::differences));

  /** The verdicts by kind, in the order of their first appearance. */
  public static List<CallKind> of(Collection<CallVerdict> verdicts) {
    Map<String, List<CallVerdict>> kinds = new LinkedHashMap<>();
    for (CallVerdict verdict : verdicts) {
      kinds.merge(
          verdict.kind(),
          List.of(verdict),
          (some, more) -> Stream.concat(some.stream(), more.stream()).toList());
    }
    return kinds.entrySet().stream()
        .map(each -> new CallKind(each.getKey(), each.getValue()))
        .toList();
  }

  long exact() {
    return verdicts.stream().filter(each -> each.difference() == null && !each.broken()).count();
  }

  /** The first sequences that differ, with what makes them anew. */
  List<String> differences() {
    return verdicts.stream()
        .filter(each -> Objects.nonNull(each.difference()))
        .limit(MAX_DIFFERENCES)
        .map(each ->
            "%s, seed %d%s: %s"
                .formatted(
                    kind,
                    each.seed(),
                    each.conf().isEmpty() ? "" : " with " + each.conf(),
                    each.difference()))
        .toList();
  }
}
