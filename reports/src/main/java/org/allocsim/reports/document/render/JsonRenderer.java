package org.allocsim.reports.document.render;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.allocsim.reports.document.Column;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.document.Kind;
import org.allocsim.reports.document.Sentence;
import org.allocsim.reports.document.Shape;
import org.allocsim.reports.document.Type;
import org.allocsim.reports.document.Verdict;

/** A document as JSON, and the schema of a kind of documents. */
public final class JsonRenderer {
  /** Key that only the answer of a command has which a signal ended early. */
  public static final String PARTIAL = "partial";

  /** Key of the jars of plugins that were loaded; absent where there are none. */
  public static final String PLUGINS = "plugins";

  private static final String SCHEMA = "schema";
  private static final String VERDICT = "verdict";
  private static final String DESCRIPTION = "description";
  private static final String TYPE = "type";

  private static final Shape<Verdict> VERDICTS =
      Shape.of(verdict ->
          verdict
              .text(
                  "tone",
                  "Tone of the verdict: good, neutral or bad.",
                  each -> each.tone().name().toLowerCase(Locale.ROOT))
              .text("sentence", "What happened and what to do.", each -> each.sentence().toString())
              .texts(
                  "details",
                  "Supporting facts, one sentence each.",
                  each -> each.details().stream().map(Sentence::toString).toList())
              .text("paste_line", "Shell line that applies the remedy.", Verdict::pasteLine)
              .missing("there is none"));

  private JsonRenderer() {}

  /** A document as maps, lists and plain values. */
  public static <T> Map<String, Object> json(Document<T> document) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put(SCHEMA, document.kind().id());
    map.put(VERDICT, document.verdict() == null ? null : json(VERDICTS, document.verdict()));
    json(document.kind().shape(), document.content())
        .forEach((key, value) -> {
          if (map.containsKey(key)) {
            throw new IllegalStateException(key + " is what all answers have; name it otherwise");
          }
          map.put(key, value);
        });
    return map;
  }

  private static <R> Map<String, Object> json(Shape<R> shape, R subject) {
    Map<String, Object> map = new LinkedHashMap<>();
    for (Column<R> column : shape.keyed()) {
      Object value = column.value(subject);
      if (value == null && column.missing() == null) {
        throw new IllegalStateException(column.key() + " is missing and never should be");
      }
      map.put(column.key(), value == null ? null : json(column.type(), value));
    }
    return map;
  }

  private static Object json(Type type, Object value) {
    return switch (type) {
      case Type.Scalar _ -> value;
      case Type.Series _ -> value;
      case Type.Named(var of, _) -> {
        Map<String, Object> map = new LinkedHashMap<>();
        ((Map<?, ?>) value).forEach((name, part) -> map.put(name.toString(), json(of, part)));
        yield map;
      }
      case Type.Single(var shape) -> json(unchecked(shape), value);
      case Type.Many(var shape) ->
          ((List<?>) value)
              .stream().<Object>map(element -> json(unchecked(shape), element)).toList();
    };
  }

  /** The builder of shapes has seen to it that value and shape suit each other. */
  @SuppressWarnings("unchecked")
  private static Shape<Object> unchecked(Shape<?> shape) {
    return (Shape<Object>) shape;
  }

  /** The schema of a kind, in JSON Schema, draft 2020-12. */
  public static Map<String, Object> schema(Kind<?> kind) {
    Map<String, Object> schema = new LinkedHashMap<>();
    schema.put("$schema", "https://json-schema.org/draft/2020-12/schema");
    schema.put("$id", kind.urn());
    schema.put("title", kind.id());
    schema.put(DESCRIPTION, kind.description());
    Map<String, Object> properties = new LinkedHashMap<>();
    Map<String, Object> name = new LinkedHashMap<>();
    name.put(
        DESCRIPTION,
        "Name and version of this schema; the version changes when a key is removed or changes"
            + " its meaning, not when one is added.");
    name.put("const", kind.id());
    properties.put(SCHEMA, name);
    Shape<Verdict> verdict =
        Shape.of(shape ->
            shape
                .one(VERDICT, "The conclusion of the answer.", VERDICTS, each -> each)
                .missing("the answer has none"));
    properties.putAll(properties(verdict));
    properties.putAll(properties(kind.shape()));
    putObject(schema, properties);
    Map<String, Object> partial = new LinkedHashMap<>();
    partial.put(
        DESCRIPTION,
        "Present only if a signal ended the command early; unfinished parts are missing.");
    partial.put("const", true);
    properties.put(PARTIAL, partial);
    Map<String, Object> plugins = new LinkedHashMap<>();
    plugins.put(
        DESCRIPTION,
        "Present only if --plugins or ALLOCSIM_PLUGINS names a folder: the jars whose code ran.");
    plugins.put(TYPE, "array");
    plugins.put("items", Map.of(TYPE, "string"));
    properties.put(PLUGINS, plugins);
    return schema;
  }

  private static Map<String, Object> properties(Shape<?> shape) {
    return shape.keyed().stream()
        .collect(
            Collectors.toMap(
                Column::key,
                column -> property(explanation(column), column.type(), column.missing() != null),
                (one, _) -> one,
                LinkedHashMap::new));
  }

  private static Map<String, Object> property(String description, Type type, boolean mayBeMissing) {
    Map<String, Object> property = new LinkedHashMap<>();
    property.put(DESCRIPTION, description);
    String name =
        switch (type) {
          case Type.Scalar(var unit) -> unit.jsonType();
          case Type.Series _, Type.Many _ -> "array";
          case Type.Named _, Type.Single _ -> "object";
        };
    if (name != null) {
      property.put(TYPE, mayBeMissing ? List.of(name, "null") : name);
    }
    switch (type) {
      case Type.Scalar _ -> {}
      case Type.Series(var unit) -> property.put("items", Map.of(TYPE, unit.jsonType()));
      case Type.Named(var of, var meaning) ->
          property.put("additionalProperties", property(meaning, of, false));
      case Type.Single(var shape) -> putObject(property, properties(shape));
      case Type.Many(var shape) -> {
        Map<String, Object> items = new LinkedHashMap<>();
        items.put(TYPE, "object");
        putObject(items, properties(shape));
        property.put("items", items);
      }
    }
    return property;
  }

  private static String explanation(Column<?> column) {
    return column.missing() == null
        ? column.explanation()
        : column.explanation().replaceFirst("\\.$", "") + "; null if " + column.missing() + ".";
  }

  private static void putObject(Map<String, Object> schema, Map<String, Object> properties) {
    schema.putIfAbsent(TYPE, "object");
    schema.put("properties", properties);
    schema.put("required", List.copyOf(properties.keySet()));
    schema.put("additionalProperties", false);
  }
}
