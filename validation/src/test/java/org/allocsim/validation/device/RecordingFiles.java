package org.allocsim.validation.device;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.tukaani.xz.XZInputStream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Recordings outside the repository; tests that need an absent one are left out. */
final class RecordingFiles {
  private static final JsonMapper MAPPER = JsonMapper.builder().build();

  private RecordingFiles() {}

  /** The files of a folder whose names end so, by name. */
  static List<Path> list(String folder, String suffix) throws IOException {
    Path path = root().resolve(folder);
    assumeTrue(Files.isDirectory(path), "left out: no recordings at " + path);
    try (Stream<Path> files = Files.list(path)) {
      return files.filter(file -> file.toString().endsWith(suffix)).sorted().toList();
    }
  }

  /** Reads one xz-compressed JSON file. */
  static JsonNode read(String folder, String name) throws IOException {
    Path file = root().resolve(folder).resolve(name);
    assumeTrue(Files.exists(file), "left out: no recording at " + file);
    return read(file);
  }

  /** Reads one xz-compressed JSON file. */
  static JsonNode read(Path file) throws IOException {
    try (InputStream in = new XZInputStream(new BufferedInputStream(Files.newInputStream(file)))) {
      return MAPPER.readTree(in);
    }
  }

  private static Path root() {
    Path path = Path.of(System.getProperty("allocsim.recordings", "../shared/recordings"));
    return path.isAbsolute() || Files.exists(path) ? path : Path.of("..").resolve(path);
  }
}
