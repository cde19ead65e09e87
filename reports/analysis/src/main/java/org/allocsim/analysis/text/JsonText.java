package org.allocsim.analysis.text;

import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes trees of maps, lists, strings, numbers, booleans and nulls as JSON: UTF-8, two spaces of
 * indentation, Unix line ends, keys in the order of the map. A library would add more to the
 * program that runs in browsers than these few lines.
 */
public final class JsonText {
  private static final String HEX = "0123456789ABCDEF";

  /** Characters after which a text goes to the stream. */
  private static final int PART = 1 << 13;

  private final StringBuilder text = new StringBuilder();
  private final @Nullable Writer out;
  private final boolean isIndented;
  private int depth;

  private JsonText(@Nullable Writer out, boolean isIndented) {
    this.out = out;
    this.isIndented = isIndented;
  }

  /**
   * Writes one value, with a line end after it, and leaves the stream open.
   *
   * @throws UncheckedIOException if the stream takes no more
   */
  public static void write(Object value, OutputStream out) {
    try {
      Writer writer = new OutputStreamWriter(out, StandardCharsets.UTF_8);
      JsonText json = new JsonText(writer, true);
      json.append(value);
      writer.append(json.text).append('\n').flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What {@link #write(Object, OutputStream)} writes. */
  public static String text(Object value) {
    return string(value, true) + '\n';
  }

  /** One value in one line, without its end. */
  public static String line(Object value) {
    return string(value, false);
  }

  private static String string(Object value, boolean isIndented) {
    try {
      JsonText json = new JsonText(null, isIndented);
      json.append(value);
      return json.text.toString();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void append(@Nullable Object value) throws IOException {
    switch (value) {
      case null -> text.append("null");
      case String string -> appendQuoted(string);
      // JSON knows no infinities and no "not a number"; an undefined figure is null.
      case Double number when !Double.isFinite(number) -> text.append("null");
      case Boolean _, Integer _, Long _, Double _, BigInteger _ -> text.append(value);
      case Map<?, ?> map -> appendMap(map);
      case List<?> list -> appendList(list);
      default -> throw new IllegalArgumentException("no JSON form for " + value);
    }
    if (out != null && text.length() >= PART) {
      out.append(text);
      text.setLength(0);
    }
  }

  private void appendMap(Map<?, ?> map) throws IOException {
    text.append('{');
    depth++;
    for (Iterator<? extends Map.Entry<?, ?>> all = map.entrySet().iterator(); all.hasNext(); ) {
      Map.Entry<?, ?> entry = all.next();
      startLine();
      appendQuoted((String) entry.getKey());
      text.append(isIndented ? ": " : ":");
      append(entry.getValue());
      if (all.hasNext()) {
        text.append(',');
      }
    }
    end(map.isEmpty(), '}');
  }

  private void appendList(List<?> list) throws IOException {
    text.append('[');
    depth++;
    for (Iterator<?> all = list.iterator(); all.hasNext(); ) {
      startLine();
      append(all.next());
      if (all.hasNext()) {
        text.append(',');
      }
    }
    end(list.isEmpty(), ']');
  }

  private void end(boolean isEmpty, char bracket) {
    depth--;
    if (!isEmpty) {
      startLine();
    }
    text.append(bracket);
  }

  private void startLine() {
    if (isIndented) {
      text.append('\n').append("  ".repeat(depth));
    }
  }

  private void appendQuoted(String string) {
    text.append('"');
    for (int i = 0; i < string.length(); i++) {
      char c = string.charAt(i);
      switch (c) {
        case '"', '\\' -> text.append('\\').append(c);
        case '\b' -> text.append("\\b");
        case '\t' -> text.append("\\t");
        case '\n' -> text.append("\\n");
        case '\f' -> text.append("\\f");
        case '\r' -> text.append("\\r");
        default -> {
          if (isHidden(string, i)) {
            text.append("\\u")
                .append(HEX.charAt(c >> 12))
                .append(HEX.charAt(c >> 8 & 15))
                .append(HEX.charAt(c >> 4 & 15))
                .append(HEX.charAt(c & 15));
          } else {
            text.append(c);
          }
        }
      }
    }
    text.append('"');
  }

  /**
   * Whether a character, or the pair that it belongs to, would do something to a terminal or be
   * invisible on it: control characters, marks of direction, separators of lines, half pairs.
   */
  private static boolean isHidden(String string, int at) {
    char c = string.charAt(at);
    if (c >= ' ' && c < 0x7f) {
      return false;
    }
    boolean isSecond =
        Character.isLowSurrogate(c) && at > 0 && Character.isHighSurrogate(string.charAt(at - 1));
    return switch (Character.getType(string.codePointAt(isSecond ? at - 1 : at))) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.SURROGATE ->
          true;
      default -> false;
    };
  }
}
