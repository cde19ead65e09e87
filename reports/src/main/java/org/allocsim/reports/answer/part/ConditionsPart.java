package org.allocsim.reports.answer.part;

import org.allocsim.analysis.recording.RecordedConditions;
import org.allocsim.reports.document.Facts;
import org.allocsim.reports.document.Quantity;
import org.allocsim.reports.document.Sentence;
import org.allocsim.reports.document.Shape;

/** On which device and under which limit a program runs, and how that is known. */
public final class ConditionsPart {
  public static final Shape<RecordedConditions> SHAPE =
      Shape.of(part ->
          part.term(Columns.DEVICE, each -> each.profile().name())
              .term(Columns.DEVICE_BYTES, each -> each.profile().totalBytes())
              .term(Columns.CAPACITY_BYTES, each -> each.profile().capacityBytes())
              .term(
                  Columns.LIMIT_BYTES,
                  each -> each.limitBytes() < 0 ? null : Long.valueOf(each.limitBytes()))
              .missing("there is none")
              .bytes(
                  "min_limit_bytes",
                  "Smallest possible limit, if the recording only bounds it between two sizes.",
                  each -> each.minLimitBytes() < 0 ? null : Long.valueOf(each.minLimitBytes()))
              .missing("there is none")
              .texts(
                  "inferred",
                  "What the recording reveals about device and limit, and how.",
                  RecordedConditions::evidence));

  private ConditionsPart() {}

  /** For people: these facts and those about device and limit. */
  public static Facts facts(Facts facts, RecordedConditions recordedConditions) {
    long limitBytes = recordedConditions.limitBytes();
    Facts device =
        facts.and(
            "device",
            "{}, {} for the program, {}",
            recordedConditions.profile().name(),
            Quantity.bytes(recordedConditions.profile().capacityBytes()),
            limitBytes < 0 ? "no limit" : Sentence.of("limit {}", Quantity.exactBytes(limitBytes)));
    return recordedConditions.evidence().isEmpty()
        ? device
        : device.and("inferred", "{}", String.join("; ", recordedConditions.evidence()));
  }
}
