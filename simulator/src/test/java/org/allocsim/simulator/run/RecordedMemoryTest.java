package org.allocsim.simulator.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.EnumMap;
import java.util.Map;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.device.cost.DriverCall;
import org.allocsim.simulator.effect.EffectKind;
import org.allocsim.simulator.effect.EffectLog;
import org.allocsim.simulator.policy.MemoryLayout;
import org.junit.jupiter.api.Test;

class RecordedMemoryTest {
  private static final long PAGE = 2 << 20;
  private static final long OWN = 1L << 60;

  private final EffectLog log = new EffectLog();
  private int row;
  private final RecordedMemory memory =
      new RecordedMemory(log, new MemoryLayout.Builder().build(), () -> row, 999);

  private void assertCalls(Map<DriverCall, Long> expected) {
    Map<DriverCall, Long> calls = new EnumMap<>(DriverCall.class);
    for (DriverCall call : DriverCall.values()) {
      if (memory.calls(call) > 0) {
        calls.put(call, memory.calls(call));
      }
    }
    assertEquals(expected, calls);
  }

  @Test
  void theRecordingAnswersAndEveryCallCounts() {
    log.add(EffectKind.SEGMENT_ALLOC, 4096, 100, 0);
    log.add(EffectKind.SEGMENT_MAP, 8192, 6 * PAGE, 0);
    log.add(EffectKind.OOM, 77, 1, 0);
    assertEquals(3, memory.effectCount());
    assertEquals(4096, memory.allocate(100));
    assertEquals(DeviceMemory.REFUSED, memory.allocate(200));
    memory.free(4096, 100);
    assertCalls(Map.of(DriverCall.ALLOCATE, 2L, DriverCall.FREE, 1L));
    assertEquals(0, memory.freeBytes());
    row = 1;
    assertEquals(8192, memory.reserve(10 * PAGE, 2 * PAGE, 0));
    assertTrue(memory.map(8192, 6 * PAGE, 2 * PAGE));
    assertFalse(memory.map(8192, 4 * PAGE, 2 * PAGE));
    memory.unmap(8192, 6 * PAGE, 2 * PAGE);
    memory.unreserve(8192, 10 * PAGE);
    assertCalls(
        Map.of(
            DriverCall.ALLOCATE, 2L,
            DriverCall.FREE, 1L,
            DriverCall.ADDRESS_RESERVE, 1L,
            DriverCall.ADDRESS_FREE, 1L,
            DriverCall.CREATE, 4L,
            DriverCall.MAP, 3L,
            DriverCall.SET_ACCESS, 1L,
            DriverCall.UNMAP, 3L,
            DriverCall.RELEASE, 3L));
    row = 2;
    assertEquals(77, memory.freeBytes());
    assertEquals(999, memory.totalBytes());
    // The range was given back, so a mapping in it belongs to a new one.
    row = 1;
    assertEquals(8192, memory.reserve(10 * PAGE, 2 * PAGE, 0));
  }

  @Test
  void oneWhoLeftTheRecordingHasFreeBytesAndAddressesOfItsOwn() {
    memory.leaveRecording(100);
    assertEquals(OWN, memory.allocate(60));
    assertEquals(40, memory.freeBytes());
    assertEquals(DeviceMemory.REFUSED, memory.allocate(41));
    assertEquals(OWN + 60, memory.allocate(40));
    assertEquals(0, memory.freeBytes());
    memory.free(OWN, 60);
    assertEquals(60, memory.freeBytes());
    assertEquals(OWN + 100, memory.reserve(1000, 10, 0));
    assertFalse(memory.map(OWN + 100, 70, 10));
    assertTrue(memory.map(OWN + 100, 60, 10));
    assertEquals(0, memory.freeBytes());
    memory.unmap(OWN + 100, 20, 10);
    assertEquals(20, memory.freeBytes());
    memory.unreserve(OWN + 100, 1000);
    assertEquals(OWN + 1100, memory.allocate(20));
    assertEquals(999, memory.totalBytes());
  }
}
