package org.allocsim.workloads.format.jsonl;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.StackTable;
import org.allocsim.workloads.format.LineInput;
import org.allocsim.workloads.format.ObjectLine;
import org.allocsim.workloads.format.TraceFormatException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/** The fields of one line. */
final class JsonLine {
  private static final int MAX_FIELDS = 16;
  private static final int MAX_ITEMS = 1 << 16;
  private static final Set<String> OF_REQUESTS = Set.of("op", "time_ns", "device", "stack");

  /** Kinds of values. */
  private enum Kind {
    NUMBER,
    DECIMAL,
    FLAG,
    TEXT,
    NUMBERS,
    FRAMES
  }

  private final LineInput lines;
  private final ObjectLine object;
  private final String[] names = new String[MAX_FIELDS];
  private final Kind[] kinds = new Kind[MAX_FIELDS];
  private final long[] numbers = new long[MAX_FIELDS];
  private final Object[] values = new Object[MAX_FIELDS];
  private int count;

  JsonLine(LineInput lines) {
    this.lines = lines;
    object = new ObjectLine(lines, this::field);
  }

  /** Takes the line that was read last apart. */
  void parse() throws TraceFormatException {
    count = 0;
    object.parse();
  }

  private void field(JsonParser json) throws TraceFormatException {
    String name = json.currentName();
    if (count == MAX_FIELDS) {
      throw object.broken("has too many fields");
    }
    for (int i = 0; i < count; i++) {
      if (names[i].equals(name)) {
        throw lines.failure("duplicate field \"" + name + "\"", "remove one");
      }
    }
    names[count] = name;
    switch (json.nextToken()) {
      case VALUE_NUMBER_INT -> {
        kinds[count] = Kind.NUMBER;
        numbers[count] = json.getLongValue();
      }
      case VALUE_NUMBER_FLOAT -> {
        kinds[count] = Kind.DECIMAL;
        values[count] = json.getDoubleValue();
      }
      case VALUE_TRUE, VALUE_FALSE -> {
        kinds[count] = Kind.FLAG;
        values[count] = json.getBooleanValue();
      }
      case VALUE_STRING -> {
        kinds[count] = Kind.TEXT;
        values[count] = json.getString();
      }
      case START_ARRAY -> array(json);
      default -> throw wrong(name, "a number, a string, true, false or a list");
    }
    count++;
  }

  private void array(JsonParser json) throws TraceFormatException {
    List<Long> list = new ArrayList<>();
    List<StackTable.Frame> frames = new ArrayList<>();
    JsonToken token;
    while ((token = json.nextToken()) != JsonToken.END_ARRAY) {
      if (list.size() + frames.size() == MAX_ITEMS) {
        throw lines.failure("a list has more than " + MAX_ITEMS + " items", "shorten it");
      }
      switch (token) {
        case VALUE_NUMBER_INT -> list.add(json.getLongValue());
        case START_ARRAY -> frames.add(frame(json));
        default -> throw wrong(names[count], "a list of integers or of frames");
      }
    }
    kinds[count] = list.isEmpty() ? Kind.FRAMES : Kind.NUMBERS;
    values[count] = list.isEmpty() ? frames : list;
  }

  private StackTable.Frame frame(JsonParser json) throws TraceFormatException {
    if (json.nextToken() == JsonToken.VALUE_STRING) {
      String file = json.getString();
      if (json.nextToken() == JsonToken.VALUE_NUMBER_INT) {
        int line = json.getIntValue();
        if (json.nextToken() == JsonToken.VALUE_STRING) {
          String function = json.getString();
          if (json.nextToken() == JsonToken.END_ARRAY) {
            return new StackTable.Frame(file, line, function);
          }
        }
      }
    }
    throw wrong("frames", "a list of [file, line, function]");
  }

  private TraceFormatException wrong(String name, String what) {
    return lines.failure("field \"" + name + "\" is not " + what, "correct it");
  }

  /** Refuses fields that the line must not have. */
  void allow(Set<String> fields) throws TraceFormatException {
    for (int i = 0; i < count; i++) {
      if (!fields.contains(names[i])) {
        throw unknown(names[i]);
      }
    }
  }

  /** As {@link #allow}, for a request, which may also have the fields that all requests have. */
  void allowRequest(Set<String> fields) throws TraceFormatException {
    for (int i = 0; i < count; i++) {
      if (!fields.contains(names[i]) && !OF_REQUESTS.contains(names[i])) {
        throw unknown(names[i]);
      }
    }
  }

  private TraceFormatException unknown(String name) {
    return lines.failure("field \"" + name + "\" is unknown here", "remove it");
  }

  private int find(String name) {
    for (int i = 0; i < count; i++) {
      if (names[i].equals(name)) {
        return i;
      }
    }
    return -1;
  }

  private int require(String name) throws TraceFormatException {
    int field = find(name);
    if (field < 0) {
      throw lines.failure("field \"" + name + "\" is missing", "add it");
    }
    return field;
  }

  boolean has(String name) {
    return find(name) >= 0;
  }

  long number(String name) throws TraceFormatException {
    int field = require(name);
    if (kinds[field] != Kind.NUMBER) {
      throw wrong(name, "an integer");
    }
    return numbers[field];
  }

  long number(String name, long missing) throws TraceFormatException {
    return has(name) ? number(name) : missing;
  }

  /** A number that need not be whole. */
  double decimal(String name) throws TraceFormatException {
    int field = require(name);
    return switch (kinds[field]) {
      case NUMBER -> numbers[field];
      case DECIMAL -> (Double) values[field];
      default -> throw wrong(name, "a number");
    };
  }

  boolean flag(String name) throws TraceFormatException {
    int field = require(name);
    if (kinds[field] != Kind.FLAG) {
      throw wrong(name, "true or false");
    }
    return (Boolean) values[field];
  }

  /** A list of integers. */
  long[] numbers(String name) throws TraceFormatException {
    int field = require(name);
    if (kinds[field] == Kind.NUMBERS || values[field] instanceof List<?> list && list.isEmpty()) {
      return ((List<?>) values[field]).stream().mapToLong(each -> (Long) each).toArray();
    }
    throw wrong(name, "a list of integers");
  }

  String text(String name) throws TraceFormatException {
    int field = require(name);
    if (kinds[field] != Kind.TEXT) {
      throw wrong(name, "a string");
    }
    return (String) values[field];
  }

  /** A handle: an integer, or a text with it in hexadecimal. */
  long stream(String name) throws TraceFormatException {
    int field = require(name);
    if (kinds[field] == Kind.NUMBER) {
      return numbers[field];
    }
    if (kinds[field] == Kind.TEXT && ((String) values[field]).startsWith("0x")) {
      try {
        return Long.parseUnsignedLong(
            (String) values[field], 2, ((String) values[field]).length(), 16);
      } catch (NumberFormatException _) {
        throw wrong(name, "a stream's handle");
      }
    }
    throw wrong(name, "a stream's handle");
  }

  /** A pool; the default pool where the field is missing. */
  PoolId pool(String name) throws TraceFormatException {
    int field = find(name);
    if (field < 0) {
      return PoolId.DEFAULT;
    }
    if (kinds[field] == Kind.NUMBERS && values[field] instanceof List<?> list && list.size() == 2) {
      return new PoolId((Long) list.get(0), (Long) list.get(1));
    }
    throw wrong(name, "a pool [capture, user]");
  }

  List<StackTable.Frame> frames(String name) throws TraceFormatException {
    int field = require(name);
    if (kinds[field] != Kind.FRAMES) {
      throw wrong(name, "a list of frames");
    }
    List<StackTable.Frame> frames = new ArrayList<>();
    for (Object frame : (List<?>) values[field]) {
      frames.add((StackTable.Frame) frame);
    }
    return frames;
  }
}
