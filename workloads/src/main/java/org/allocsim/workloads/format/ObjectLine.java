package org.allocsim.workloads.format;

import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.util.JsonRecyclerPools;

/** Lines of a file of which each is one JSON object. */
public final class ObjectLine {
  /** Makes a parser for each line, so that buffers are at hand without looking far. */
  public static final JsonFactory FACTORY =
      JsonFactory.builder().recyclerPool(JsonRecyclerPools.threadLocalPool()).build();

  /** What a format makes of a field. */
  @FunctionalInterface
  public interface Field {
    /** Reads the value of the field whose name the parser has read. */
    void read(JsonParser json) throws TraceFormatException;
  }

  private final LineInput lines;
  private final Field field;

  /** The lines of a file, which tell their fields. */
  public ObjectLine(LineInput lines, Field field) {
    this.lines = lines;
    this.field = field;
  }

  /**
   * Takes the line that was read last apart.
   *
   * @throws TraceFormatException where it is not one object, or a field is not as it must be
   */
  public void parse() throws TraceFormatException {
    try (JsonParser json =
        FACTORY.createParser(ObjectReadContext.empty(), lines.bytes(), 0, lines.length())) {
      if (json.nextToken() != JsonToken.START_OBJECT) {
        throw broken("is not a JSON object");
      }
      while (json.nextToken() == JsonToken.PROPERTY_NAME) {
        field.read(json);
      }
      if (json.nextToken() != null) {
        throw broken("continues after its object");
      }
    } catch (JacksonException _) {
      throw broken("is not valid JSON");
    }
  }

  /** A failure of the line as a whole. */
  public TraceFormatException broken(String what) {
    return lines.failure(
        "the line " + what, "each line must be one JSON object; the file may be truncated");
  }
}
