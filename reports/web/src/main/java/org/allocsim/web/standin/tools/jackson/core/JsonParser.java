package org.allocsim.web.standin.tools.jackson.core;

import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonToken;
import tools.jackson.core.StreamReadConstraints;

/** Reads a JSON text token by token, and refuses what RFC 8259 does not allow. */
public final class JsonParser implements AutoCloseable {
  private static final String SPACE = " \t\r\n";
  private static final int HEX_DIGITS = 4;
  private static final int HEX = 16;

  private final String text;
  private final StreamReadConstraints constraints;

  /** For each open bracket whether it is an object's. */
  private final StringBuilder open = new StringBuilder();

  private int at;
  private JsonToken token;
  private String name;
  private String value;

  /** A reader that stands before the first token. */
  public JsonParser(String text, StreamReadConstraints constraints) {
    this.text = text;
    this.constraints = constraints;
  }

  /** Goes to the next token; null at the end of the text. */
  public JsonToken nextToken() {
    token = next();
    return token;
  }

  private JsonToken next() {
    skipSpace();
    if (open.isEmpty()) {
      if (at == text.length()) {
        return null;
      }
      return value();
    }
    boolean isObject = open.charAt(open.length() - 1) == '{';
    if (isObject && token == JsonToken.PROPERTY_NAME) {
      expect(':');
      return value();
    }
    if (peek() == (isObject ? '}' : ']')) {
      at++;
      open.setLength(open.length() - 1);
      return isObject ? JsonToken.END_OBJECT : JsonToken.END_ARRAY;
    }
    if (token != JsonToken.START_OBJECT && token != JsonToken.START_ARRAY) {
      expect(',');
    }
    if (!isObject) {
      return value();
    }
    expect('"');
    name = string();
    return JsonToken.PROPERTY_NAME;
  }

  private JsonToken value() {
    skipSpace();
    char first = peek();
    return switch (first) {
      case '{', '[' -> {
        at++;
        open.append(first);
        if (open.length() > constraints.getMaxNestingDepth()) {
          throw new Malformed("it is too deep inside");
        }
        yield first == '{' ? JsonToken.START_OBJECT : JsonToken.START_ARRAY;
      }
      case '"' -> {
        at++;
        value = string();
        yield JsonToken.VALUE_STRING;
      }
      case 't' -> word("true", JsonToken.VALUE_TRUE);
      case 'f' -> word("false", JsonToken.VALUE_FALSE);
      case 'n' -> word("null", JsonToken.VALUE_NULL);
      default -> numeral();
    };
  }

  private JsonToken word(String word, JsonToken meaning) {
    if (!text.startsWith(word, at)) {
      throw new Malformed("expected a value");
    }
    at += word.length();
    value = word;
    return meaning;
  }

  private JsonToken numeral() {
    int from = at;
    boolean isWhole = true;
    skip('-');
    if (!skip('0')) {
      skipDigits();
    }
    if (skip('.')) {
      isWhole = false;
      skipDigits();
    }
    if (skip('e') || skip('E')) {
      isWhole = false;
      if (!skip('+')) {
        skip('-');
      }
      skipDigits();
    }
    // Numbers outside of everything end with white space.
    String ends = open.isEmpty() ? SPACE : SPACE + ",]}";
    if (at - from > constraints.getMaxNumberLength()
        || at < text.length() && ends.indexOf(text.charAt(at)) < 0) {
      throw new Malformed("malformed number");
    }
    value = text.substring(from, at);
    return isWhole ? JsonToken.VALUE_NUMBER_INT : JsonToken.VALUE_NUMBER_FLOAT;
  }

  private void skipDigits() {
    int from = at;
    while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
      at++;
    }
    if (at == from) {
      throw new Malformed("a digit is missing");
    }
  }

  /** The rest of a string whose first quotation mark was read. */
  private String string() {
    StringBuilder string = new StringBuilder();
    while (true) {
      char c = peek();
      at++;
      if (c == '"') {
        return string.toString();
      }
      if (c < ' ') {
        throw new Malformed("unescaped control character in a string");
      }
      string.append(c == '\\' ? escaped() : c);
    }
  }

  private char escaped() {
    char c = peek();
    at++;
    return switch (c) {
      case '"', '\\', '/' -> c;
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      case 'u' -> {
        int code = 0;
        for (int i = 0; i < HEX_DIGITS; i++) {
          int digit = Character.digit(peek(), HEX);
          if (digit < 0) {
            throw new Malformed("a hexadecimal digit is missing");
          }
          code = HEX * code + digit;
          at++;
        }
        yield (char) code;
      }
      default -> throw new Malformed("unknown escape sequence");
    };
  }

  private void skipSpace() {
    while (at < text.length() && SPACE.indexOf(text.charAt(at)) >= 0) {
      at++;
    }
  }

  private boolean skip(char wanted) {
    boolean isThere = at < text.length() && text.charAt(at) == wanted;
    at += isThere ? 1 : 0;
    return isThere;
  }

  private void expect(char wanted) {
    skipSpace();
    if (!skip(wanted)) {
      throw new Malformed(wanted + " is missing");
    }
  }

  private char peek() {
    if (at == text.length()) {
      throw new Malformed("unexpected end of the text");
    }
    return text.charAt(at);
  }

  /** The token at which the reader stands. */
  public JsonToken currentToken() {
    return token;
  }

  /** The last name of a property. */
  public String currentName() {
    return name;
  }

  /** The text of a string, a name, a number or a word. */
  public String getString() {
    return token == JsonToken.PROPERTY_NAME ? name : value;
  }

  /** A whole number. */
  public long getLongValue() {
    try {
      return Long.parseLong(value);
    } catch (NumberFormatException e) {
      throw new Malformed("a number is too large");
    }
  }

  /** A number. */
  public double getDoubleValue() {
    return Double.parseDouble(value);
  }

  /** What a word means. */
  public boolean getBooleanValue() {
    if (token != JsonToken.VALUE_TRUE && token != JsonToken.VALUE_FALSE) {
      throw new Malformed("expected true or false");
    }
    return token == JsonToken.VALUE_TRUE;
  }

  /** Goes to the end of an object or a list at whose start the reader stands. */
  public JsonParser skipChildren() {
    if (token == JsonToken.START_OBJECT || token == JsonToken.START_ARRAY) {
      int outside = open.length() - 1;
      while (open.length() > outside) {
        nextToken();
      }
    }
    return this;
  }

  /** Ends the work. */
  @Override
  public void close() {
    at = text.length();
  }

  /** Why a text is no JSON; nobody reads it. */
  private static final class Malformed extends JacksonException {
    private static final long serialVersionUID = 1;

    Malformed(String reason) {
      super(reason);
    }
  }
}
