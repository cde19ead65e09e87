package org.allocsim.validation.recordings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.allocsim.simulator.device.RecordedDevice;
import org.allocsim.simulator.effect.EffectFollower;
import org.allocsim.simulator.effect.EffectKind;
import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.effect.EffectLog;
import org.allocsim.simulator.policy.pytorch.AllocatorConfig;
import org.allocsim.simulator.policy.pytorch.CachingAllocator;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.policy.pytorch.conf.ConfigParser;
import org.allocsim.simulator.stats.MemoryStats;
import org.allocsim.workloads.format.pytorch.Snapshot;
import org.allocsim.workloads.format.pytorch.SnapshotReader;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;

/**
 * The simulated allocator, sent the very calls that a recorded program made, produces every entry
 * of its history, every row of statistics taken on the way, all statistics at the end, and every
 * error text. Nothing is inferred from the history but the addresses of segments and the order in
 * which finished uses were seen.
 */
class RandomSequenceRecordingTest {
  private static final int NOTHING = -1;

  @ParameterizedTest
  @MethodSource("org.allocsim.validation.recordings.Recordings#randomSequences")
  void replayOfTheCallsIsExact(String name) throws Exception {
    JsonNode recording = Recordings.json(name);
    Player player = new Player(name, recording);
    player.play();
    assertEquals(Recordings.statistics(recording), player.stats.toMap());
    player.messages.expectTexts(Recordings.messages(recording).toList());
  }

  /** Makes the calls of a recorded program, as its script made them. */
  private static final class Player {
    final MemoryStats stats;
    final RaisedMessages messages;

    private final JsonNode recording;
    private final EffectLog effects;
    private final EffectFollower follower;
    private final CachingAllocator allocator;
    private final int[] streamNumbers;
    private final List<Long> addresses = new ArrayList<>();
    private final Set<Integer> live = new LinkedHashSet<>();

    /** The tensor that the script's variable still refers to after the last allocation. */
    private int variable = NOTHING;

    /** Whether that tensor was dropped from the script's list and lives by the variable only. */
    private boolean onlyVariable;

    private int failures;
    private int freesAfterFailure;

    Player(String name, JsonNode recording) throws Exception {
      this.recording = recording;
      AllocatorConfig config =
          ConfigParser.parse(Recordings.conf(recording), PyTorchVersion.V2_11).allocator();
      Snapshot snapshot =
          SnapshotReader.read(Recordings.file(Recordings.snapshotOf(name)), (done, total) -> {});
      effects = snapshot.devices().getFirst().effects();
      follower = new EffectFollower(effects, 0);
      stats = new MemoryStats(config.maxSplitBytes());
      messages = new RaisedMessages(stats);
      allocator =
          new CachingAllocator(
              config,
              PyTorchVersion.V2_11,
              Recordings.limitBytes(recording),
              new RecordedDevice(effects, follower::position, recording.get("total").asLong()),
              EffectListeners.all(stats, follower, messages));
      streamNumbers = numbers(recording.get("streams"), snapshot.streamHandles());
    }

    private static int[] numbers(JsonNode handles, long[] known) {
      int[] numbers = new int[handles.size()];
      for (int i = 0; i < numbers.length; i++) {
        numbers[i] = known.length + i;
        for (int number = 0; number < known.length; number++) {
          if (known[number] == handles.get(i).asLong()) {
            numbers[i] = number;
          }
        }
      }
      return numbers;
    }

    void play() {
      JsonNode calls = recording.get("ops");
      JsonNode checks = recording.get("checks");
      int nextCheck = 0;
      for (int i = 0; i < calls.size(); i++) {
        nextCheck = check(checks, nextCheck, i);
        call(calls.get(i));
        assertFalse(
            follower.hasDiverged(),
            () -> "entry " + follower.position() + ": " + follower.actualKind());
      }
      assertEquals(checks.size(), check(checks, nextCheck, calls.size()));
      assertEquals(effects.count(), follower.position(), "entries produced");
    }

    /** Compares the rows of statistics taken before call {@code done}. */
    private int check(JsonNode checks, int first, int done) {
      int next = first;
      JsonNode keys = recording.get("check_keys");
      while (next < checks.size() && checks.get(next).get(0).asInt() == done) {
        for (int key = 0; key < keys.size(); key++) {
          assertEquals(
              checks.get(next).get(key + 1).asLong(),
              stats.get(keys.get(key).asString()),
              keys.get(key).asString() + " before call " + done);
        }
        next++;
      }
      return next;
    }

    private void call(JsonNode call) {
      switch (call.get(0).asString()) {
        case "alloc" -> allocate(call);
        case "oom" -> fail(call);
        case "free" -> free(call.get(1).asInt());
        case "record_stream" -> {
          assign(NOTHING);
          useStream(call.get(1).asInt(), streamNumbers[call.get(2).asInt()]);
        }
        case "sync" -> allocator.synchronize();
        case "empty_cache" -> allocator.emptyCache();
        default -> throw new AssertionError("unknown call " + call);
      }
    }

    private void allocate(JsonNode call) {
      int id = call.get(1).asInt();
      assertEquals(addresses.size(), id);
      long address =
          allocator.allocate(id, call.get(2).asLong(), streamNumbers[call.get(3).asInt()], 0);
      assertEquals(call.get(4).asLong(), address, "address of allocation " + id);
      addresses.add(address);
      live.add(id);
      assign(id);
    }

    /** A failed request; the script then drops every third tensor of its list. */
    private void fail(JsonNode call) {
      int id = recording.get("ops").size() + failures++;
      assertEquals(
          CachingAllocator.OUT_OF_MEMORY,
          allocator.allocate(id, call.get(1).asLong(), streamNumbers[call.get(2).asInt()], 0));
      freesAfterFailure = (live.size() + 2) / 3;
    }

    private void free(int id) {
      live.remove(id);
      if (freesAfterFailure > 0) {
        freesAfterFailure--;
        if (id == variable) {
          onlyVariable = true;
          return;
        }
      } else {
        assign(NOTHING);
      }
      allocator.free(id);
    }

    /** The script's variable gets another value: what only it referred to is given back. */
    private void assign(int id) {
      if (onlyVariable) {
        allocator.free(variable);
        onlyVariable = false;
      }
      variable = id;
    }

    /** The history shows in which order finished uses were seen: by the entries of their frees. */
    private void useStream(int id, int stream) {
      long address = addresses.get(id);
      int row = follower.position();
      while (row < effects.count() && !isFreeCompleted(row, address)) {
        row++;
      }
      allocator.useStream(id, stream, row);
    }

    private boolean isFreeCompleted(int row, long address) {
      return effects.kind(row) == EffectKind.FREE_COMPLETED && effects.address(row) == address;
    }
  }
}
