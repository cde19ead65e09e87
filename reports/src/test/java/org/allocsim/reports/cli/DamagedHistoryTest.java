package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.allocsim.reports.output.ExitCodes;
import org.allocsim.simulator.effect.EffectKind;
import org.allocsim.simulator.effect.EffectLog;
import org.allocsim.simulator.policy.LayoutVisitor.BlockState;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.StackTable;
import org.allocsim.workloads.format.Progress;
import org.allocsim.workloads.format.pytorch.DeviceHistory;
import org.allocsim.workloads.format.pytorch.RecordedWriter;
import org.allocsim.workloads.format.pytorch.Snapshot;
import org.allocsim.workloads.format.pytorch.SnapshotSegment;
import org.allocsim.workloads.source.OpenedTrace;
import org.allocsim.workloads.source.TraceSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A recording whose rows and segments were changed at random, so that no allocator can have made
 * it, is replayed with all checks or refused in one sentence: never a contradiction of allocsim's
 * own. {@code -Dallocsim.damages=N} damages each recording N times.
 */
class DamagedHistoryTest {
  private static final int DAMAGES = Integer.getInteger("allocsim.damages", 4);
  private static final List<String> OTHERS =
      List.of("verify", "inspect", "peak", "blockers", "account", "diagnose");
  private static final EffectKind[] KINDS = EffectKind.values();
  private static final BlockState[] STATES = BlockState.values();

  @TempDir private Path folder;

  @Test
  void damagedRecordingsAreReplayedOrRefused() throws Exception {
    for (String name :
        List.of(
            "cat_growth.pickle.xz",
            "cuda_graph.pickle.xz",
            "device_oom.pickle.xz",
            "two_gpu.pickle.xz",
            "prefetch_streams.pickle.xz")) {
      OpenedTrace opened = opened(name);
      Snapshot recorded = opened.recording().orElseThrow().snapshot();
      for (int seed = 0; seed < DAMAGES; seed++) {
        Path file = folder.resolve("damaged.jsonl");
        Snapshot damaged = new Damage(recorded, new SplittableRandom(seed)).snapshot();
        write(opened, damaged, file);
        for (int device = 0; device < damaged.devices().size(); device++) {
          assertReplayedOrRefused(
              name + ", seed " + seed, "replay", file, "--check", "--device-index", device);
        }
        for (String command : OTHERS) {
          assertReplayedOrRefused(name + ", seed " + seed, command, file);
        }
      }
    }
  }

  @Test
  void memoryThatIsObtainedTwiceIsRefusedWithItsEntry() throws Exception {
    OpenedTrace opened = opened("cat_growth.pickle.xz");
    Snapshot recorded = opened.recording().orElseThrow().snapshot();
    DeviceHistory history = recorded.devices().getFirst();
    int row = 0;
    while (history.effects().kind(row) != EffectKind.SEGMENT_ALLOC) {
      row++;
    }
    Snapshot.Builder builder = new Snapshot.Builder(recorded.streamHandles(), recorded.stacks());
    builder.settings(recorded.settings());
    builder.device(history.hasTimes(), history.overflowed());
    Damage damage = new Damage(recorded, new SplittableRandom(0));
    for (int repeated = 0; repeated <= row + 1; repeated++) {
      damage.copy(builder, history, repeated);
    }
    damage.copy(builder, history, row);
    damage.copy(builder, history, row + 1);
    Path file = folder.resolve("twice.jsonl");
    write(opened, builder.build("twice", recorded.sha256()), file);
    for (String command : List.of("replay", "verify")) {
      CommandRun run = CommandRun.of(command, file);
      assertEquals(
          "allocsim: "
              + file
              + ": in the history of device 0 entry "
              + (row + 2)
              + " obtains memory that is already held, which is impossible; the file is damaged;"
              + " write it again.\n",
          run.err());
      assertEquals(ExitCodes.FAILED, run.exitCode());
    }
  }

  /** Recordings that began late: what was held before is known from what is held at the end. */
  @ParameterizedTest
  @CsvSource({
    "10, , the segments at the end overlap (memory at 0x7f0000a00000 and the block at"
        + " 0x7f0000000000)",
    "40, SEGMENT_FREE, 'entry 0 releases memory at 0x7f0000a00000, which reaches into the block"
        + " at 0x7f0000000000'",
    "40, SEGMENT_ALLOC, 'entry 0 obtains memory at 0x7f0000a00000, which reaches into the block at"
        + " 0x7f0000000000'",
    "40, SEGMENT_UNMAP, 'entry 0 releases memory at 0x7f0000a00000, which reaches into the block"
        + " at 0x7f0000000000'",
    "40, SEGMENT_MAP, 'entry 0 obtains memory at 0x7f0000a00000, which reaches into the block at"
        + " 0x7f0000000000'"
  })
  void memoryThatReachesIntoABlockIsRefusedWithItsPlace(
      long secondMib, @Nullable EffectKind entry, String cause) throws Exception {
    Path file = late(entry, List.of(0L, secondMib), List.of());
    for (List<String> command : List.of(List.of("replay", "--check"), List.of("verify"))) {
      List<Object> words = new ArrayList<>(command);
      words.add(file);
      CommandRun run = CommandRun.of(words.toArray());
      assertEquals(
          "allocsim: "
              + file
              + ": in the history of device 0 "
              + cause
              + ", which is impossible; the file is damaged; write it again.\n",
          run.err());
      assertEquals(ExitCodes.FAILED, run.exitCode());
    }
  }

  @Test
  void anOrdinarySegmentEndsARangeOfPages() throws Exception {
    Path file = late(null, List.of(20L), List.of(0L, 40L));
    assertReplayedOrRefused("between pages", "replay", file, "--check");
  }

  /**
   * A recording that begins with segments of 20 MiB in use, at so many MiB from one place.
   *
   * @param entry of memory in the middle of the first segment
   */
  private Path late(@Nullable EffectKind entry, List<Long> ordinary, List<Long> pages)
      throws Exception {
    long first = 0x7f0000000000L;
    long bytes = 20L << 20;
    long last = first + 5 * bytes;
    Snapshot.Builder builder =
        new Snapshot.Builder(new long[] {0}, new StackTable.Builder().build());
    builder.device(false, Optional.of(false));
    if (entry != null) {
      builder.event(entry, first + bytes / 2, bytes, 0, 0, StackTable.NONE, null);
    }
    builder.event(EffectKind.SEGMENT_ALLOC, last, bytes, 0, 0, StackTable.NONE, null);
    builder.event(EffectKind.ALLOC, last, bytes, 0, 0, StackTable.NONE, null);
    hold(builder, last, bytes, false);
    ordinary.forEach(mib -> hold(builder, first + (mib << 20), bytes, false));
    pages.forEach(mib -> hold(builder, first + (mib << 20), bytes, true));
    Path file = folder.resolve("late.jsonl");
    write(opened("cat_growth.pickle.xz"), builder.build("late", "0".repeat(64)), file);
    return file;
  }

  private static void hold(Snapshot.Builder builder, long place, long bytes, boolean isPages) {
    builder.segment(
        new Snapshot.SegmentSums(
            0, place, bytes, bytes, bytes, bytes, 0, false, PoolId.DEFAULT, isPages, 0));
    builder.block(place, bytes, bytes, BlockState.ACTIVE_ALLOCATED, StackTable.NONE);
  }

  private static void assertReplayedOrRefused(String what, Object... arguments) {
    CommandRun run = CommandRun.of(arguments);
    assertFalse(run.err().contains("this is a bug"), () -> what + ": " + run.err());
    if (run.exitCode() == ExitCodes.FAILED) {
      assertEquals(1, run.err().lines().count(), () -> what + ": " + run.err());
    } else {
      assertTrue(run.exitCode() != ExitCodes.USAGE, () -> what + ": " + run.err());
    }
  }

  private static OpenedTrace opened(String name) throws Exception {
    TraceSource source =
        TraceSource.open(CommandRun.recording(name).toString(), null, Progress.NONE);
    return source.read(source.defaultOptions());
  }

  private static void write(OpenedTrace opened, Snapshot damaged, Path file) throws Exception {
    AllocationTrace trace = opened.trace();
    try (OutputStream out = Files.newOutputStream(file)) {
      ((RecordedWriter) TraceSource.format("jsonl").writer().orElseThrow())
          .write(trace, 0, damaged, out);
    }
  }

  /** A copy of a snapshot with rows left out, repeated, moved and changed, and segments too. */
  private static final class Damage {
    private final Snapshot recorded;
    private final SplittableRandom random;
    private final int rarity;
    private long timeNanos;

    Damage(Snapshot recorded, SplittableRandom random) {
      this.recorded = recorded;
      this.random = random;
      rarity = 1 << random.nextInt(2, 11);
    }

    private boolean strikes() {
      return random.nextInt(rarity) == 0;
    }

    Snapshot snapshot() {
      Snapshot.Builder builder = new Snapshot.Builder(recorded.streamHandles(), recorded.stacks());
      builder.settings(recorded.settings());
      recorded.annotations().forEach(builder::annotation);
      for (DeviceHistory history : recorded.devices()) {
        timeNanos = 0;
        builder.device(history.hasTimes(), history.overflowed());
        int first = history.effects().count() * random.nextInt(2) * random.nextInt(5) / 5;
        for (int row = first; row < history.effects().count(); row++) {
          if (!strikes()) {
            add(builder, history, row);
          } else if (random.nextBoolean()) {
            add(builder, history, row);
            add(builder, history, random.nextInt(row + 1));
          }
        }
      }
      for (SnapshotSegment segment : recorded.segments()) {
        for (int copies = strikes() ? random.nextInt(3) : 1; copies > 0; copies--) {
          add(builder, segment);
        }
      }
      return builder.build("damaged", recorded.sha256());
    }

    void copy(Snapshot.Builder builder, DeviceHistory history, int row) {
      EffectLog effects = history.effects();
      timeNanos = Math.max(timeNanos, history.timeNanos(row));
      builder.event(
          effects.kind(row),
          effects.address(row),
          effects.bytes(row),
          effects.stream(row),
          timeNanos,
          history.stack(row),
          history.poolId(row));
    }

    private void add(Snapshot.Builder builder, DeviceHistory history, int row) {
      EffectLog effects = history.effects();
      EffectKind kind = strikes() ? KINDS[random.nextInt(KINDS.length)] : effects.kind(row);
      long address = strikes() ? someAddress(effects) : effects.address(row);
      long bytes = effects.bytes(strikes() ? random.nextInt(effects.count()) : row);
      if (Snapshot.impossible(kind, address, bytes) == null) {
        PoolId pool = history.poolId(row);
        timeNanos = Math.max(timeNanos, history.timeNanos(row));
        builder.event(
            kind, address, bytes, effects.stream(row), timeNanos, history.stack(row), pool);
      }
    }

    private long someAddress(EffectLog effects) {
      return effects.address(random.nextInt(effects.count())) + 512L * random.nextInt(-8, 9);
    }

    private void add(Snapshot.Builder builder, SnapshotSegment segment) {
      long moved = strikes() ? 512L * random.nextInt(-9000, 9000) : 0;
      builder.segment(
          new Snapshot.SegmentSums(
              segment.device(),
              segment.address() + moved,
              segment.totalBytes(),
              segment.allocatedBytes(),
              segment.activeBytes(),
              segment.requestedBytes(),
              segment.stream(),
              strikes() != segment.small(),
              segment.pool(),
              strikes() != segment.expandable(),
              segment.stack()));
      for (int block = 0; block < segment.blockCount(); block++) {
        if (!strikes()) {
          builder.block(
              segment.blockAddress(block) + moved,
              segment.blockBytes(strikes() ? random.nextInt(segment.blockCount()) : block),
              segment.blockRequestedBytes(block),
              strikes() ? STATES[random.nextInt(STATES.length)] : segment.blockState(block),
              segment.blockStack(block));
        }
      }
    }
  }
}
