package org.allocsim.simulator.device;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class DeviceProfilesTest {
  private static final long GIB = 1L << 30;

  private static long ampleBytes(long peakRequestedBytes) {
    return DeviceProfiles.ample(peakRequestedBytes).capacityBytes();
  }

  @Test
  void ampleMemoryIsEightTimesThePeakInAPowerOfTwo() {
    assertEquals(1024 * GIB, ampleBytes(65 * GIB));
    assertEquals(1024 * GIB, ampleBytes(128 * GIB));
    assertEquals(2048 * GIB, ampleBytes(128 * GIB + 1));
  }

  @Test
  void ampleMemoryHasBounds() {
    assertEquals(512 * GIB, ampleBytes(0));
    assertEquals(512 * GIB, ampleBytes(64 * GIB));
    assertEquals(16_384 * GIB, ampleBytes(Long.MAX_VALUE));
  }
}
