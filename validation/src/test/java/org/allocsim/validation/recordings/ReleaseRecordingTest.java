package org.allocsim.validation.recordings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.allocsim.simulator.effect.EffectKind;
import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.effect.EffectRows;
import org.allocsim.simulator.message.OutOfMemoryMessage.Template;
import org.allocsim.simulator.policy.pytorch.AllocatorConfig;
import org.allocsim.simulator.policy.pytorch.CachingAllocator;
import org.allocsim.simulator.policy.pytorch.ConfigException;
import org.allocsim.simulator.policy.pytorch.MemoryLimit;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.policy.pytorch.conf.ConfigParser;
import org.allocsim.simulator.stats.MemoryStats;
import org.allocsim.simulator.trace.PoolId;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;

/**
 * The simulated allocator of each recorded release, sent the calls that the release's own allocator
 * was sent on the same device, does the same, event by event, counts the same and says the same.
 *
 * <p>PyTorch visits streams in the order of a hash map by addresses in its own memory: completed
 * frees that follow each other are compared without regard to their order.
 */
class ReleaseRecordingTest {
  /** Counters that a release has and the simulator does not, since they stay 0. */
  private static final Set<String> ALWAYS_ZERO = Set.of("num_oom_rejections");

  private static final int MESSAGES_RECORDED = 4;

  static Stream<String> recordings() {
    return Recordings.list("pytorch-releases", ".jsonl.xz");
  }

  @ParameterizedTest
  @MethodSource("recordings")
  void everySequenceOfEveryReleaseIsExact(String name) throws Exception {
    List<String> differences = new ArrayList<>();
    ReleaseCounts counts = new ReleaseCounts();
    List<JsonNode> sequences = Recordings.lines(name).stream().map(Recordings::parse).toList();
    assertTrue(sequences.size() >= 50, name);
    for (JsonNode sequence : sequences) {
      Player player = new Player(sequence);
      player.play();
      Optional<String> difference = player.difference();
      counts.add(sequence, difference.isEmpty(), player.endedInAssertion);
      difference.ifPresent(text ->
          differences.add(
              sequence.get("kind").asString() + ' ' + sequence.get("seed") + ": " + text));
    }
    assertEquals(List.of(), differences);
    counts.check(name);
  }

  /** Makes the calls of a sequence. */
  private static final class Player {
    private final JsonNode sequence;
    private final PyTorchVersion version;
    private final AllocatorConfig config;
    private final CountingDevice device;
    private final Events events;
    private final MemoryStats stats;
    private final RaisedMessages messages;
    private final CachingAllocator allocator;
    private final Map<Long, Integer> streamNumbers = new TreeMap<>();
    private int pool;
    private boolean hasStreams;
    private long completionRank;
    private boolean endedInAssertion;

    Player(JsonNode sequence) throws ConfigException {
      this.sequence = sequence;
      version = PyTorchVersion.of(sequence.get("torch").asString());
      config = ConfigParser.parse(sequence.get("conf").asString(), version).allocator();
      device =
          new CountingDevice(
              sequence.get("capacity").asLong(),
              sequence
                  .get("events")
                  .valueStream()
                  .filter(event -> event.get(0).asString().equals("segment_alloc"))
                  .map(event -> event.get(1).asLong())
                  .iterator());
      numberStreams();
      events = new Events(List.copyOf(streamNumbers.keySet()));
      stats = new MemoryStats(config.maxSplitBytes());
      messages = new RaisedMessages(stats);
      allocator =
          new CachingAllocator(
              config, version, limitBytes(), device, EffectListeners.all(stats, events, messages));
    }

    private long limitBytes() throws ConfigException {
      JsonNode fraction = sequence.get("fraction");
      if (fraction.isNull() && config.perProcessMemoryFraction() == 1) {
        return MemoryLimit.NONE;
      }
      return MemoryLimit.ofFraction(
          fraction.isNull() ? config.perProcessMemoryFraction() : fraction.asDouble(),
          device.totalBytes(),
          version);
    }

    private void numberStreams() {
      Set<Long> handles = new TreeSet<>(Set.of(0L));
      for (JsonNode call : sequence.get("ops")) {
        switch (call.get(0).asString()) {
          case "a" -> handles.add(call.get(3).asLong());
          case "r" -> handles.add(call.get(2).asLong());
          default -> {}
        }
      }
      for (long handle : handles) {
        streamNumbers.put(handle, streamNumbers.size());
      }
    }

    void play() {
      for (JsonNode call : sequence.get("ops")) {
        int id = call.size() > 1 ? call.get(1).asInt() : 0;
        switch (call.get(0).asString()) {
          case "a" -> allocate(id, call.get(2).asLong(), stream(call.get(3)));
          case "f" -> allocator.free(id);
          case "r" -> allocator.useStream(id, stream(call.get(2)), completionRank++);
          case "c" -> allocator.useComplete(id, stream(call.get(2)));
          case "e" -> allocator.emptyCache();
          case "P" -> pool = id;
          case "p" -> pool = 0;
          case "R" -> allocator.releasePool(id, new PoolId(0, id));
          default -> throw new AssertionError("unknown call " + call);
        }
      }
    }

    private void allocate(int id, long bytes, int stream) {
      if (stream != 0 && !hasStreams) {
        hasStreams = true;
        device.makeStreams();
      }
      allocator.allocate(id, bytes, stream, pool);
    }

    private int stream(JsonNode handle) {
      return streamNumbers.get(handle.asLong());
    }

    /**
     * Whether the recorded allocator stopped with an internal error: it was about to release blocks
     * of expandable segments to make room, which the simulated one passes over.
     */
    private boolean endsInAssertion(List<String> recorded, List<String> simulated) {
      return !version.skipsExpandableOnRelease()
          && config.expandableSegments()
          && (config.maxSplitBytes() != AllocatorConfig.UNLIMITED
              || config.garbageCollectionThreshold() > 0)
          && recorded.size() < simulated.size()
          && simulated.get(recorded.size()).startsWith("segment_");
    }

    /** The first thing that is not as recorded. */
    Optional<String> difference() {
      List<String> expected = new ArrayList<>();
      for (JsonNode event : sequence.get("events")) {
        expected.add(
            Events.text(
                event.get(0).asString(),
                event.get(1).asLong(),
                event.get(2).asLong(),
                event.get(3).asLong()));
      }
      List<String> recorded = Events.inAnyOrderOfHashMaps(expected);
      List<String> simulated = Events.inAnyOrderOfHashMaps(events.rows);
      if (endsInAssertion(recorded, simulated)) {
        endedInAssertion = true;
        simulated = simulated.subList(0, recorded.size());
        return recorded.equals(simulated) ? Optional.empty() : Optional.of("before its assertion");
      }
      for (int i = 0; i < Math.max(recorded.size(), simulated.size()); i++) {
        String was = i < recorded.size() ? recorded.get(i) : "nothing";
        String is = i < simulated.size() ? simulated.get(i) : "nothing";
        if (!was.equals(is)) {
          return Optional.of("event " + i + " was " + was + ", is " + is);
        }
      }
      Map<String, Long> counted = stats.toMap();
      for (Map.Entry<String, JsonNode> stat : sequence.get("stats").properties()) {
        Long value =
            ALWAYS_ZERO.contains(stat.getKey()) ? Long.valueOf(0) : counted.get(stat.getKey());
        if (value == null || value != stat.getValue().asLong()) {
          return Optional.of(stat.getKey() + " was " + stat.getValue() + ", is " + value);
        }
      }
      List<String> texts = messages.texts(Template.of(version, config.expandableSegments()));
      List<String> heard = sequence.get("ooms").valueStream().map(JsonNode::asString).toList();
      texts = texts.subList(0, Math.min(MESSAGES_RECORDED, texts.size()));
      return heard.equals(texts)
          ? Optional.empty()
          : Optional.of("messages were " + heard + ", are " + texts);
    }
  }

  /** What an allocator did, as lines; the address column of failures says nothing. */
  private static final class Events extends EffectRows {
    final List<String> rows = new ArrayList<>();
    private final List<Long> handles;

    Events(List<Long> handles) {
      this.handles = handles;
    }

    @Override
    protected void row(EffectKind kind, long address, long bytes, int stream) {
      rows.add(text(kind.name().toLowerCase(Locale.ROOT), address, bytes, handles.get(stream)));
    }

    static String text(String action, long address, long bytes, long stream) {
      return action + ' ' + (action.equals("oom") ? 0 : address) + ' ' + bytes + ' ' + stream;
    }

    /** The same with every run of completed frees sorted. */
    static List<String> inAnyOrderOfHashMaps(List<String> rows) {
      List<String> sorted = new ArrayList<>(rows);
      for (int start = 0; start < sorted.size(); start++) {
        int end = start;
        while (end < sorted.size() && sorted.get(end).startsWith("free_completed")) {
          end++;
        }
        sorted.subList(start, end).sort(null);
        start = Math.max(start, end);
      }
      return sorted;
    }
  }
}
