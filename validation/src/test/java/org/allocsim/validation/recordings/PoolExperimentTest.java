package org.allocsim.validation.recordings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.HandleMemory;
import org.allocsim.simulator.device.StreamOrderedMemory;
import org.allocsim.simulator.device.simulated.SimulatedDevice;
import org.allocsim.workloads.profile.ShippedProfiles;
import org.junit.jupiter.api.Test;
import org.tukaani.xz.XZInputStream;

/**
 * Experiments on the stream-ordered pool of an H200: limits, work that has not finished, reuse
 * settings, requests outside the pool, a full GPU. Each is a script of calls with what came of
 * every call: result code, address, free bytes, and for each pool what it reserves and uses. The
 * simulated device answers all of it alike.
 *
 * <p>Calls: {@code mk} makes a stream, {@code pool} takes a pool (0 is the default one) with limit,
 * threshold and reuse settings, {@code a} and {@code f} allocate and free, {@code s} and {@code d}
 * wait for a stream and for the device, {@code t} trims, {@code g} and {@code k} stop a stream with
 * a wait or a kernel until {@code o}, {@code R}/{@code r} and {@code C}/{@code c} take and give
 * back segments and handles, {@code M} maps a handle, {@code H} leaves only so much memory free,
 * {@code fill} and {@code fillc} take what is left, {@code z} sleeps, {@code e w E Q q D} are about
 * events and about streams being asked and destroyed.
 */
class PoolExperimentTest {
  private static final String FILE = "/cuda-pool/h200.txt.xz";
  private static final long PAGE = 2L << 20;

  /** Experiments without events and with one pool. */
  private static final int REPLAYED = 223;

  /** Processes that were refused a request that would have left one page. */
  private static final Set<String> TWO_PAGES_UNUSABLE = Set.of("mix_1");

  /** Calls that the simulated device does not have. */
  private static final Set<String> NOT_SIMULATED = Set.of("e", "w", "E", "D");

  @Test
  void everyCallOfTheExperimentsIsAnsweredAsByTheDriver() throws IOException {
    int replayed = 0;
    int calls = 0;
    List<String> leftOut = new ArrayList<>();
    for (Map.Entry<String, List<String>> experiment : experiments().entrySet()) {
      if (isSimulated(experiment.getValue())) {
        calls += new Replay(experiment.getKey()).run(experiment.getValue());
        replayed++;
      } else {
        leftOut.add(experiment.getKey());
      }
    }
    assertEquals(REPLAYED, replayed, "left out: " + leftOut);
    assertTrue(calls > 20_000, calls + " calls");
  }

  private static DeviceProfile h200(long unusableBytes) {
    DeviceProfile base = ShippedProfiles.named("h200");
    return new DeviceProfile(
        base.name(),
        base.origin(),
        base.source(),
        base.totalBytes(),
        base.contextBytes(),
        unusableBytes,
        base.pageBytes(),
        base.reservationBytes(),
        base.arenaAddress(),
        base.topAddress(),
        base.rangeAddress(),
        base.costs(),
        base.compute(),
        base.history());
  }

  private static boolean isSimulated(List<String> calls) {
    long pools = calls.stream().filter(call -> call.startsWith("pool ")).count();
    return pools <= 1
        && calls.stream().noneMatch(call -> NOT_SIMULATED.contains(call.split(" ", 2)[0]));
  }

  private static Map<String, List<String>> experiments() throws IOException {
    Map<String, List<String>> experiments = new LinkedHashMap<>();
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(
                new XZInputStream(PoolExperimentTest.class.getResourceAsStream(FILE)),
                StandardCharsets.UTF_8))) {
      String line = lines.readLine();
      List<String> calls = new ArrayList<>();
      while ((line = lines.readLine()) != null) {
        if (line.startsWith("# ")) {
          calls = new ArrayList<>();
          experiments.put(experiments.size() + " " + line.substring(2), calls);
        } else {
          calls.add(line);
        }
      }
    }
    return experiments;
  }

  private static final class Replay {
    final String name;
    final SimulatedDevice device;
    final StreamOrderedMemory pool;
    final HandleMemory handles;
    final Map<String, long[]> blocks = new HashMap<>();
    final Map<String, long[]> segments = new HashMap<>();
    final Map<String, long[]> held = new HashMap<>();
    long keptBytes;

    Replay(String name) {
      this.name = name;
      boolean two = TWO_PAGES_UNUSABLE.contains(name.substring(name.indexOf(' ') + 1));
      device = new SimulatedDevice(h200(two ? 2 * PAGE : PAGE));
      pool = device.streamOrdered().orElseThrow();
      handles = device.handleMemory().orElseThrow();
    }

    int run(List<String> calls) {
      int done = 0;
      for (String call : calls) {
        String[] sides = call.split(" = ");
        String[] words = sides[0].split(" ");
        if (words[0].equals("end")) {
          break;
        }
        follow(words, sides[1].split(" "), name + ": " + call);
        done++;
      }
      return done;
    }

    private void follow(String[] call, String[] real, String where) {
      long address = Long.parseUnsignedLong(real[1], 16);
      boolean refused = !real[0].equals("0");
      switch (call[0]) {
        case "mk" -> device.createStreams(1);
        case "pool" -> take(call);
        case "a" -> {
          long bytes = Long.parseLong(call[2]);
          long given = pool.allocateAsync(bytes, Integer.parseInt(call[3]));
          assertEquals(refused ? DeviceMemory.REFUSED : address, given, where);
          blocks.put(call[1], new long[] {given, bytes});
        }
        case "f" -> {
          long[] block = blocks.remove(call[1]);
          if (!real[real.length - 1].equals("skip")) {
            pool.freeAsync(block[0], block[1], Integer.parseInt(call[2]));
          }
        }
        case "s" -> pool.synchronizeStream(Integer.parseInt(call[1]));
        case "d" -> pool.synchronizeDevice();
        case "t" -> pool.trimPool(Long.parseLong(call[1]));
        case "g", "k" -> device.holdStream(Integer.parseInt(call[1]));
        case "o" -> device.resumeStream(Integer.parseInt(call[1]));
        case "R" -> {
          long bytes = Long.parseLong(call[2]);
          long given = device.allocate(bytes);
          assertEquals(refused, given == DeviceMemory.REFUSED, where);
          segments.put(call[1], new long[] {given, bytes});
        }
        case "r" -> {
          long[] segment = segments.get(call[1]);
          if (!real[real.length - 1].equals("skip")) {
            device.free(segment[0], segment[1]);
          }
        }
        case "C" -> assertEquals(refused, !create(call[1], Long.parseLong(call[2])), where);
        case "c" -> {
          long[] handle = held.get(call[1]);
          if (!real[real.length - 1].equals("skip")) {
            handles.release(handle, 0, 1, handle[1]);
          }
        }
        case "M" -> {
          long bytes = Long.parseLong(call[2]);
          long range = device.reserve(bytes, bytes, 0);
          assertEquals(refused, !device.map(range, bytes, bytes), where);
        }
        case "H" -> create("rest", (device.freeBytes() - Long.parseLong(call[1])) & -PAGE);
        case "fill", "fillc" -> {
          int count = 0;
          while (take(call[0], count, Long.parseLong(call[1]))) {
            count++;
          }
          assertEquals(real[real.length - 1], String.valueOf(count), where);
        }
        // Sleeping moves nothing, nor does asking whether a stream or event is done.
        case "z", "q", "Q" -> {}
        default -> throw new AssertionError(where);
      }
      long free = Long.parseLong(real[2]);
      switch (call[0]) {
        // A process that had streams before keeps their pages.
        case "mk", "pool" -> keptBytes = device.freeBytes() - free;
        case "H" -> keptBytes = 0;
        default -> {}
      }
      assertEquals(free, device.freeBytes() - keptBytes, where);
      if (real.length > 5 && real[3].startsWith("p")) {
        assertEquals(Long.parseLong(real[4]), pool.poolReservedBytes(), where);
        assertEquals(Long.parseLong(real[5]), pool.poolUsedBytes(), where);
      }
    }

    private void take(String[] call) {
      long limit = Long.parseLong(call[2]);
      if (limit > 0) {
        pool.setPoolLimit(limit);
      }
      long threshold = Long.parseUnsignedLong(call[3]);
      pool.setReleaseThreshold(threshold < 0 ? StreamOrderedMemory.KEEP_ALL : threshold);
      if (call.length > 5) {
        pool.setReuse(call[4].equals("1"), call[5].equals("1"));
      }
    }

    private boolean take(String kind, int number, long bytes) {
      return kind.equals("fillc")
          ? create(kind + number, bytes)
          : device.allocate(bytes) != DeviceMemory.REFUSED;
    }

    private boolean create(String id, long bytes) {
      long[] handle = {0, bytes};
      boolean made = handles.create(handle, 0, 1, bytes);
      held.put(id, handle);
      return made;
    }
  }
}
