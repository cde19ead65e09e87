package org.allocsim.analysis.prediction;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.allocsim.simulator.device.AddressHistory;
import org.allocsim.simulator.effect.EffectKind;
import org.allocsim.simulator.effect.EffectLog;
import org.allocsim.simulator.policy.pytorch.ConfigException;
import org.allocsim.simulator.policy.pytorch.MemoryLimit;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.policy.pytorch.conf.ConfigParser;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.RequestKind;
import org.allocsim.workloads.format.TraceFormatException;
import org.allocsim.workloads.format.pytorch.Snapshot;
import org.allocsim.workloads.format.pytorch.SnapshotReader;
import org.allocsim.workloads.format.pytorch.derive.DerivationOptions;
import org.allocsim.workloads.format.pytorch.derive.DerivedRequests;
import org.allocsim.workloads.format.pytorch.derive.RequestDerivation;
import org.tukaani.xz.XZInputStream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A run of PyTorch 2.11 on a real GPU: its snapshot with the requests derived from it, and what was
 * written down beside it.
 *
 * @param conf settings that it ran under
 * @param limitBytes limit that it ran under, −1 without one
 * @param totalBytes size of the device
 * @param stats {@code torch.cuda.memory_stats()} at the end
 * @param messages texts of the errors that it caught
 * @param effects what its allocator did
 * @param requests what it asked for
 */
record RecordedRun(
    String name,
    String conf,
    long limitBytes,
    long totalBytes,
    SortedMap<String, Long> stats,
    List<String> messages,
    EffectLog effects,
    DerivedRequests requests) {
  private static final JsonMapper MAPPER = JsonMapper.builder().build();

  /**
   * The recorded run of a real model with this name; without the recordings the test is skipped.
   */
  static RecordedRun model(String name) {
    Path folder = folder().resolve("pytorch-models");
    assumeTrue(
        Files.isDirectory(folder),
        "left out: no recordings at " + folder + ", so predictions are not compared with " + name);
    Path snapshotFile = folder.resolve(name + ".pickle.xz");
    JsonNode side = json(folder.resolve(name + ".json.xz"));
    try {
      Snapshot snapshot = SnapshotReader.read(snapshotFile, (done, total) -> {});
      long totalBytes = side.get("total").asLong();
      double fraction = side.get("fraction").asDouble();
      long limitBytes =
          fraction == 0
              ? MemoryLimit.NONE
              : MemoryLimit.ofFraction(fraction, totalBytes, PyTorchVersion.V2_11);
      String conf = snapshot.settings().conf();
      DerivedRequests requests =
          RequestDerivation.derive(
              snapshot,
              new DerivationOptions(
                  ConfigParser.parse(conf, PyTorchVersion.V2_11).allocator(),
                  PyTorchVersion.V2_11,
                  limitBytes,
                  totalBytes));
      SortedMap<String, Long> stats = new TreeMap<>();
      side.get("stats").forEachEntry((key, value) -> stats.put(key, value.asLong()));
      List<String> messages = new ArrayList<>();
      side.get("ooms").forEach(message -> messages.add(message.asString()));
      return new RecordedRun(
          name,
          conf,
          limitBytes,
          totalBytes,
          stats,
          messages,
          snapshot.devices().getFirst().effects(),
          requests);
    } catch (TraceFormatException | ConfigException e) {
      throw new AssertionError(e);
    }
  }

  /** The requests. */
  AllocationTrace trace() {
    return requests.trace();
  }

  /** What else used the address space of the process. */
  AddressHistory addressHistory() {
    return requests.addressHistory(0, effects);
  }

  private static Path folder() {
    Path path = Path.of(System.getProperty("allocsim.recordings", "../shared/recordings"));
    return path.isAbsolute() || Files.exists(path) ? path : Path.of("..").resolve(path);
  }

  private static JsonNode json(Path file) {
    try (InputStream in = new XZInputStream(new BufferedInputStream(Files.newInputStream(file)))) {
      return MAPPER.readTree(in);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** Whether another run asked for the same, request by request; times and stacks may differ. */
  boolean asksTheSameAs(RecordedRun other) {
    return trace().eventCount() == other.trace().eventCount()
        && equalRows(other) == trace().eventCount();
  }

  /** Number of leading rows in which two runs asked for the same. */
  int equalRows(RecordedRun other) {
    AllocationTrace theirs = other.trace();
    int rows = Math.min(trace().eventCount(), theirs.eventCount());
    for (int row = 0; row < rows; row++) {
      boolean equal =
          trace().kind(row) == theirs.kind(row)
              && trace().allocation(row) == theirs.allocation(row)
              && trace().bytes(row) == theirs.bytes(row)
              && trace().stream(row) == theirs.stream(row)
              && trace().pool(row) == theirs.pool(row);
      if (!equal) {
        return row;
      }
    }
    return rows;
  }

  /** Whether a request failed. */
  boolean hasFailed() {
    return firstFailedEvent() >= 0;
  }

  /** Index among the allocation requests of the first one that failed, −1 without one. */
  long firstFailure() {
    long index = -1;
    int event = firstFailedEvent();
    for (int row = trace().prologueCount(); row <= event; row++) {
      if (trace().kind(row) == RequestKind.ALLOCATE) {
        index++;
      }
    }
    return index;
  }

  /** Row of the trace of the first request that failed in the recording, −1 without one. */
  private int firstFailedEvent() {
    long failuresBefore = 0;
    for (int row = 0; row < effects.count(); row++) {
      if (effects.kind(row) == EffectKind.OOM) {
        return eventOfAllocation(failuresBefore);
      }
      if (effects.kind(row) == EffectKind.ALLOC) {
        failuresBefore++;
      }
    }
    return -1;
  }

  /** Row of the n-th allocation request after the prologue. */
  private int eventOfAllocation(long n) {
    long index = -1;
    for (int row = trace().prologueCount(); row < trace().eventCount(); row++) {
      if (trace().kind(row) == RequestKind.ALLOCATE && ++index == n) {
        return row;
      }
    }
    return -1;
  }

  @Override
  public String toString() {
    return name;
  }
}
