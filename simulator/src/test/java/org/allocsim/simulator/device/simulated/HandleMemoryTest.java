package org.allocsim.simulator.device.simulated;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.device.HandleMemory;
import org.allocsim.simulator.device.cost.DriverCall;
import org.allocsim.simulator.device.cost.DriverCosts;
import org.allocsim.simulator.device.cost.HandleCosts;
import org.junit.jupiter.api.Test;

/** Physical memory apart from the addresses that it is mapped at. */
class HandleMemoryTest {
  private static final long MIB = 1L << 20;
  private static final long PAGE = 2 * MIB;

  private final SimulatedDevice device = new SimulatedDevice(DeviceProfiles.ofCapacity(100 * MIB));
  private final HandleMemory memory = device.handleMemory().orElseThrow();
  private final long[] handles = new long[60];

  @Test
  void memoryIsTakenByCreationAndMappingItTwiceTakesNoMore() {
    assertTrue(memory.create(handles, 0, 10, PAGE));
    assertEquals(80 * MIB, device.freeBytes());
    long first = device.reserve(20 * MIB, PAGE, 0);
    long second = device.reserve(10 * MIB, PAGE, 0);
    memory.map(first, handles, 0, 10, PAGE);
    memory.map(second, handles, 5, 5, PAGE);
    assertEquals(80 * MIB, device.freeBytes());
    assertEquals(10, device.driverCalls(DriverCall.CREATE));
    assertEquals(15, device.driverCalls(DriverCall.MAP));
    assertEquals(15, device.driverCalls(DriverCall.SET_ACCESS));
    HandleCosts costs = DriverCosts.H100.handles();
    assertEquals(
        2 * costs.reserveNanos()
            + 10 * costs.createNanos(1)
            + 15 * (costs.mapNanos(1) + costs.setAccessNanos(1, 1)),
        device.driverNanos());
  }

  @Test
  void memoryIsFreeWhenItIsReleasedAndMappedNowhere() {
    memory.create(handles, 0, 10, PAGE);
    long first = device.reserve(20 * MIB, PAGE, 0);
    long second = device.reserve(10 * MIB, PAGE, 0);
    memory.map(first, handles, 0, 10, PAGE);
    memory.map(second, handles, 5, 5, PAGE);
    memory.release(handles, 0, 10, PAGE);
    assertEquals(80 * MIB, device.freeBytes());
    memory.unmap(first, handles, 0, 10, PAGE);
    assertEquals(90 * MIB, device.freeBytes(), "five pages are still mapped at the second place");
    memory.unmap(second, handles, 5, 5, PAGE);
    assertEquals(100 * MIB, device.freeBytes());
    device.unreserve(first, 20 * MIB);
    device.unreserve(second, 10 * MIB);
  }

  @Test
  void creationIsAllOrNothing() {
    assertTrue(memory.create(handles, 0, 40, PAGE));
    assertFalse(memory.create(handles, 40, 11, PAGE));
    assertEquals(20 * MIB, device.freeBytes());
    assertEquals(40 + 11, device.driverCalls(DriverCall.CREATE), "ten and the refused one");
    assertEquals(10, device.driverCalls(DriverCall.RELEASE));
    assertEquals(DeviceMemory.REFUSED, device.allocate(21 * MIB));
  }

  @Test
  void whatTheDriverWouldCallInvalidIsRefused() {
    long range = device.reserve(20 * MIB, PAGE, 0);
    memory.create(handles, 0, 4, PAGE);
    memory.map(range, handles, 0, 2, PAGE);
    assertInvalid(() -> memory.map(range + PAGE, handles, 2, 1, PAGE), "already mapped");
    assertInvalid(() -> memory.map(range + 20 * MIB, handles, 2, 1, PAGE), "not inside");
    assertInvalid(() -> memory.map(range + 4 * MIB, handles, 4, 1, 2 * PAGE), "bytes, not");
    assertInvalid(() -> memory.unmap(range, handles, 1, 1, PAGE), "not mapped at");
    assertInvalid(() -> memory.unmap(range + 4 * MIB, handles, 2, 1, PAGE), "not mapped at");
    assertInvalid(() -> memory.create(handles, 0, 1, MIB), "not a positive number of multiples");
    assertInvalid(() -> memory.create(handles, 0, 0, PAGE), "not a positive number of multiples");
    assertInvalid(() -> device.unreserve(range, 20 * MIB), "still has memory");
    memory.release(handles, 3, 1, PAGE);
    assertInvalid(() -> memory.release(handles, 3, 1, PAGE), "does not exist");
    assertInvalid(() -> memory.map(range + 4 * MIB, handles, 3, 1, PAGE), "does not exist");
  }

  private static void assertInvalid(Runnable call, String words) {
    String message = assertThrows(IllegalArgumentException.class, call::run).getMessage();
    assertTrue(message.contains(words), message);
  }
}
