package org.allocsim.workloads.format.jsonl;

import org.allocsim.workloads.format.LineInput;
import org.allocsim.workloads.format.ObjectLine;
import org.allocsim.workloads.format.TraceFormatException;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;

/** A line that is a list of a text and some integers: a row of a table. */
final class JsonRow {
  private static final int MAX_NUMBERS = 8;

  private final LineInput lines;
  private final long[] numbers = new long[MAX_NUMBERS];
  private String text = "";
  private int count;

  JsonRow(LineInput lines) {
    this.lines = lines;
  }

  /** Goes to the next line, which must be a row. */
  void next() throws TraceFormatException {
    if (!lines.next()) {
      throw lines.failure("the file ends before the announced rows", "copy it again");
    }
    count = 0;
    try (JsonParser json =
        ObjectLine.FACTORY.createParser(
            ObjectReadContext.empty(), lines.bytes(), 0, lines.length())) {
      if (json.nextToken() != JsonToken.START_ARRAY || json.nextToken() != JsonToken.VALUE_STRING) {
        throw broken();
      }
      text = json.getString();
      JsonToken token;
      while ((token = json.nextToken()) == JsonToken.VALUE_NUMBER_INT && count < MAX_NUMBERS) {
        numbers[count++] = json.getLongValue();
      }
      if (token != JsonToken.END_ARRAY || json.nextToken() != null) {
        throw broken();
      }
    } catch (JacksonException _) {
      throw broken();
    }
  }

  private TraceFormatException broken() {
    return lines.failure(
        "the line is not a row of the form [string, integer, ...]",
        "earlier lines announce more rows; the file may be truncated");
  }

  /** Insists on a number of numbers: one or the other. */
  void requireNumbers(int few, int many) throws TraceFormatException {
    if (count != few && count != many) {
      throw broken();
    }
  }

  /** The text. */
  String text() {
    return text;
  }

  /** How many numbers there are. */
  int numbers() {
    return count;
  }

  /** One of the numbers. */
  long number(int index) {
    return numbers[index];
  }

  /** One of the numbers, which must be a small one. */
  int intNumber(int index) throws TraceFormatException {
    if (numbers[index] != (int) numbers[index]) {
      throw broken();
    }
    return (int) numbers[index];
  }
}
