package org.allocsim.workloads.source;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.workloads.profile.ShippedProfiles;
import org.junit.jupiter.api.Test;

class ReservedRangesTest {
  private static final long MIB = 1L << 20;

  @Test
  void neighboursOnAnH100LieWhereTheyWereRecorded() {
    long total = DeviceProfiles.defaultProfile().totalBytes();
    assertEquals(91_232 * MIB, ReservedRanges.distance(total, 2 * MIB));
    assertEquals(91_232 * MIB, ReservedRanges.distance(total, 20 * MIB));
  }

  @Test
  void distancesOnGpusOfOtherSizesDiffer() {
    assertNotEquals(
        ReservedRanges.distance(ShippedProfiles.named("a100-40gb").totalBytes(), 2 * MIB),
        ReservedRanges.distance(ShippedProfiles.named("a100-80gb").totalBytes(), 2 * MIB));
  }

  @Test
  void recordingsWithExpandableSegmentsShowTheGpuTheyAreFrom() throws Exception {
    Path folder =
        Path.of(System.getProperty("allocsim.recordings", "../../shared/recordings"))
            .resolve("pytorch-fuzz");
    assumeTrue(Files.isDirectory(folder), "there are no recordings in " + folder);
    int known = 0;
    for (Path file : files(folder)) {
      TraceSource source = TraceSource.open(file.toString(), null, (_, _) -> {});
      OptionalLong total = ReservedRanges.totalBytes(source.snapshot().orElseThrow());
      if (total.isPresent()) {
        known++;
        assertEquals(DeviceProfiles.defaultProfile().totalBytes(), total.getAsLong());
      }
    }
    assertEquals(14, known);
  }

  private static Iterable<Path> files(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> file.toString().endsWith(".pickle.xz")).sorted().toList();
    }
  }
}
