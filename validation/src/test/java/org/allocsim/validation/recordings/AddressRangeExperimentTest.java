package org.allocsim.validation.recordings;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.StreamOrderedMemory;
import org.allocsim.simulator.device.simulated.SimulatedDevice;
import org.allocsim.workloads.profile.ShippedProfiles;
import org.junit.jupiter.api.Test;
import org.tukaani.xz.XZInputStream;

/**
 * Experiments on the address space of a process with an H200 (driver 580): ranges reserved and
 * given back, of sizes around the driver's units, as large as PyTorch's, with memory mapped in
 * them, between blocks, around the pool. One address of each process is taken from the recording.
 *
 * <p>Lines: {@code R} and {@code U} reserve and give back a range, {@code A} allocates, {@code M}
 * and {@code N} map and unmap, {@code P} takes memory from the pool; then MiB and the address.
 */
class AddressRangeExperimentTest {
  private static final long MIB = 1L << 20;
  private static final long PAGE = DeviceProfile.PAGE_BYTES;
  private static final long UNIT = DeviceProfile.RESERVATION_BYTES;

  /** Where the last page of the bare context's local memory lies, below the arena. */
  private static final long SPARE_PAGE_DISTANCE = 37 * PAGE;

  private record Call(char op, long bytes, long address) {}

  @Test
  void everyRangeLiesWhereTheDriverPutIt() throws IOException {
    int rows = 0;
    for (Map.Entry<String, List<Call>> experiment : experiments().entrySet()) {
      rows += replay(experiment.getKey(), experiment.getValue());
    }
    assertEquals(4_449, rows);
  }

  private static Map<String, List<Call>> experiments() throws IOException {
    Map<String, List<Call>> experiments = new LinkedHashMap<>();
    List<Call> calls = null;
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(
                new XZInputStream(
                    AddressRangeExperimentTest.class.getResourceAsStream(
                        "/cuda-ranges/h200.txt.xz")),
                StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.startsWith("# ")) {
          calls = new ArrayList<>();
          experiments.put(line.substring(2), calls);
        } else {
          String[] words = line.split(" ");
          calls.add(
              new Call(
                  words[0].charAt(0),
                  Long.parseLong(words[1]) * MIB,
                  Long.parseUnsignedLong(words[2], 16)));
        }
      }
    }
    return experiments;
  }

  private static DeviceProfile process(List<Call> calls) {
    DeviceProfile h200 = ShippedProfiles.named("h200");
    for (Call call : calls) {
      if (call.address() > 1L << 46) {
        long offset = call.address() % UNIT;
        if (offset == 4 * PAGE) {
          return at(h200, call.address());
        }
        if (offset == 15 * PAGE) {
          return at(h200, call.address() + SPARE_PAGE_DISTANCE);
        }
      }
    }
    return h200;
  }

  private static DeviceProfile at(DeviceProfile h200, long arenaAddress) {
    DeviceProfile profile = h200.withAddresses(arenaAddress, arenaAddress - 260 * PAGE);
    return h200.withAddresses(arenaAddress, profile.localMemoryAddress());
  }

  private static int replay(String name, List<Call> calls) {
    SimulatedDevice device = new SimulatedDevice(process(calls));
    StreamOrderedMemory pool = device.streamOrdered().orElseThrow();
    Map<Long, Long> ranges = new HashMap<>();
    int row = 0;
    for (Call call : calls) {
      String place = name + ", call " + row++;
      long bytes = call.bytes();
      switch (call.op()) {
        case 'R' -> {
          assertEquals(call.address(), device.reserve(bytes, PAGE, 0), place);
          ranges.put(call.address(), bytes);
        }
        case 'U' -> device.unreserve(call.address(), ranges.remove(call.address()));
        case 'A' -> assertEquals(call.address(), device.allocate(bytes), place);
        case 'M' -> device.map(call.address(), bytes, PAGE);
        case 'N' -> device.unmap(call.address(), bytes, PAGE);
        case 'P' -> assertEquals(call.address(), pool.allocateAsync(bytes, 0), place);
        default -> throw new IllegalStateException(place);
      }
    }
    return row;
  }
}
