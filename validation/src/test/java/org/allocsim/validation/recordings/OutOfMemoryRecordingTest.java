package org.allocsim.validation.recordings;

import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.List;
import org.allocsim.simulator.device.RecordedDevice;
import org.allocsim.simulator.effect.EffectFollower;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.effect.EffectLog;
import org.allocsim.simulator.engine.Replay;
import org.allocsim.simulator.policy.pytorch.AllocatorConfig;
import org.allocsim.simulator.policy.pytorch.CachingAllocator;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.policy.pytorch.conf.ConfigParser;
import org.allocsim.simulator.run.RestoredStart;
import org.allocsim.simulator.stats.MemoryStats;
import org.allocsim.workloads.format.pytorch.Snapshot;
import org.allocsim.workloads.format.pytorch.SnapshotReader;
import org.allocsim.workloads.format.pytorch.derive.DerivationOptions;
import org.allocsim.workloads.format.pytorch.derive.DerivedRequests;
import org.allocsim.workloads.format.pytorch.derive.RequestDerivation;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;

/**
 * A replay of a recorded program raises the errors that the program caught, word by word and number
 * by number; only the processes on the device, which the driver lists, are taken from the
 * recording.
 */
class OutOfMemoryRecordingTest {
  @ParameterizedTest
  @MethodSource("org.allocsim.validation.recordings.Recordings#modelsWithMessages")
  void messagesOfTheReplayAreTheRecordedOnes(String name) throws Exception {
    JsonNode recording = Recordings.json(name);
    List<String> recorded = Recordings.messages(recording).toList();
    RaisedMessages messages = replay(name, recording);
    messages.expectTexts(recorded);
  }

  private static RaisedMessages replay(String name, JsonNode recording) throws Exception {
    AllocatorConfig config =
        ConfigParser.parse(Recordings.conf(recording), PyTorchVersion.V2_11).allocator();
    long limitBytes = Recordings.limitBytes(recording);
    long totalBytes = recording.get("total").asLong();
    Snapshot snapshot =
        SnapshotReader.read(Recordings.file(Recordings.snapshotOf(name)), (done, total) -> {});
    DerivedRequests requests =
        RequestDerivation.derive(
            snapshot, new DerivationOptions(config, PyTorchVersion.V2_11, limitBytes, totalBytes));
    EffectLog effects = snapshot.devices().getFirst().effects();
    EffectFollower follower = new EffectFollower(effects, 0);
    MemoryStats stats = new MemoryStats(config.maxSplitBytes());
    RaisedMessages messages = new RaisedMessages(stats);
    EffectListener listener = EffectListeners.all(stats, follower, messages);
    CachingAllocator policy =
        new CachingAllocator(
            config,
            PyTorchVersion.V2_11,
            limitBytes,
            new RecordedDevice(effects, follower::position, totalBytes),
            listener);
    RestoredStart.restore(policy, stats, requests.starts().getFirst().layout());
    new Replay(requests.trace(), 0, policy, listener, stats::activeBytes)
        .runRestored(event -> true);
    assertFalse(follower.hasDiverged(), "the replay left the recording");
    return messages;
  }
}
