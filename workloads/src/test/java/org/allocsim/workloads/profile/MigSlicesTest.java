package org.allocsim.workloads.profile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.allocsim.simulator.device.DeviceProfile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MigSlicesTest {
  /** Sizes in GiB that {@code nvidia-smi mig -lgip} lists. */
  @ParameterizedTest
  @CsvSource({
    "h100-80gb 1g.10gb, 9.75",
    "H100 1g.20gb, 19.62",
    "NVIDIA H100 80GB HBM3 MIG 2g.20gb, 19.62",
    "h100:3g.40gb, 39.50",
    "h100 3g.40gb+me, 39.50",
    "h200 1g.18gb, 16.00",
    "h200 2g.35gb, 32.50",
    "h100-nvl 1g.12gb, 10.62",
    "h100-nvl 2g.24gb, 21.50",
    "h100-nvl 3g.47gb, 46.12",
    "h100-nvl 7g.94gb, 92.62",
    "a100-80gb 1g.10gb, 9.50",
    "a100-80gb 2g.20gb, 19.50",
    "a100-80gb 3g.40gb, 39.25",
    "a100-80gb 7g.80gb, 79.00",
    "a100-40gb 1g.5gb, 4.75",
    "a100-40gb 2g.10gb, 9.62",
    "a100-40gb 3g.20gb, 19.50",
    "a100-40gb 7g.40gb, 39.25",
    "a30 1g.6gb, 5.81",
    "a30 2g.12gb, 11.68",
    "a30 4g.24gb, 23.43",
  })
  void aSliceHasTheSizeThatTheDriverLists(String name, double gib) {
    DeviceProfile slice = ShippedProfiles.named(name);
    assertEquals(gib, Math.floor(slice.totalBytes() / (double) (1L << 30) * 100) / 100);
    assertTrue(slice.source().contains("nvidia-smi mig -lgip lists it"), slice.source());
  }

  @ParameterizedTest
  @CsvSource({"b200 1g.23gb, 1", "b200 3g.90gb, 4", "b200 7g.180gb, 8", "h200 4g.71gb, 4"})
  void aSliceOfUnknownSizeHasItsShareInWholePages(String name, long eighths) {
    DeviceProfile slice = ShippedProfiles.named(name);
    DeviceProfile gpu = ShippedProfiles.named(name.substring(0, name.indexOf(' ')));
    long share = gpu.totalBytes() / 8 * eighths;
    assertTrue(slice.totalBytes() <= share && slice.totalBytes() > share - gpu.pageBytes());
    assertEquals(name, slice.name());
    assertEquals(gpu.contextBytes(), slice.contextBytes());
    assertTrue(slice.source().contains("computed as a fraction"), slice.source());
  }

  @Test
  void whatIsNoSliceIsNamed() {
    assertEquals(
        "h100-80gb has no slice 3g.71gb; did you mean '3g.40gb'?",
        assertThrows(IllegalArgumentException.class, () -> ShippedProfiles.named("h100 3g.71gb"))
            .getMessage());
    assertTrue(
        assertThrows(IllegalArgumentException.class, () -> ShippedProfiles.named("t4 1g.4gb"))
            .getMessage()
            .startsWith("t4 has no known MIG slices; GPUs with slices: a100-40gb"));
    assertThrows(IllegalArgumentException.class, () -> ShippedProfiles.named("nothing 1g.10gb"));
  }
}
