package org.allocsim.workloads.format.pytorch;

import static org.allocsim.workloads.format.pytorch.SnapshotData.event;
import static org.allocsim.workloads.format.pytorch.SnapshotData.frame;
import static org.allocsim.workloads.format.pytorch.SnapshotData.list;
import static org.allocsim.workloads.format.pytorch.SnapshotData.snapshot;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayInputStream;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.allocsim.simulator.effect.EffectKind;
import org.allocsim.simulator.effect.EffectLog;
import org.allocsim.workloads.format.Progress;
import org.allocsim.workloads.format.pytorch.PickleWriter.Tuple;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A history that was read takes 32 bytes an event at most, the stacks that it shares aside. */
class HistoryMemoryTest {
  /** Whole pieces of columns, none of which has room left. */
  private static final int EVENTS = 2 * EffectLog.PIECE_ROWS;

  /** What is noted beside the columns: a count for each kind, and room for rows of segments. */
  private static final long NOTED_BYTES = Integer.BYTES * (EffectKind.values().length + 16L);

  private static final Map<Class<?>, Integer> ELEMENT_BYTES =
      Map.of(byte.class, 1, short.class, 2, int.class, 4, long.class, 8);

  /** Bytes in the columns of an object and of the objects of ours that it refers to. */
  private static long columnBytes(Object object) throws IllegalAccessException {
    long bytes = 0;
    for (Field field : object.getClass().getDeclaredFields()) {
      if (Modifier.isStatic(field.getModifiers()) || field.getType().isPrimitive()) {
        continue;
      }
      field.setAccessible(true);
      Object value = field.get(object);
      if (value != null && value.getClass().isArray()) {
        bytes += arrayBytes(value);
      } else if (value != null && value.getClass().getName().startsWith("org.allocsim.")) {
        bytes += columnBytes(value);
      }
    }
    return bytes;
  }

  private static long arrayBytes(Object array) {
    Integer elementBytes = ELEMENT_BYTES.get(array.getClass().getComponentType());
    if (elementBytes != null) {
      return (long) Array.getLength(array) * elementBytes;
    }
    return Stream.of((Object[]) array).mapToLong(HistoryMemoryTest::arrayBytes).sum();
  }

  @ParameterizedTest
  @CsvSource({"false, 0, 27", "true, 0, 31", "true, 1, 32", "true, 127, 32", "true, 128, 33"})
  void anEventTakesItsColumnsAndNothingElse(boolean stacks, int pools, int bytesPerEvent)
      throws Exception {
    List<Object> history = list();
    for (int i = 0; i < EVENTS; i++) {
      Map<String, Object> entry = event("alloc", (1L << 40) + i, i, 1L << 50);
      if (stacks) {
        entry.put("frames", list(frame("model.py", i, "forward")));
      }
      if (pools > 0) {
        entry.put("pool_id", new Tuple(0, i % pools));
      }
      history.add(entry);
    }
    byte[] file = PickleWriter.pickle(snapshot(history), 4);
    Snapshot read =
        SnapshotReader.read(new ByteArrayInputStream(file), "test.pickle", Progress.NONE);
    assertEquals(EVENTS, read.eventCount());
    assertEquals(
        (long) bytesPerEvent * EVENTS + NOTED_BYTES, columnBytes(read.devices().getFirst()));
  }
}
