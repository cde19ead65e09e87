package org.allocsim.simulator.effect;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Logs of more rows than a piece of their columns holds. */
final class EffectLogTest {
  private static final int ROWS = 3 * EffectLog.PIECE_ROWS + 17;
  private static final EffectKind[] KINDS = EffectKind.values();

  private record Row(EffectKind kind, long address, long bytes, int stream) {}

  private final List<Row> rows = new ArrayList<>();
  private final EffectLog log = new EffectLog();

  private void fill(int count) {
    Random random = new Random(1);
    for (int i = 0; i < count; i++) {
      Row row =
          new Row(
              KINDS[random.nextInt(KINDS.length)],
              random.nextLong(),
              random.nextLong(),
              random.nextInt(5));
      rows.add(row);
      log.add(row.kind, row.address, row.bytes, row.stream);
    }
  }

  private Row row(int row) {
    return new Row(log.kind(row), log.address(row), log.bytes(row), log.stream(row));
  }

  private List<Row> all() {
    List<Row> all = new ArrayList<>();
    for (int row = 0; row < log.count(); row++) {
      all.add(row(row));
    }
    return all;
  }

  @Test
  void everyRowStaysAsItWasAdded() {
    for (int count : new int[] {1, 63, 1, EffectLog.PIECE_ROWS - 65, 1, ROWS}) {
      fill(count);
      assertEquals(rows, all());
    }
  }

  @Test
  void rowsOfNoBlockAreFoundInOrder() {
    fill(ROWS);
    List<Row> others = new ArrayList<>();
    for (int i = 0; i < log.otherCount(); i++) {
      others.add(row(log.otherRow(i)));
    }
    assertEquals(
        rows.stream()
            .filter(row -> row.kind != EffectKind.ALLOC)
            .filter(row -> row.kind != EffectKind.FREE_REQUESTED)
            .filter(row -> row.kind != EffectKind.FREE_COMPLETED)
            .toList(),
        others);
  }

  @Test
  void rowsOfEveryKindAreCounted() {
    fill(ROWS);
    for (EffectKind kind : KINDS) {
      assertEquals(
          rows.stream().filter(row -> row.kind == kind).count(), log.count(kind), kind::action);
    }
  }

  @Test
  void streamsGetOtherNumbersInAllPieces() {
    fill(ROWS);
    boolean[] used = new boolean[6];
    log.markStreams(used);
    log.renumberStreams(new short[] {3, 4, 0, 1, 2});
    assertEquals(
        List.of(true, true, true, true, true, false),
        List.of(used[0], used[1], used[2], used[3], used[4], used[5]));
    assertEquals(
        rows.stream()
            .map(row -> new Row(row.kind, row.address, row.bytes, (row.stream + 3) % 5))
            .toList(),
        all());
  }
}
