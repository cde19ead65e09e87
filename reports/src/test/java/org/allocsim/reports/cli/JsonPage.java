package org.allocsim.reports.cli;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.reports.json.JsonDocument;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The page that documents the JSON of every command, made of the schemas. */
final class JsonPage {
  private final StringBuilder page = new StringBuilder();

  private JsonPage() {}

  static String of(JsonMapper mapper) {
    JsonPage made = new JsonPage();
    made.page.append(
        """
        # JSON

        Every command that takes `--json FILE` writes one object. Its first key, `schema`, names what the others mean: name
        and version of a [JSON Schema](https://json-schema.org) (draft 2020-12) that ships with allocsim. `allocsim list
        schemas` shows them, `allocsim list schemas allocsim-replay-1` prints one. A new version follows when a key goes or
        changes its meaning; keys may be added without one. Bytes are whole numbers in keys that end in `_bytes`,
        nanoseconds in `_ns` or `_nanos`, seconds in `_seconds`; undefined figures are null. Columns of CSV have the names of
        these keys.

        This page is made of the schemas by a test. `[]` stands for the elements of a list, `*` for keys that depend on the
        data.
        """);
    for (JsonDocument document : JsonDocument.values()) {
      made.add(document, mapper.readTree(document.schema()));
    }
    return made.page.toString();
  }

  private void add(JsonDocument document, JsonNode schema) {
    page.append("\n## ").append(document.id()).append("\n\n");
    page.append(schema.path("description").asString()).append("\n\n");
    page.append("| key | type | meaning |\n| --- | --- | --- |\n");
    rows("", schema);
  }

  private void rows(String prefix, JsonNode schema) {
    schema
        .path("properties")
        .properties()
        .forEach(each -> row(prefix + each.getKey(), each.getValue()));
    if (schema.path("additionalProperties").isObject()) {
      row(prefix + "*", schema.path("additionalProperties"));
    }
  }

  private void row(String path, JsonNode schema) {
    page.append("| `").append(path).append("` | ").append(type(schema)).append(" | ");
    page.append(schema.path("description").asString()).append(" |\n");
    rows(path + ".", schema);
    if (schema.path("items").isObject()) {
      rows(path + "[].", schema.path("items"));
    }
  }

  private static String type(JsonNode schema) {
    if (schema.has("const")) {
      return "string";
    }
    List<String> types = new ArrayList<>();
    JsonNode type = schema.path("type");
    if (type.isArray()) {
      type.forEach(each -> types.add(each.asString()));
    } else {
      types.add(type.asString("any"));
    }
    return String.join(" or ", types);
  }
}
