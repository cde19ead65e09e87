package org.allocsim.analysis.text;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.PrettyPrinter;
import tools.jackson.core.SerializableString;
import tools.jackson.core.exc.JacksonIOException;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.util.DefaultIndenter;
import tools.jackson.core.util.DefaultPrettyPrinter;
import tools.jackson.core.util.Separators;

/**
 * Writes trees of maps, lists, strings, numbers, booleans and nulls as JSON: UTF-8, two spaces of
 * indentation, Unix line ends, keys in the order of the map.
 */
public final class JsonText {
  private static final JsonFactory FACTORY = new JsonFactory();

  private JsonText() {}

  /** A generator of compact JSON that leaves the stream open when it is closed. */
  public static JsonGenerator lines(OutputStream out) {
    return FACTORY.createGenerator(new Lines(), new Unclosed(out));
  }

  /**
   * Writes one value, with a line end after it, and leaves the stream open.
   *
   * @throws UncheckedIOException if the stream takes no more
   */
  public static void write(Object value, OutputStream out) {
    try (JsonGenerator json = FACTORY.createGenerator(new Pretty(), new Unclosed(out))) {
      write(value, json);
      json.writeRaw('\n');
    } catch (JacksonIOException e) {
      throw new UncheckedIOException(e.getCause());
    }
  }

  /** What {@link #write(Object, OutputStream)} writes. */
  public static String text(Object value) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    write(value, out);
    return out.toString(StandardCharsets.UTF_8);
  }

  /** One value in one line, without its end. */
  public static String line(Object value) {
    StringWriter line = new StringWriter();
    try (JsonGenerator json = FACTORY.createGenerator(new Lines(), line)) {
      write(value, json);
    }
    return line.toString();
  }

  private static void write(Object value, JsonGenerator json) {
    switch (value) {
      case null -> json.writeNull();
      case String text -> json.writeString(text);
      case Boolean bool -> json.writeBoolean(bool);
      case Integer number -> json.writeNumber(number.intValue());
      case Long number -> json.writeNumber(number.longValue());
      case Double number -> writeDouble(number, json);
      case java.math.BigInteger number -> json.writeNumber(number);
      case Map<?, ?> map -> {
        json.writeStartObject();
        for (Map.Entry<?, ?> entry : map.entrySet()) {
          json.writeName((String) entry.getKey());
          write(entry.getValue(), json);
        }
        json.writeEndObject();
      }
      case List<?> list -> {
        json.writeStartArray();
        for (Object element : list) {
          write(element, json);
        }
        json.writeEndArray();
      }
      default ->
          throw new IllegalArgumentException("no JSON form for " + value.getClass().getName());
    }
  }

  /** JSON knows no infinities and no "not a number"; an undefined figure is null. */
  private static void writeDouble(double number, JsonGenerator json) {
    if (Double.isFinite(number)) {
      json.writeNumber(number);
    } else {
      json.writeNull();
    }
  }

  /** Values follow each other with nothing between but the line ends that the caller writes. */
  private static final class Lines extends ObjectWriteContext.Base {
    @Override
    public @Nullable SerializableString getRootValueSeparator(SerializableString usual) {
      return null;
    }
  }

  private static final class Pretty extends ObjectWriteContext.Base {
    @Override
    public boolean hasPrettyPrinter() {
      return true;
    }

    @Override
    public PrettyPrinter getPrettyPrinter() {
      DefaultIndenter indenter = new DefaultIndenter("  ", "\n");
      Separators separators =
          Separators.createDefaultInstance()
              .withObjectNameValueSpacing(Separators.Spacing.AFTER)
              .withObjectEmptySeparator("")
              .withArrayEmptySeparator("");
      return new DefaultPrettyPrinter(separators)
          .withObjectIndenter(indenter)
          .withArrayIndenter(indenter);
    }
  }

  private static final class Unclosed extends java.io.FilterOutputStream {
    Unclosed(OutputStream out) {
      super(out);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws java.io.IOException {
      out.write(bytes, offset, length);
    }

    @Override
    public void close() throws java.io.IOException {
      flush();
    }
  }
}
