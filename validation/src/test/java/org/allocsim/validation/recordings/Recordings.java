package org.allocsim.validation.recordings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.allocsim.simulator.policy.pytorch.ConfigException;
import org.allocsim.simulator.policy.pytorch.MemoryLimit;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.tukaani.xz.XZInputStream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The recordings of PyTorch 2.11 on real GPUs, by file name. */
final class Recordings {
  private static final JsonMapper MAPPER = JsonMapper.builder().build();

  private Recordings() {}

  /** Folder-relative names of the recorded programs that hold {@code memory_stats()}. */
  static Stream<String> withStatistics() {
    return Stream.of(
            list("pytorch-models", ".json.xz"),
            list("pytorch-fuzz", ".ops.json.xz"),
            list("pytorch-other", ".json.xz").filter(name -> !name.contains(".ops.")))
        .flatMap(names -> names)
        .filter(name -> !name.endsWith(".trace.json.xz"));
  }

  /** Names of the recorded models that ran out of memory at least once. */
  static Stream<String> modelsWithMessages() {
    return list("pytorch-models", ".json.xz")
        .filter(name -> messages(json(name)).findAny().isPresent());
  }

  /** Names of the recorded random request sequences. */
  static Stream<String> randomSequences() {
    return list("pytorch-fuzz", ".ops.json.xz");
  }

  /** Names of the snapshots that belong to a recording with statistics. */
  static Stream<String> snapshots() {
    return withStatistics().map(Recordings::snapshotOf).filter(name -> Files.exists(file(name)));
  }

  /** The snapshot that belongs to a recording's JSON file. */
  static String snapshotOf(String json) {
    return json.replace(".ops.json.xz", ".pickle.xz").replace(".json.xz", ".pickle.xz");
  }

  /** The texts of the errors that the program caught, in order. */
  static Stream<String> messages(JsonNode recording) {
    if (recording.has("ooms")) {
      return recording.get("ooms").valueStream().map(JsonNode::asString);
    }
    if (recording.has("ops")) {
      return recording
          .get("ops")
          .valueStream()
          .filter(op -> op.get(0).asString().equals("oom"))
          .map(op -> op.get(3).asString());
    }
    return Stream.empty();
  }

  /** The recorded {@code memory_stats()}. */
  static Map<String, Long> statistics(JsonNode recording) {
    Map<String, Long> stats = new TreeMap<>();
    recording.get("stats").forEachEntry((key, value) -> stats.put(key, value.asLong()));
    return stats;
  }

  /** The limit that the recorded allocator had, or −1; a fraction of 0 stands for none. */
  static long limitBytes(JsonNode recording) {
    JsonNode fraction = recording.get("fraction");
    if (fraction == null || fraction.isNull() || fraction.asDouble() == 0) {
      return MemoryLimit.NONE;
    }
    try {
      return MemoryLimit.ofFraction(
          fraction.asDouble(), recording.get("total").asLong(), PyTorchVersion.V2_11);
    } catch (ConfigException e) {
      throw new AssertionError(e);
    }
  }

  /** The configuration string that the recorded program was started with. */
  static String conf(JsonNode recording) {
    JsonNode conf = recording.get("conf");
    return conf == null || conf.isNull() ? "" : conf.asString();
  }

  static JsonNode json(String name) {
    Path file = file(name);
    try (InputStream in = new XZInputStream(new BufferedInputStream(Files.newInputStream(file)))) {
      JsonNode recording = MAPPER.readTree(in);
      if (recording.has("torch")) {
        assertEquals("2.11.0+cu130", recording.get("torch").asString());
      }
      return recording;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A recording that is not compressed. */
  static String text(String folder, String name) {
    Path path = folder().resolve(folder);
    assumeTrue(Files.isDirectory(path), "left out: no recordings at " + path);
    try {
      return Files.readString(path.resolve(name));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A line of a recording. */
  static JsonNode parse(String line) {
    return MAPPER.readTree(line);
  }

  /** The lines of a recording that is text. */
  static List<String> lines(String name) {
    try (BufferedReader in =
        new BufferedReader(
            new InputStreamReader(
                new XZInputStream(new BufferedInputStream(Files.newInputStream(file(name)))),
                StandardCharsets.UTF_8))) {
      return in.lines().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static Path file(String name) {
    return folder().resolve(name);
  }

  /** Names of the recordings in a folder that end in a way, in order. */
  static Stream<String> list(String folder, String ending) {
    Path path = folder().resolve(folder);
    assumeTrue(Files.isDirectory(path), "left out: no recordings at " + path);
    try (Stream<Path> files = Files.list(path)) {
      return files
          .map(file -> folder + "/" + file.getFileName())
          .filter(name -> name.endsWith(ending))
          .sorted()
          .toList()
          .stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Path folder() {
    Path path = Path.of(System.getProperty("allocsim.recordings", "../shared/recordings"));
    return path.isAbsolute() || Files.exists(path) ? path : Path.of("..").resolve(path);
  }
}
