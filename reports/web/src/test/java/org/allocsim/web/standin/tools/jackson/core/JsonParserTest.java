package org.allocsim.web.standin.tools.jackson.core;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.allocsim.web.standin.tools.jackson.core.json.JsonFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;

/** The small reader accepts and refuses what the library does. */
class JsonParserTest {
  private static final StreamReadConstraints CONSTRAINTS =
      StreamReadConstraints.builder().maxNestingDepth(16).maxNumberLength(32).build();
  private static final tools.jackson.core.json.JsonFactory LIBRARY =
      tools.jackson.core.json.JsonFactory.builder().streamReadConstraints(CONSTRAINTS).build();
  private static final JsonFactory SMALL = new JsonFactory(CONSTRAINTS);

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "{}",
        "[]",
        "[1,]",
        "[,1]",
        "{\"a\":1,}",
        "{\"a\" : [true, false, null], \"b\":\t{\"c\": -0.5e+3}}",
        "[9223372036854775807, -9223372036854775808]",
        "[9223372036854775808]",
        "[01]",
        "[-]",
        "[1.]",
        "[.5]",
        "[+1]",
        "[1e]",
        "[truer]",
        "[nul]",
        "[\"\\u00e4\\n\\\\\\/\\ud83d\\ude00\"]",
        "[\"\\x\"]",
        "[\"\\u12\"]",
        "[\"a",
        "[\"a\nb\"]",
        "{\"a\" 1}",
        "{a: 1}",
        "[1 2]",
        "[1}",
        "1 2",
        "[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]",
        "[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]",
        "[12345678901234567890123456789012]",
        "[123456789012345678901234567890123]",
      })
  void aTextHasTheTokensOfTheLibrary(String text) {
    assertEquals(library(text), small(text), text);
  }

  @Test
  void damagedTextsAreRefusedWhereTheLibraryRefusesThem() {
    Random random = new Random(7);
    String characters = "{}[],:\"\\0123456789-+.eEtrufalsn \n\t";
    for (int i = 0; i < 50_000; i++) {
      StringBuilder text =
          new StringBuilder("{\"a\": [1, -2.5e3, true, null], \"b\\n\": {\"c\": \"d\\u0041\"}}");
      for (int change = random.nextInt(4); change > 0; change--) {
        int at = random.nextInt(text.length());
        char c = characters.charAt(random.nextInt(characters.length()));
        switch (random.nextInt(3)) {
          case 0 -> text.setCharAt(at, c);
          case 1 -> text.insert(at, c);
          default -> text.deleteCharAt(at);
        }
      }
      assertEquals(library(text.toString()), small(text.toString()), text.toString());
    }
  }

  @Test
  void childrenAreSkipped() {
    String text = "[{\"a\": [1, {}]}, 2]";
    try (JsonParser json = SMALL.createParser(ObjectReadContext.empty(), text)) {
      json.nextToken();
      json.nextToken();
      assertEquals(JsonToken.END_OBJECT, json.skipChildren().currentToken());
      json.nextToken();
      assertEquals(2, json.skipChildren().getLongValue());
      assertEquals(JsonToken.END_ARRAY, json.nextToken());
    }
  }

  private static List<Object> library(String text) {
    List<Object> seen = new ArrayList<>();
    try (tools.jackson.core.JsonParser json =
        LIBRARY.createParser(ObjectReadContext.empty(), text)) {
      for (JsonToken token = json.nextToken(); token != null; token = json.nextToken()) {
        seen.add(token);
        switch (token) {
          case PROPERTY_NAME -> seen.add(json.currentName());
          case VALUE_STRING -> seen.add(json.getString());
          case VALUE_NUMBER_INT -> seen.add(json.getLongValue());
          case VALUE_NUMBER_FLOAT -> seen.add(json.getDoubleValue());
          case VALUE_TRUE, VALUE_FALSE -> seen.add(json.getBooleanValue());
          default -> {}
        }
      }
      return seen;
    } catch (JacksonException e) {
      return List.of("refused");
    }
  }

  private static List<Object> small(String text) {
    List<Object> seen = new ArrayList<>();
    try (JsonParser json = SMALL.createParser(ObjectReadContext.empty(), text)) {
      for (JsonToken token = json.nextToken(); token != null; token = json.nextToken()) {
        seen.add(token);
        switch (token) {
          case PROPERTY_NAME -> seen.add(json.currentName());
          case VALUE_STRING -> seen.add(json.getString());
          case VALUE_NUMBER_INT -> seen.add(json.getLongValue());
          case VALUE_NUMBER_FLOAT -> seen.add(json.getDoubleValue());
          case VALUE_TRUE, VALUE_FALSE -> seen.add(json.getBooleanValue());
          default -> {}
        }
      }
      return seen;
    } catch (JacksonException e) {
      return List.of("refused");
    }
  }
}
