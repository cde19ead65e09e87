package org.allocsim.validation.fidelity;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.allocsim.simulator.policy.pytorch.AllocatorConfig;
import org.allocsim.simulator.policy.pytorch.ConfigException;
import org.allocsim.simulator.policy.pytorch.MemoryLimit;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.policy.pytorch.conf.ConfigParser;
import org.allocsim.workloads.format.TraceFormatException;
import org.allocsim.workloads.format.pytorch.Snapshot;
import org.allocsim.workloads.format.pytorch.SnapshotReader;
import org.tukaani.xz.XZInputStream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A recorded snapshot of PyTorch 2.11 or 2.14 and the file beside it, which holds what a snapshot
 * does not: the memory limit, the size of the device, the statistics at the end, and for the random
 * sequences the calls that were made.
 *
 * @param name folder and name without the ending
 */
record Recorded(String name, Path snapshotFile, JsonNode side) {
  private static final List<String> FOLDERS =
      List.of(
          "pytorch-models",
          "pytorch-fuzz",
          "pytorch-other",
          "pytorch-published",
          "pytorch-random",
          "pytorch-2.14");
  private static final String ENDING = ".pickle.xz";
  private static final JsonMapper MAPPER = JsonMapper.builder().build();

  /** The few recordings that the project holds, so that it can be tested without the others. */
  static List<Recorded> shipped() {
    try {
      return in(Path.of(Recorded.class.getResource("/recordings").toURI()));
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  /** All recordings of the folder that the property {@code allocsim.recordings} names. */
  static List<Recorded> all() {
    return in(folder());
  }

  /** Whether the folder of recordings is there at all. */
  static boolean isFolderPresent() {
    return Files.isDirectory(folder());
  }

  /** The folder of recordings: a relative path is looked for beside the repository too. */
  static Path folder() {
    Path path = Path.of(System.getProperty("allocsim.recordings", "../shared/recordings"));
    return path.isAbsolute() || Files.exists(path) ? path : Path.of("..").resolve(path);
  }

  private static List<Recorded> in(Path root) {
    return FOLDERS.stream()
        .map(root::resolve)
        .filter(Files::isDirectory)
        .flatMap(Recorded::snapshotFiles)
        .map(Recorded::of)
        .toList();
  }

  private static Stream<Path> snapshotFiles(Path folder) {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> file.toString().endsWith(ENDING)).sorted().toList().stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Recorded of(Path snapshotFile) {
    String fileName = snapshotFile.getFileName().toString();
    String base = fileName.substring(0, fileName.length() - ENDING.length());
    Path side =
        Stream.of(".json.xz", ".ops.json.xz", ".json")
            .map(ending -> snapshotFile.resolveSibling(base + ending))
            .filter(Files::exists)
            .findFirst()
            .orElseThrow(() -> new IllegalStateException("nothing beside " + snapshotFile));
    return new Recorded(
        snapshotFile.getParent().getFileName() + "/" + base, snapshotFile, json(side));
  }

  private static JsonNode json(Path file) {
    try (InputStream in = new BufferedInputStream(Files.newInputStream(file))) {
      return MAPPER.readTree(file.toString().endsWith(".xz") ? new XZInputStream(in) : in);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  Snapshot snapshot() throws TraceFormatException {
    return SnapshotReader.read(snapshotFile, (done, total) -> {});
  }

  /** The release that wrote a snapshot. */
  static PyTorchVersion release(Snapshot snapshot) {
    return Objects.requireNonNull(snapshot.settings().release(), snapshot::fileName);
  }

  /** The settings that a snapshot names. */
  static AllocatorConfig config(Snapshot snapshot) throws ConfigException {
    return ConfigParser.parse(snapshot.settings().conf(), release(snapshot)).allocator();
  }

  /** All that is known beside the snapshot. */
  VerificationOptions options(Snapshot snapshot) throws ConfigException {
    return new VerificationOptions(
        config(snapshot), release(snapshot), limitBytes(), side.get("total").asLong());
  }

  /** What is known from the snapshot alone. */
  static VerificationOptions optionsOfSnapshotAlone(Snapshot snapshot) throws ConfigException {
    return new VerificationOptions(config(snapshot), release(snapshot), -1, -1);
  }

  /** The limit that the allocator had, −1 for none; a fraction of 0 stands for none. */
  long limitBytes() throws ConfigException {
    if (isTakenAtFailure()) {
      // The arguments of the observer: device, bytes wanted, bytes allowed, bytes free.
      return side.get("oom_args").get(2).asLong();
    }
    JsonNode fraction = side.get("fraction");
    if (fraction == null || fraction.isNull() || fraction.asDouble() == 0) {
      return MemoryLimit.NONE;
    }
    return MemoryLimit.ofFraction(
        fraction.asDouble(), side.get("total").asLong(), PyTorchVersion.V2_11);
  }

  /** Whether the snapshot was taken in the midst of a failing request, by an OOM observer. */
  boolean isTakenAtFailure() {
    return side.has("oom_args");
  }

  /** The {@code memory_stats()} of a device when its snapshot was taken, if they were recorded. */
  Optional<Map<String, Long>> statistics(int device) {
    JsonNode recorded = side.get("stats" + device);
    if (recorded == null && device == 0) {
      recorded = side.get("stats");
    }
    if (recorded == null || isTakenAtFailure()) {
      return Optional.empty();
    }
    Map<String, Long> statistics = new TreeMap<>();
    recorded.forEachEntry((key, value) -> statistics.put(key, value.asLong()));
    return Optional.of(statistics);
  }

  /** How often the program called {@code empty_cache()}, if its calls were recorded. */
  Optional<Long> emptyCacheCalls() {
    JsonNode calls = side.get("ops");
    return calls == null
        ? Optional.empty()
        : Optional.of(
            calls
                .valueStream()
                .filter(call -> call.get(0).asString().equals("empty_cache"))
                .count());
  }

  @Override
  public String toString() {
    return name;
  }
}
