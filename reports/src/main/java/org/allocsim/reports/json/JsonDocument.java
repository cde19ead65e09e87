package org.allocsim.reports.json;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * The documents that commands write as JSON, those that are not yet described in {@code
 * org.allocsim.reports.answer}. Each names its schema in its first key; the schema is a resource in
 * JSON Schema, draft 2020-12, and knows every key.
 *
 * <p>A new version follows when a key goes or changes its meaning, not when one is added.
 */
public enum JsonDocument {
  REPLAY(2, "replay --json"),
  REPLAY_REPEATED(2, "replay --repeat --json"),
  VERIFY(2, "verify --json"),
  SUITE(2, "suite --json"),
  SUITE_SCORES(1, "suite --policies --json"),
  LEAKS(2, "leaks --json"),
  INSPECT(2, "inspect --json"),
  EXPLAIN_OOM(2, "explain-oom --json"),
  BENCH(2, "bench --json"),
  VALIDATE(2, "validate --json"),
  VALIDATE_PYTORCH(1, "validate --pytorch --json"),
  CALIBRATE(1, "calibrate --report");

  private static final String KEY = "schema";

  private final int version;
  private final String command;

  JsonDocument(int version, String command) {
    this.version = version;
    this.command = command;
  }

  /** Name and version of the schema, such as {@code allocsim-replay-2}. */
  public String id() {
    return "allocsim-" + name().toLowerCase(Locale.ROOT).replace('_', '-') + "-" + version;
  }

  /** The command and option that write such documents. */
  public String command() {
    return command;
  }

  /** The content as a document: with the name of its schema before it. */
  public Map<String, Object> of(Map<String, ?> content) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put(KEY, id());
    document.putAll(content);
    return document;
  }

  /** The schema as the text of a JSON file. */
  public String schema() {
    try (InputStream in = JsonDocument.class.getResourceAsStream("schema/" + id() + ".json")) {
      if (in == null) {
        throw new IllegalStateException("there is no schema " + id());
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
