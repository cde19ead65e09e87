package org.allocsim.reports.answer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.allocsim.analysis.text.JsonText;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.document.Table;
import org.allocsim.reports.document.render.JsonRenderer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The figures of an answer at the places that its JSON has them. A figure that is another one, or
 * is not there, fails with its place.
 */
public final class AnswerFigures {
  private static final JsonMapper MAPPER = JsonMapper.builder().build();

  private final JsonNode answer;

  private AnswerFigures(JsonNode answer) {
    this.answer = answer;
  }

  /** The figures of a document, each of whose tables has as many rows as its place in the JSON. */
  public static AnswerFigures of(Document<?> document) {
    JsonNode answer = MAPPER.readTree(JsonText.line(JsonRenderer.json(document)));
    for (Table<?> table : document.tables()) {
      if (table.pointer() != null) {
        assertEquals(table.rows().size(), answer.at(table.pointer()).size(), table.pointer());
      }
    }
    return new AnswerFigures(answer);
  }

  /** A whole number, such as bytes, nanoseconds or a count. */
  public void is(String place, long expected) {
    JsonNode found = answer.at(place);
    assertTrue(found.isIntegralNumber(), () -> place + " is no whole number: " + found);
    assertEquals(expected, found.asLong(), place);
  }

  /** A ratio, or another number with a fraction. */
  public void is(String place, double expected) {
    JsonNode found = answer.at(place);
    assertTrue(found.isNumber(), () -> place + " is no number: " + found);
    assertEquals(expected, found.asDouble(), place);
  }

  /** A text. */
  public void is(String place, String expected) {
    JsonNode found = answer.at(place);
    assertTrue(found.isString(), () -> place + " is no text: " + found);
    assertEquals(expected, found.asString(), place);
  }

  /** Yes or no. */
  public void is(String place, boolean expected) {
    JsonNode found = answer.at(place);
    assertTrue(found.isBoolean(), () -> place + " is neither yes nor no: " + found);
    assertEquals(expected, found.asBoolean(), place);
  }

  /** No figure, for a reason that the schema states. */
  public void isMissing(String place) {
    assertTrue(answer.at(place).isNull(), () -> place + " is " + answer.at(place));
  }

  /** So many entries. */
  public void has(String place, int entries) {
    JsonNode found = answer.at(place);
    assertTrue(found.isArray(), () -> place + " is no list: " + found);
    assertEquals(entries, found.size(), place);
  }

  /** The first sentence. */
  public void says(String sentence) {
    is("/verdict/sentence", sentence);
  }
}
