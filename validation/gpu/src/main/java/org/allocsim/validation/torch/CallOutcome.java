package org.allocsim.validation.torch;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.allocsim.simulator.effect.EffectKind;
import org.allocsim.simulator.effect.EffectLog;
import org.jspecify.annotations.Nullable;

/**
 * What an allocator did with a sequence of calls.
 *
 * @param events its history; the address column of a failure has the free bytes of the device
 * @param statistics at the end
 * @param messages of requests that failed for lack of memory
 * @param stopped the error that ended the sequence, or null
 */
record CallOutcome(
    EffectLog events,
    SortedMap<String, Long> statistics,
    List<String> messages,
    @Nullable String stopped) {
  /** Counters of each private pool (2.13), which are not simulated. */
  private static final String BY_POOL = "reserved_bytes_by_private_pools.";

  private static final List<EffectKind> KINDS =
      List.of(
          EffectKind.ALLOC,
          EffectKind.FREE_REQUESTED,
          EffectKind.FREE_COMPLETED,
          EffectKind.SEGMENT_ALLOC,
          EffectKind.SEGMENT_FREE,
          EffectKind.SEGMENT_MAP,
          EffectKind.SEGMENT_UNMAP,
          EffectKind.OOM);

  /** Reads the file that Python wrote. */
  static CallOutcome read(Path file) throws IOException {
    EffectLog events = new EffectLog();
    SortedMap<String, Long> statistics = new TreeMap<>();
    List<String> messages = new ArrayList<>();
    String stopped = null;
    try (BufferedReader lines = Files.newBufferedReader(file)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        switch (line.charAt(0)) {
          case 'e' -> {
            String[] words = line.split(" ", 5);
            events.add(
                KINDS.get(Integer.parseInt(words[1])),
                Long.parseLong(words[2]),
                Long.parseLong(words[3]),
                Integer.parseInt(words[4]));
          }
          case 's' -> {
            String[] words = line.split(" ", 3);
            statistics.put(words[1], Long.parseLong(words[2]));
          }
          case 'm' -> messages.add(line.substring(2));
          case 'x' -> stopped = line.substring(2);
          default -> throw new IOException(file + ": Python wrote \"" + line + '"');
        }
      }
    } catch (RuntimeException e) {
      throw new IOException(file + ": Python wrote what cannot be read", e);
    }
    return new CallOutcome(events, statistics, messages, stopped);
  }

  /** Whether PyTorch failed one of its own assertions. */
  boolean endsInAssertion() {
    return stopped != null && stopped.contains("INTERNAL ASSERT FAILED");
  }

  /**
   * The first thing in which a simulation differs from this, or null. Where PyTorch failed an
   * assertion, only the events until then are compared.
   */
  @Nullable String difference(CallOutcome simulated) {
    if (stopped != null && !endsInAssertion()) {
      return "PyTorch stopped: " + stopped;
    }
    int rows = events.count();
    int most = Math.min(rows, simulated.events.count());
    for (int row = 0; row < most; row++) {
      if (!isSame(events, simulated.events, row)) {
        return "event %d was %s, is %s"
            .formatted(row, text(events, row), text(simulated.events, row));
      }
    }
    if (most < rows || (most < simulated.events.count() && stopped == null)) {
      return "event %d was %s, is %s"
          .formatted(most, text(events, most), text(simulated.events, most));
    }
    return stopped == null ? otherDifference(simulated) : null;
  }

  private @Nullable String otherDifference(CallOutcome simulated) {
    for (Map.Entry<String, Long> statistic : statistics.entrySet()) {
      if (statistic.getKey().startsWith(BY_POOL)) {
        continue;
      }
      Long value = simulated.statistics.get(statistic.getKey());
      // A counter that the simulation does not have is one of something that it never does.
      if (!statistic.getValue().equals(value == null ? Long.valueOf(0) : value)) {
        return "%s was %d, is %s".formatted(statistic.getKey(), statistic.getValue(), value);
      }
    }
    for (int i = 0; i < Math.max(messages.size(), simulated.messages.size()); i++) {
      String was = i < messages.size() ? messages.get(i) : "none";
      String is = i < simulated.messages.size() ? simulated.messages.get(i) : "none";
      if (!was.equals(is)) {
        return "message %d was \"%s\", is \"%s\"".formatted(i, was, is);
      }
    }
    return null;
  }

  private static boolean isSame(EffectLog log, EffectLog other, int row) {
    return log.kind(row) == other.kind(row)
        && log.address(row) == other.address(row)
        && log.bytes(row) == other.bytes(row)
        && log.stream(row) == other.stream(row);
  }

  private static String text(EffectLog log, int row) {
    return row >= log.count()
        ? "nothing"
        : "%s %x %d %d"
            .formatted(log.kind(row).action(), log.address(row), log.bytes(row), log.stream(row));
  }
}
