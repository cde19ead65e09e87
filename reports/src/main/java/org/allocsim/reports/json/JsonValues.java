package org.allocsim.reports.json;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.json.JsonFactory;

/** Reads a small JSON document as maps, lists, strings, numbers, booleans and nulls. */
public final class JsonValues {
  private static final int MAX_VALUES = 1_000_000;
  private static final JsonFactory FACTORY = new JsonFactory();

  private final JsonParser json;
  private int values;

  private JsonValues(JsonParser json) {
    this.json = json;
  }

  /**
   * The object that a stream holds; integers are {@code Long}, other numbers {@code Double}.
   *
   * @throws IOException with the cause where it is no object of JSON or too large
   */
  public static Map<String, Object> readObject(InputStream stream) throws IOException {
    try (JsonParser json = FACTORY.createParser(ObjectReadContext.empty(), stream)) {
      if (json.nextToken() != JsonToken.START_OBJECT) {
        throw new IOException("it is not a JSON object");
      }
      return new JsonValues(json).object();
    } catch (JacksonException e) {
      throw new IOException(broken(e), e);
    }
  }

  /** Where JSON is broken; what the parser says of it names its own settings. */
  static String broken(JacksonException cause) {
    TokenStreamLocation at = cause.getLocation();
    return at == null || at.getLineNr() < 1
        ? "it is not valid JSON"
        : "it is not valid JSON at line %d, column %d".formatted(at.getLineNr(), at.getColumnNr());
  }

  private Map<String, @Nullable Object> object() throws IOException {
    Map<String, @Nullable Object> map = new LinkedHashMap<>();
    while (json.nextToken() == JsonToken.PROPERTY_NAME) {
      String key = json.currentName();
      map.put(key, value(json.nextToken()));
    }
    return map;
  }

  private List<@Nullable Object> array() throws IOException {
    List<@Nullable Object> list = new ArrayList<>();
    for (JsonToken next = json.nextToken(); next != JsonToken.END_ARRAY; next = json.nextToken()) {
      list.add(value(next));
    }
    return list;
  }

  private @Nullable Object value(JsonToken token) throws IOException {
    if (++values > MAX_VALUES) {
      throw new IOException("it holds more than " + MAX_VALUES + " values");
    }
    return switch (token) {
      case START_OBJECT -> object();
      case START_ARRAY -> array();
      case VALUE_STRING -> json.getString();
      case VALUE_NUMBER_INT -> json.getLongValue();
      case VALUE_NUMBER_FLOAT -> json.getDoubleValue();
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      default -> null;
    };
  }
}
