package org.allocsim.workloads.format.pytorch.derive;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.policy.pytorch.conf.ConfigParser;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DeviceFailureTest {
  private static final long KIB = 1L << 10;

  /**
   * The first of each setting were refused by an H200 that another process had filled, with PyTorch
   * 2.11: a segment of 120 MiB with 121.56 MiB free, two pages of 20 MiB with 39.56 MiB free.
   */
  @ParameterizedTest
  @CsvSource({
    "'', 121152, 124480, 122879",
    "'', 121152, 120000, 120000",
    "'', 121152, 124928, -1",
    "'', 121152, -1, -1",
    "expandable_segments:True, 37824, 40512, 40512",
    "expandable_segments:True, 37824, 43008, -1",
    "expandable_segments:True, 500, 3000, 2047",
    "expandable_segments:True, 500, 4096, -1",
  })
  void theDeviceCanRefuseWhatItsFreeMemoryHardlyHolds(
      String conf, long wantedKib, long freeKib, long maxKib) throws Exception {
    var config = ConfigParser.parse(conf, PyTorchVersion.V2_11).allocator();
    long held = 1000 * KIB;
    long most = DeviceFailure.maxBytes(held, wantedKib * KIB, freeKib * KIB, config);
    assertEquals(maxKib, most == Long.MAX_VALUE ? -1 : (most - held) / KIB);
  }
}
