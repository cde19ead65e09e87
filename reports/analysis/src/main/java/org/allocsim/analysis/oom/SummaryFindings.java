package org.allocsim.analysis.oom;

import static org.allocsim.analysis.oom.PrintedSize.describe;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.allocsim.analysis.oom.OomMessage.Amount;
import org.allocsim.analysis.oom.SummaryTable.Row;
import org.jspecify.annotations.Nullable;

/** What a table of {@code torch.cuda.memory_summary()} adds to a message. */
final class SummaryFindings {
  /** Less than this is not worth a word. */
  private static final double MIN_BYTES = 2 * 0x1p20;

  private final OomMessage message;

  /** Null without one. */
  private final @Nullable SummaryTable table;

  SummaryFindings(OomMessage message, @Nullable SummaryTable table) {
    this.message = message;
    this.table = table;
  }

  /** The message, with sizes from the table where it lacks them. */
  OomMessage completed() {
    Map<Amount, PrintedSize> more = missing();
    return more.isEmpty() ? message : message.with(more);
  }

  private Map<Amount, PrintedSize> missing() {
    Map<Amount, PrintedSize> more = new EnumMap<>(Amount.class);
    if (table == null || message.bytes(Amount.REQUEST).isEmpty()) {
      return more;
    }
    if (message.bytes(Amount.ALLOCATED).isEmpty()) {
      table.bytes(Row.ALLOCATED).ifPresent(bytes -> more.put(Amount.ALLOCATED, size(bytes)));
    }
    if (message.cached().isEmpty()) {
      table.bytes(Row.RESERVED).ifPresent(bytes -> more.put(Amount.RESERVED, size(bytes)));
    }
    return more;
  }

  private static PrintedSize size(ByteRange bytes) {
    return new PrintedSize(describe(bytes.value()), bytes);
  }

  /** Sentences about the table; none without one. */
  List<String> sentences() {
    List<String> sentences = new ArrayList<>();
    if (table == null) {
      return sentences;
    }
    String place = "memory_summary() in line " + table.line();
    if (!missing().isEmpty()) {
      sentences.add("Figures missing in the message are taken from " + place + ".");
    } else if (!table.isOfTheMomentOf(message)) {
      sentences.add(
          "%s is from another moment: it shows %s allocated of %s reserved."
              .formatted(place, text(table, Row.ALLOCATED), text(table, Row.RESERVED)));
    }
    if (table.isComplete()) {
      sentences.add(split(table, place));
      addMeaning(table, sentences);
    }
    return sentences;
  }

  private static String text(SummaryTable table, Row row) {
    return table.bytes(row).map(bytes -> describe(bytes.value())).orElse("an unknown part");
  }

  private static String split(SummaryTable table, String place) {
    StringBuilder text =
        new StringBuilder(place)
            .append(" breaks down reserved but unallocated memory: ")
            .append(describe(value(table.bytes(Row.NON_RELEASABLE))))
            .append(" in free parts of segments in use, ")
            .append(describe(value(table.releasableBytes())))
            .append(" in whole free segments");
    double awaiting = value(table.awaitingBytes());
    if (awaiting >= MIN_BYTES) {
      text.append(", ").append(describe(awaiting)).append(" freed but still in use on a stream");
    }
    double rounding = value(table.roundingBytes());
    if (rounding >= MIN_BYTES) {
      text.append("; rounding accounts for ")
          .append(describe(rounding))
          .append(" of allocated memory");
    }
    return text.append('.').toString();
  }

  private void addMeaning(SummaryTable table, List<String> sentences) {
    if (!table.isOfTheMomentOf(message)) {
      return;
    }
    double request = value(message.bytes(Amount.REQUEST));
    double awaiting = value(table.awaitingBytes());
    if (awaiting >= Math.max(MIN_BYTES, request)) {
      sentences.add(
          "Freed memory still in use on another stream would be enough: record_stream() holds it"
              + " until the device is done. Synchronize that stream, or avoid record_stream().");
    }
    double releasable = value(table.releasableBytes());
    double pools = value(message.bytes(Amount.PRIVATE_POOLS));
    if (releasable >= MIN_BYTES && releasable <= pools + MIN_BYTES) {
      sentences.add("The whole free segments belong to private pools.");
    }
  }

  private static double value(Optional<ByteRange> bytes) {
    return bytes.map(ByteRange::value).orElse(0.0);
  }
}
