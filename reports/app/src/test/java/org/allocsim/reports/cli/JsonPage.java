package org.allocsim.reports.cli;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.reports.answer.Answers;
import org.allocsim.reports.answer.product.ListAnswer;
import org.allocsim.reports.document.render.JsonRenderer;
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

        Every command with `--json FILE` writes one object. Its first key, `schema`, is the name and version of its [JSON
        Schema](https://json-schema.org) (draft 2020-12), which ships with allocsim: `allocsim list schemas` lists the
        schemas, `allocsim list schemas allocsim-compare-3` prints one. The version changes when a key is removed or changes
        its meaning; new keys do not change it. Bytes are whole numbers in keys that end in `_bytes`, nanoseconds in `_nanos`
        (in version 1 also `_ns`), seconds in `_seconds`, fractions of a whole in `_ratio`; undefined figures are null. If a
        signal ended the command early, the answer has the key `partial`, which is true; with plugins it has the key
        `plugins`, a list of their jars. Columns of CSV have the names of these keys.

        A test makes this page from the schemas. `[]` stands for the elements of a list, `*` for keys that depend on the
        data.
        """);
    for (ListAnswer.Schema schema : Answers.schemas()) {
      made.add(schema.id(), mapper.readTree(schema.text()));
    }
    return made.page.toString();
  }

  private void add(String id, JsonNode schema) {
    page.append("\n## ").append(id).append("\n\n");
    page.append(schema.path("description").asString()).append("\n\n");
    page.append("| key | type | meaning |\n| --- | --- | --- |\n");
    rows("", schema);
  }

  private void rows(String prefix, JsonNode schema) {
    schema.path("properties").properties().stream()
        // Every answer may have it, and the introduction says so.
        .filter(each ->
            !each.getKey().equals(JsonRenderer.PARTIAL)
                && !each.getKey().equals(JsonRenderer.PLUGINS))
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
