package org.allocsim.validation.recordings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.allocsim.simulator.device.RecordedDevice;
import org.allocsim.simulator.effect.EffectFollower;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.effect.EffectLog;
import org.allocsim.simulator.engine.Replay;
import org.allocsim.simulator.policy.pytorch.AllocatorConfig;
import org.allocsim.simulator.policy.pytorch.CachingAllocator;
import org.allocsim.simulator.policy.pytorch.ConfigParser;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.stats.MemoryStats;
import org.allocsim.simulator.stats.OutOfMemoryMessage;
import org.allocsim.validation.fidelity.RestoredStart;
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
 * by number; only the processes on the device, which the driver lists, are taken from the recording.
 */
class OutOfMemoryRecordingTest {
  private static final Pattern PROCESSES =
      Pattern.compile(
          "(?:(?:Process [0-9]+ has|Including non-PyTorch memory, this process has) [0-9.]+"
              + " [A-Za-z]+ memory in use\\. )+");

  @ParameterizedTest
  @MethodSource("org.allocsim.validation.recordings.Recordings#withMessages")
  void messagesOfTheReplayAreTheRecordedOnes(String name) throws Exception {
    JsonNode recording = Recordings.json(name);
    List<String> recorded = Recordings.messages(recording).toList();
    List<OutOfMemoryMessage> raised = replay(name, recording);
    assertEquals(recorded.size(), raised.size());
    for (int i = 0; i < recorded.size(); i++) {
      Matcher processes = PROCESSES.matcher(recorded.get(i));
      String listed = processes.find() ? processes.group() : "";
      OutOfMemoryMessage message = raised.get(i);
      OutOfMemoryMessage named =
          new OutOfMemoryMessage(
              message.deviceIndex(),
              message.segmentBytes(),
              message.deviceTotalBytes(),
              message.deviceFreeBytes(),
              message.limitBytes(),
              message.allocatedBytes(),
              message.reservedBytes(),
              message.privateFreeBytes(),
              listed);
      assertEquals(
          recorded.get(i),
          named.text(PyTorchVersion.V2_11.outOfMemoryTemplate()),
          "message " + i);
    }
  }

  private static List<OutOfMemoryMessage> replay(String name, JsonNode recording)
      throws Exception {
    AllocatorConfig config =
        ConfigParser.parse(Recordings.conf(recording), PyTorchVersion.V2_11).allocator();
    long limitBytes = Recordings.limitBytes(recording);
    long totalBytes = recording.get("total").asLong();
    Snapshot snapshot =
        SnapshotReader.read(Recordings.file(Recordings.snapshotOf(name)), (done, total) -> {});
    DerivedRequests requests =
        RequestDerivation.derive(snapshot, new DerivationOptions(config, limitBytes, totalBytes));
    EffectLog effects = snapshot.devices().getFirst().effects();
    EffectFollower follower = new EffectFollower(effects, 0);
    MemoryStats stats = new MemoryStats(config.maxSplitBytes());
    Messages messages = new Messages(stats);
    EffectListener listener = EffectListeners.all(stats, follower, messages);
    CachingAllocator policy =
        new CachingAllocator(
            config,
            limitBytes,
            new RecordedDevice(effects, follower::position, totalBytes),
            listener);
    RestoredStart.restore(policy, stats, requests.starts().getFirst().layout());
    new Replay(requests.trace(), 0, policy, listener, stats::activeBytes)
        .runRestored(event -> {});
    assertTrue(!follower.hasDiverged(), "the replay left the recording");
    return messages.raised;
  }

  /** Collects what each failed request would say. */
  private static final class Messages implements EffectListener {
    private final List<OutOfMemoryMessage> raised = new ArrayList<>();
    private final MemoryStats stats;

    Messages(MemoryStats stats) {
      this.stats = stats;
    }

    @Override
    public void outOfMemory(
        int allocation,
        long requestedBytes,
        long roundedBytes,
        long segmentBytes,
        int stream,
        long limitBytes,
        long privateFreeBytes,
        long deviceFreeBytes,
        long deviceTotalBytes) {
      raised.add(
          new OutOfMemoryMessage(
              0,
              segmentBytes,
              deviceTotalBytes,
              deviceFreeBytes,
              limitBytes,
              stats.allocatedBytes(),
              stats.reservedBytes(),
              privateFreeBytes,
              ""));
    }
  }
}
