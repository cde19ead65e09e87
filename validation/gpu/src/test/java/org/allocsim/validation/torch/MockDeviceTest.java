package org.allocsim.validation.torch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.allocsim.simulator.device.DeviceMemory;
import org.junit.jupiter.api.Test;

class MockDeviceTest {
  private static final long PAGE = 2L << 20;
  private static final long BASE = 0x2400_0000_0000L;

  @Test
  void freeBytesAreCountedInPages() {
    MockDevice device = new MockDevice(4 * PAGE, 0);
    long address = device.allocate(PAGE + 1);
    assertEquals(2 * PAGE, device.freeBytes());
    assertEquals(DeviceMemory.REFUSED, device.allocate(2 * PAGE + 1));
    device.free(address, PAGE + 1);
    assertEquals(4 * PAGE, device.freeBytes());
  }

  @Test
  void segmentsDescendIntoTheHighestGapThatFits() {
    MockDevice device = new MockDevice(100 * PAGE, 0);
    assertEquals(BASE - 4 * PAGE, device.allocate(4 * PAGE));
    assertEquals(BASE - 5 * PAGE, device.allocate(PAGE));
    device.free(BASE - 4 * PAGE, 4 * PAGE);
    assertEquals(BASE - 10 * PAGE, device.allocate(5 * PAGE));
    assertEquals(BASE - 3 * PAGE, device.allocate(3 * PAGE));
    assertEquals(BASE - 4 * PAGE, device.allocate(PAGE));
  }

  @Test
  void everySecondSegmentAscendsWhereSoAsked() {
    MockDevice device = new MockDevice(100 * PAGE, 2);
    assertEquals(BASE - PAGE, device.allocate(PAGE));
    assertEquals(BASE, device.allocate(PAGE));
    assertEquals(BASE - 2 * PAGE, device.allocate(PAGE));
    assertEquals(BASE + PAGE, device.allocate(PAGE));
    device.free(BASE, PAGE);
    device.allocate(PAGE);
    assertEquals(BASE, device.allocate(PAGE));
  }

  @Test
  void rangesAreTheLowestThatAreFreeInUnitsOf16Pages() {
    MockDevice device = new MockDevice(100 * PAGE, 0);
    long first = device.reserve(17 * PAGE, PAGE, 0);
    long second = device.reserve(PAGE, PAGE, 0);
    assertEquals(0x1000_0000_0000L, first);
    assertEquals(first + 32 * PAGE, second);
    device.unreserve(first, 17 * PAGE);
    assertEquals(second + 16 * PAGE, device.reserve(33 * PAGE, PAGE, 0));
    assertEquals(first, device.reserve(PAGE, PAGE, 0));
  }

  @Test
  void mappedMemoryCounts() {
    MockDevice device = new MockDevice(3 * PAGE, 0);
    assertTrue(device.map(0, 2 * PAGE, PAGE));
    assertFalse(device.map(2 * PAGE, 2 * PAGE, PAGE));
    device.unmap(0, PAGE, PAGE);
    assertEquals(2 * PAGE, device.freeBytes());
  }

  @Test
  void whatIsNotThereCannotBeFreed() {
    assertThrows(IllegalArgumentException.class, () -> new MockDevice(PAGE, 0).free(1, PAGE));
  }
}
