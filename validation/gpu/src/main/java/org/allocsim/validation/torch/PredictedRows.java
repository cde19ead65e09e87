package org.allocsim.validation.torch;

import java.util.Arrays;
import java.util.Objects;
import org.allocsim.simulator.effect.EffectKind;
import org.allocsim.simulator.effect.EffectLog;
import org.jspecify.annotations.Nullable;

/**
 * How a prediction agrees with what was recorded, row by row up to the first row of another kind,
 * size or stream.
 *
 * <p>The free bytes of a failure are not compared: other processes use the GPU as well. Frees that
 * complete directly after each other, and segments that are released so, are compared as a set,
 * because PyTorch asks its streams, and releases private pools, in the order of hash maps.
 *
 * @param predicted number of rows that were predicted
 * @param recorded number of rows that were recorded
 * @param equal leading rows of the same kind, size and stream
 * @param difference the first row that differs, on both sides; null where none does
 * @param reordered whether in some such set the order was another one
 * @param addresses addresses compared, in these rows
 * @param equalAddresses those that are equal to the byte
 * @param addressDifference the first row with another address; null where none has
 */
public record PredictedRows(
    int predicted,
    int recorded,
    int equal,
    @Nullable String difference,
    boolean reordered,
    long addresses,
    long equalAddresses,
    @Nullable String addressDifference) {

  /** Whether all rows are as predicted, where they lie aside. */
  public boolean hasSameActions() {
    return difference == null;
  }

  /** Whether all rows are as predicted, addresses included. */
  public boolean exact() {
    return difference == null && addressDifference == null;
  }

  /**
   * Compares.
   *
   * @param streams stream number of the prediction by that of the recording, −1 for unknown ones
   */
  static PredictedRows of(EffectLog predicted, EffectLog recorded, int[] streams) {
    int most = Math.min(predicted.count(), recorded.count());
    int row = 0;
    long addresses = 0;
    long equalAddresses = 0;
    String addressDifference = null;
    boolean reordered = false;
    while (row < most) {
      int end = end(predicted, recorded, row, most);
      Row[] left = rows(predicted, row, end, null);
      Row[] right = rows(recorded, row, end, streams);
      if (!Arrays.equals(left, right)) {
        Arrays.sort(left);
        Arrays.sort(right);
        reordered |= Arrays.equals(left, right);
      }
      if (!sameActions(left, right)) {
        break;
      }
      for (int i = 0; i < left.length; i++) {
        if (left[i].kind == EffectKind.OOM || left[i].kind == EffectKind.SNAPSHOT) {
          continue;
        }
        addresses++;
        if (left[i].address == right[i].address) {
          equalAddresses++;
        } else if (addressDifference == null) {
          addressDifference =
              "row %d: predicted %s, recorded %s".formatted(row + i, left[i], right[i]);
        }
      }
      row = end;
    }
    boolean all = row == predicted.count() && row == recorded.count();
    return new PredictedRows(
        predicted.count(),
        recorded.count(),
        row,
        all ? null : difference(predicted, recorded, row, streams),
        reordered,
        addresses,
        equalAddresses,
        addressDifference);
  }

  /** End of the run of rows without an order that begins at a row on both sides. */
  private static int end(EffectLog predicted, EffectLog recorded, int row, int most) {
    int end = row;
    EffectKind kind = predicted.kind(row);
    boolean ordered =
        switch (kind) {
          case FREE_COMPLETED, SEGMENT_FREE, SEGMENT_UNMAP -> false;
          default -> true;
        };
    while (!ordered && end < most && predicted.kind(end) == kind && recorded.kind(end) == kind) {
      end++;
    }
    return Math.max(end, row + 1);
  }

  private record Row(EffectKind kind, long address, long bytes, int stream)
      implements Comparable<Row> {
    @Override
    public int compareTo(Row other) {
      int order = Long.compareUnsigned(address, other.address);
      return order != 0 ? order : Long.compare(bytes, other.bytes);
    }

    @Override
    public String toString() {
      return "%s of %d at %s on stream %d"
          .formatted(kind.action(), bytes, Long.toUnsignedString(address), stream);
    }
  }

  private static Row row(EffectLog log, int row, int @Nullable [] streams) {
    int stream = log.kind(row) == EffectKind.SNAPSHOT ? 0 : log.stream(row);
    return new Row(
        log.kind(row),
        log.address(row),
        log.bytes(row),
        streams == null || log.kind(row) == EffectKind.SNAPSHOT ? stream : streams[stream]);
  }

  private static Row[] rows(EffectLog log, int from, int to, int @Nullable [] streams) {
    Row[] rows = new Row[to - from];
    for (int i = 0; i < rows.length; i++) {
      rows[i] = row(log, from + i, streams);
    }
    return rows;
  }

  private static boolean sameActions(Row[] left, Row[] right) {
    for (int i = 0; i < left.length; i++) {
      if (left[i].kind != right[i].kind
          || left[i].bytes != right[i].bytes
          || left[i].stream != right[i].stream) {
        return false;
      }
    }
    return true;
  }

  private static String difference(
      EffectLog predicted, EffectLog recorded, int row, int[] streams) {
    String nothing = "nothing";
    String left = row < predicted.count() ? row(predicted, row, null).toString() : nothing;
    String right = row < recorded.count() ? row(recorded, row, streams).toString() : nothing;
    if (Objects.equals(left, right)) {
      return "rows from %d on: frees or releases that were not predicted together".formatted(row);
    }
    return "row %d: predicted %s, recorded %s".formatted(row, left, right);
  }
}
