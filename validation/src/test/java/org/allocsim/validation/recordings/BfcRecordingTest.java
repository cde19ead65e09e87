package org.allocsim.validation.recordings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.FutureRequests;
import org.allocsim.simulator.policy.Policies;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.PolicySettings;
import org.allocsim.simulator.policy.UnfitTraceException;
import org.allocsim.workloads.format.Progress;
import org.allocsim.workloads.format.TraceFormatException;
import org.allocsim.workloads.format.bfclog.BfcEffect;
import org.allocsim.workloads.format.bfclog.BfcLog;
import org.allocsim.workloads.format.bfclog.BfcLogReader;
import org.allocsim.workloads.format.bfclog.BfcPool;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.tukaani.xz.XZInputStream;

/**
 * The simulated BFC allocator does what XLA's did under JAX, in device memory and in pinned host
 * memory: every address, every region with its moment and size, every merge, every new peak, the
 * picture of the whole pool after every request, and every row of {@code memory_stats()}.
 */
class BfcRecordingTest {
  private static final Pattern NUMBER = Pattern.compile("'(\\w+)': (\\d+)");

  static Stream<String> logs() {
    return Recordings.list("xla-bfc", ".log.xz");
  }

  @ParameterizedTest
  @MethodSource("logs")
  void everythingThatTheLogShowsIsReproduced(String name)
      throws TraceFormatException, PolicyOptionException, UnfitTraceException {
    BfcLog log = BfcLogReader.read(Recordings.file(name), true, Progress.NONE);
    TreeMap<Long, Map<String, Long>> stats = stats(Recordings.file(name));
    long limit = stats.firstEntry().getValue().get("bytes_limit");
    for (BfcPool pool : log.pools()) {
      if (pool.name().equals("xla_gpu_host_bfc")) {
        new Check(name, pool, create(-1, Map.of("preset", "jax-host"), pool)).run(new TreeMap<>());
      } else {
        boolean preallocates = name.contains("jax_pre");
        Map<String, String> options = Map.of("preallocate", Boolean.toString(preallocates));
        int printed = stats.size();
        int rows = new Check(name, pool, create(limit, options, pool)).run(stats);
        assertEquals(printed, rows);
      }
    }
    assertEquals(2, log.pools().size(), "one device pool and one host pool");
  }

  /** A policy, what it is given by its device, and what it is found to have done. */
  private record Subject(AllocatorPolicy policy, BfcPicture picture, Counts counts) {}

  private static Subject create(long limit, Map<String, String> options, BfcPool pool)
      throws PolicyOptionException, UnfitTraceException {
    List<BfcEffect.Region> regions =
        pool.effects().stream()
            .filter(BfcEffect.Region.class::isInstance)
            .map(BfcEffect.Region.class::cast)
            .toList();
    Counts counts = new Counts();
    AllocatorPolicy policy =
        Policies.named("bfc")
            .orElseThrow()
            .create(
                new PolicySettings(limit, options),
                FutureRequests.NONE,
                new RecordedRegions(regions),
                counts);
    return new Subject(policy, new BfcPicture(), counts);
  }

  /** The figures of {@code memory_stats()}. */
  private static final class Counts implements EffectListener {
    long allocations;
    long bytesInUse;
    long peakBytesInUse;
    long largestBytes;
    long poolBytes;
    int regions;

    @Override
    public void blockAllocated(
        int allocation, long address, long requested, long block, int stream, boolean small) {
      allocations++;
      bytesInUse += block;
      peakBytesInUse = Math.max(peakBytesInUse, bytesInUse);
      largestBytes = Math.max(largestBytes, block);
    }

    @Override
    public void freeRequested(
        int allocation, long address, long requested, long block, int stream, boolean small) {
      bytesInUse -= block;
    }

    @Override
    public void segmentAllocated(long address, long bytes, int stream, boolean small) {
      regions++;
      poolBytes += bytes;
    }
  }

  /** Goes through the effects of one allocator. */
  private record Check(String name, BfcPool pool, Subject subject) {
    /** Replays everything; answers the number of rows of statistics that were compared. */
    int run(TreeMap<Long, Map<String, Long>> stats) {
      int rows = 0;
      int regions = 0;
      for (BfcEffect effect : pool.effects()) {
        if (effect instanceof BfcEffect.Region) {
          regions++;
          continue;
        }
        while (!stats.isEmpty() && stats.firstKey() < effect.line()) {
          compare(stats.pollFirstEntry());
          rows++;
        }
        String where = "%s, %s, line %d".formatted(name, pool.name(), effect.line());
        switch (effect) {
          case BfcEffect.Allocation allocation -> allocate(allocation, where);
          case BfcEffect.Free free -> free(free, where);
          case BfcEffect.Region _ -> throw new AssertionError();
        }
        assertEquals(regions, subject.counts.regions, where);
      }
      while (!stats.isEmpty()) {
        compare(stats.pollFirstEntry());
        rows++;
      }
      return rows;
    }

    private void allocate(BfcEffect.Allocation wanted, String where) {
      long peak = subject.counts.peakBytesInUse;
      long address = subject.policy.allocate(wanted.allocation(), wanted.requestedBytes(), 0, 0);
      assertEquals(Long.toHexString(wanted.address()), Long.toHexString(address), where);
      long newPeak = subject.counts.peakBytesInUse;
      assertEquals(wanted.peakBytes(), newPeak > peak ? newPeak : -1, where);
      subject.policy.describeLayout(subject.picture.clear());
      assertEquals(wanted.picture(), subject.picture.render(), where);
    }

    private void free(BfcEffect.Free wanted, String where) {
      subject.policy.describeLayout(subject.picture.clear());
      List<BfcEffect.Merge> merges = subject.picture.mergesOf(wanted.address());
      assertEquals(wanted.merges(), merges, where);
      int before = subject.picture.chunks();
      subject.policy.free(wanted.allocation());
      subject.policy.describeLayout(subject.picture.clear());
      assertEquals(before - merges.size(), subject.picture.chunks(), where);
      if (!wanted.picture().isEmpty()) {
        assertEquals(wanted.picture(), subject.picture.render(), where);
      }
    }

    private void compare(Map.Entry<Long, Map<String, Long>> row) {
      subject.policy.describeLayout(subject.picture.clear());
      Counts counts = subject.counts;
      Map<String, Long> actual = new LinkedHashMap<>(row.getValue());
      actual.put("num_allocs", counts.allocations);
      actual.put("bytes_in_use", counts.bytesInUse);
      actual.put("peak_bytes_in_use", counts.peakBytesInUse);
      actual.put("largest_alloc_size", counts.largestBytes);
      actual.put("pool_bytes", counts.poolBytes);
      actual.put("peak_pool_bytes", counts.poolBytes);
      actual.put("largest_free_block_bytes", subject.picture.largestFreeBytes());
      assertEquals(row.getValue(), actual, name + ", line " + row.getKey());
    }
  }

  /** The whole rows that the program printed, by line. */
  private static TreeMap<Long, Map<String, Long>> stats(Path file) {
    TreeMap<Long, Map<String, Long>> rows = new TreeMap<>();
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(
                new XZInputStream(Files.newInputStream(file)), StandardCharsets.UTF_8))) {
      long number = 0;
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        number++;
        if (line.startsWith("STATS {") && line.endsWith("}")) {
          Map<String, Long> row = new LinkedHashMap<>();
          Matcher figure = NUMBER.matcher(line);
          while (figure.find()) {
            row.put(figure.group(1), Long.valueOf(figure.group(2)));
          }
          rows.put(number, row);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    assertTrue(rows.size() > 20, "rows of statistics in " + file);
    return rows;
  }
}
