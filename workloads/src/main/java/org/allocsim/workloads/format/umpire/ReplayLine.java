package org.allocsim.workloads.format.umpire;

import org.allocsim.workloads.format.LineInput;
import org.allocsim.workloads.format.ObjectLine;
import org.allocsim.workloads.format.TraceFormatException;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/** What one line says, whether it is of the current form or of the older one. */
final class ReplayLine {
  private static final String REMEDY = "correct the line or remove it";

  private final LineInput lines;
  private final ObjectLine object;
  private String event = "";
  private boolean isOld;
  private boolean hasResult;
  private boolean isReplay;
  private boolean hasTime;
  private long timeNanos;
  private boolean hasSize;
  private long size;
  private @Nullable String allocator;
  private @Nullable String name;
  private @Nullable String parent;
  private @Nullable String pointer;
  private @Nullable String oldPointer;
  private @Nullable String newPointer;

  ReplayLine(LineInput lines) {
    this.lines = lines;
    object = new ObjectLine(lines, this::outer);
  }

  /** Takes the line that was read last apart. */
  void parse() throws TraceFormatException {
    event = "";
    isOld = false;
    hasResult = false;
    isReplay = false;
    hasTime = false;
    hasSize = false;
    allocator = null;
    name = null;
    parent = null;
    pointer = null;
    oldPointer = null;
    newPointer = null;
    object.parse();
  }

  private void outer(JsonParser json) throws TraceFormatException {
    String field = json.currentName();
    JsonToken token = json.nextToken();
    if (token == JsonToken.START_OBJECT) {
      hasResult |= field.equals("result");
      while (json.nextToken() == JsonToken.PROPERTY_NAME) {
        inner(json);
      }
      return;
    }
    switch (field) {
      case "name" -> event = text(json, field);
      case "event" -> event = text(json, field);
      case "kind" -> isOld = text(json, field).equals("replay");
      case "timestamp" -> {
        timeNanos = number(json, field);
        hasTime = true;
      }
      case "result" -> {
        hasResult = true;
        allocator = text(json, field);
      }
      default -> json.skipChildren();
    }
  }

  private void inner(JsonParser json) throws TraceFormatException {
    String field = json.currentName();
    JsonToken token = json.nextToken();
    switch (field) {
      case "size" -> {
        size = number(json, field);
        hasSize = true;
        if (size < 0) {
          throw lines.failure("a size of " + size + " bytes is negative", REMEDY);
        }
      }
      case "allocator_ref" -> allocator = text(json, field);
      case "allocator_name", "name" -> name = text(json, field);
      case "arg0" -> parent = token == JsonToken.VALUE_STRING ? json.getString() : null;
      case "args" -> arguments(json);
      case "pointer", "memory_ptr" -> pointer = text(json, field);
      case "current_ptr" -> oldPointer = text(json, field);
      case "new_ptr" -> newPointer = text(json, field);
      case "replay" ->
          isReplay = token == JsonToken.VALUE_STRING && json.getString().equals("true");
      default -> json.skipChildren();
    }
  }

  /** The first argument of a constructor in the older form. */
  private void arguments(JsonParser json) {
    if (json.currentToken() != JsonToken.START_ARRAY) {
      return;
    }
    boolean isFirst = true;
    JsonToken token;
    while ((token = json.nextToken()) != JsonToken.END_ARRAY) {
      if (isFirst && token == JsonToken.VALUE_STRING) {
        parent = json.getString();
      }
      isFirst = false;
      json.skipChildren();
    }
  }

  private String text(JsonParser json, String field) throws TraceFormatException {
    if (json.currentToken() != JsonToken.VALUE_STRING) {
      throw lines.failure("field \"" + field + "\" is not a string", REMEDY);
    }
    return json.getString();
  }

  private long number(JsonParser json, String field) throws TraceFormatException {
    if (json.currentToken() != JsonToken.VALUE_NUMBER_INT) {
      throw lines.failure("field \"" + field + "\" is not an integer", REMEDY);
    }
    try {
      return json.getLongValue();
    } catch (JacksonException _) {
      throw lines.failure("field \"" + field + "\" is not below 2^63", REMEDY);
    }
  }

  /** The event's name; in the older form in that form's spelling. */
  String event() {
    return event;
  }

  /** Whether the line says what came of the call, or is of the newer form, which always does. */
  boolean hasResult() {
    return hasResult || !isOld;
  }

  /** Whether the line is one of those that are replayed. */
  boolean isReplay() {
    return isReplay || isOld;
  }

  long timeNanos(long missing) {
    return hasTime ? timeNanos : missing;
  }

  long size() throws TraceFormatException {
    if (!hasSize) {
      throw missing("size");
    }
    return size;
  }

  String allocator() throws TraceFormatException {
    return required(allocator, "allocator_ref");
  }

  String name() throws TraceFormatException {
    return required(name, isOld ? "name" : "allocator_name");
  }

  /** Name of the allocator that another is made of, or null. */
  @Nullable String parent() {
    return parent;
  }

  long pointer() throws TraceFormatException {
    return address(pointer, isOld ? "memory_ptr" : "pointer");
  }

  boolean hasNewPointer() {
    return newPointer != null;
  }

  long newPointer() throws TraceFormatException {
    return address(newPointer, "new_ptr");
  }

  long oldPointer() throws TraceFormatException {
    return address(oldPointer, "current_ptr");
  }

  private String required(@Nullable String value, String field) throws TraceFormatException {
    if (value == null) {
      throw missing(field);
    }
    return value;
  }

  private TraceFormatException missing(String field) {
    return lines.failure("event " + event + " has no field \"" + field + "\"", REMEDY);
  }

  private long address(@Nullable String text, String field) throws TraceFormatException {
    String digits = required(text, field);
    if (digits.equals("(nil)")) {
      return 0;
    }
    try {
      return Long.parseUnsignedLong(digits.startsWith("0x") ? digits.substring(2) : digits, 16);
    } catch (NumberFormatException _) {
      throw lines.failure("field \"" + field + "\" is not a hexadecimal address", REMEDY);
    }
  }
}
