package org.allocsim.reports.json;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * The documents of version 1 that commands write as JSON, those that are not yet described in
 * {@code org.allocsim.reports.answer}. Each names its schema in its first key; the schema is a
 * resource in JSON Schema, draft 2020-12, and knows every key.
 *
 * <p>A new version follows when a key goes or changes its meaning, not when one is added.
 */
public enum JsonDocument {
  REPLAY("replay --json"),
  REPLAY_REPEATED("replay --repeat --json"),
  VERIFY("verify --json"),
  SUITE("suite --json"),
  SUITE_SCORES("suite --policies --json"),
  PEAK("peak --json"),
  PINS("pins --json"),
  DIFF("diff --json"),
  CHECK("check --json"),
  ACCOUNT("account --json"),
  LEAKS("leaks --json"),
  INSPECT("inspect --json"),
  LINT_CONF("lint-conf --json"),
  EXPLAIN_OOM("explain-oom --json"),
  PERTURB("perturb --json"),
  BENCH("bench --json"),
  VALIDATE("validate --json"),
  VALIDATE_PYTORCH("validate --pytorch --json"),
  CALIBRATE("calibrate --report");

  private static final String KEY = "schema";
  private static final int VERSION = 1;

  private final String command;

  JsonDocument(String command) {
    this.command = command;
  }

  /** Name and version of the schema, such as {@code allocsim-replay-1}. */
  public String id() {
    return "allocsim-" + name().toLowerCase(Locale.ROOT).replace('_', '-') + "-" + VERSION;
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
