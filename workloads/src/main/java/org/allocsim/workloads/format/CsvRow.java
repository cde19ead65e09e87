package org.allocsim.workloads.format;

import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;

/** The fields of one line of CSV that quotes none, found in its bytes. */
public final class CsvRow {
  private static final int MAX_COLUMNS = 64;
  private static final long DAY_NANOS = 24 * 3600 * 1_000_000_000L;

  /** The last whole day whose nanoseconds are below 2^63. */
  private static final long LAST_DAY = Long.MAX_VALUE / DAY_NANOS - 1;

  private final LineInput lines;
  private final int[] starts = new int[MAX_COLUMNS];
  private final int[] ends = new int[MAX_COLUMNS];
  private int count;

  /** Takes lines of this file apart. */
  public CsvRow(LineInput lines) {
    this.lines = lines;
  }

  /** Takes the line that was read last apart. */
  public void parse() throws TraceFormatException {
    byte[] bytes = lines.bytes();
    count = 0;
    int start = 0;
    for (int i = 0; i <= lines.length(); i++) {
      if (i == lines.length() || bytes[i] == ',') {
        if (count == MAX_COLUMNS) {
          throw lines.failure(
              "the line has more than " + MAX_COLUMNS + " fields", "give a file of this format");
        }
        int end = i;
        while (start < end && isBlank(bytes[start])) {
          start++;
        }
        while (end > start && isBlank(bytes[end - 1])) {
          end--;
        }
        starts[count] = start;
        ends[count++] = end;
        start = i + 1;
      }
    }
  }

  private static boolean isBlank(byte each) {
    return each == ' ' || each == '\t';
  }

  /** Number of fields. */
  public int count() {
    return count;
  }

  /** Whether the line holds nothing. */
  public boolean isEmpty() {
    return count == 1 && starts[0] == ends[0];
  }

  /** Texts of all fields. */
  public List<String> texts() {
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      texts.add(text(i));
    }
    return texts;
  }

  /** Text of a field. */
  public String text(int field) {
    return new String(
        lines.bytes(), starts[field], ends[field] - starts[field], StandardCharsets.UTF_8);
  }

  /** Whether a field is this ASCII text. */
  public boolean is(int field, String expected) {
    int length = ends[field] - starts[field];
    if (length != expected.length()) {
      return false;
    }
    byte[] bytes = lines.bytes();
    for (int i = 0; i < length; i++) {
      if (bytes[starts[field] + i] != expected.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  /** A decimal number below 2^63. */
  public long decimal(int field, String name) throws TraceFormatException {
    byte[] bytes = lines.bytes();
    long value = 0;
    for (int i = starts[field]; i < ends[field]; i++) {
      int digit = bytes[i] - '0';
      if (digit < 0 || digit > 9 || value > (Long.MAX_VALUE - digit) / 10) {
        throw wrong(field, name, "a number below 2^63");
      }
      value = value * 10 + digit;
    }
    if (starts[field] == ends[field]) {
      throw wrong(field, name, "a number below 2^63");
    }
    return value;
  }

  /** An address: hexadecimal, with or without 0x; 0 for {@code (nil)}. */
  public long pointer(int field, String name) throws TraceFormatException {
    if (is(field, "(nil)")) {
      return 0;
    }
    return hexadecimal(field, name, hasPrefix(field) ? starts[field] + 2 : starts[field]);
  }

  /** A handle: hexadecimal with 0x, else decimal; 0 for {@code (nil)}. */
  public long handle(int field, String name) throws TraceFormatException {
    if (is(field, "(nil)")) {
      return 0;
    }
    return hasPrefix(field) ? hexadecimal(field, name, starts[field] + 2) : decimal(field, name);
  }

  private boolean hasPrefix(int field) {
    byte[] bytes = lines.bytes();
    return ends[field] - starts[field] > 2
        && bytes[starts[field]] == '0'
        && (bytes[starts[field] + 1] | 0x20) == 'x';
  }

  private long hexadecimal(int field, String name, int from) throws TraceFormatException {
    byte[] bytes = lines.bytes();
    long value = 0;
    for (int i = from; i < ends[field]; i++) {
      int digit = Character.digit(bytes[i], 16);
      if (digit < 0 || value >>> 60 != 0) {
        throw wrong(field, name, "a 64-bit hexadecimal address");
      }
      value = value << 4 | digit;
    }
    if (from == ends[field]) {
      throw wrong(field, name, "a 64-bit hexadecimal address");
    }
    return value;
  }

  /** A time of the day in nanoseconds: {@code HH:MM:SS}, with a fraction after a dot or colon. */
  public long timeOfDay(int field, String name) throws TraceFormatException {
    return timeOfDay(field, name, starts[field], ends[field]);
  }

  /** Whether a field has nothing but digits, or digits and one point between them. */
  public boolean isNumber(int field) {
    byte[] bytes = lines.bytes();
    int points = 0;
    for (int at = starts[field]; at < ends[field]; at++) {
      points += bytes[at] == '.' ? 1 : 0;
      if (bytes[at] != '.' && (bytes[at] < '0' || bytes[at] > '9')) {
        return false;
      }
    }
    return ends[field] > starts[field]
        && points <= 1
        && bytes[starts[field]] != '.'
        && bytes[ends[field] - 1] != '.';
  }

  /** Whether a field begins as a date does. */
  public boolean isDated(int field) {
    return ends[field] - starts[field] >= 19 && lines.bytes()[starts[field] + 4] == '-';
  }

  /** Seconds since 1970 with a fraction, in nanoseconds. */
  public long epochSeconds(int field, String name) throws TraceFormatException {
    String text = text(field);
    int point = text.indexOf('.');
    String whole = point < 0 ? text : text.substring(0, point);
    String fraction = point < 0 ? "" : text.substring(point + 1);
    if (whole.length() > 10 || fraction.length() > 9) {
      throw wrong(field, name, "seconds since 1970 with at most nine decimals");
    }
    long seconds = Long.parseLong(whole);
    if (seconds / (24 * 3600) > LAST_DAY) {
      throw wrong(field, name, "a time between 1970 and 2261");
    }
    long nanos = Long.parseLong((fraction + "000000000").substring(0, 9));
    return seconds * 1_000_000_000L + nanos;
  }

  /**
   * A date and a time of that day, {@code YYYY-MM-DD HH:MM:SS}, in nanoseconds since 1970; a
   * fraction may follow, and then a zone, {@code +00:00}, of which all lines have the same.
   */
  public long dateTime(int field, String name) throws TraceFormatException {
    byte[] bytes = lines.bytes();
    int at = starts[field];
    int end = ends[field];
    String expected = "a time of the form YYYY-MM-DD HH:MM:SS.fraction";
    if (end - at < 19 || bytes[at + 10] != ' ' && bytes[at + 10] != 'T') {
      throw wrong(field, name, expected);
    }
    long day;
    try {
      day = LocalDate.parse(new String(bytes, at, 10, StandardCharsets.US_ASCII)).toEpochDay();
    } catch (DateTimeParseException _) {
      throw wrong(field, name, expected);
    }
    if (day < 0 || day > LAST_DAY) {
      throw wrong(field, name, "a time between 1970 and 2261");
    }
    boolean isZoned = end - at > 25 && (bytes[end - 6] == '+' || bytes[end - 6] == '-');
    return day * DAY_NANOS + timeOfDay(field, name, at + 11, isZoned ? end - 6 : end);
  }

  private long timeOfDay(int field, String name, int at, int end) throws TraceFormatException {
    byte[] bytes = lines.bytes();
    if (end - at < 8 || bytes[at + 2] != ':' || bytes[at + 5] != ':') {
      throw wrong(field, name, "a time of the form HH:MM:SS.microseconds");
    }
    long seconds =
        twoDigits(field, name, at) * 3600
            + twoDigits(field, name, at + 3) * 60
            + twoDigits(field, name, at + 6);
    long nanos = 0;
    int digits = end - at - 9;
    if (end - at > 8) {
      boolean isSeparated = bytes[at + 8] == '.' || bytes[at + 8] == ':';
      if (!isSeparated || digits < 1 || digits > 9) {
        throw wrong(field, name, "a time of the form HH:MM:SS.microseconds");
      }
      for (int i = 0; i < 9; i++) {
        int digit = i < digits ? bytes[at + 9 + i] - '0' : 0;
        if (digit < 0 || digit > 9) {
          throw wrong(field, name, "a time of the form HH:MM:SS.microseconds");
        }
        nanos = nanos * 10 + digit;
      }
    }
    return seconds * 1_000_000_000L + nanos;
  }

  private long twoDigits(int field, String name, int at) throws TraceFormatException {
    byte[] bytes = lines.bytes();
    int tens = bytes[at] - '0';
    int ones = bytes[at + 1] - '0';
    if (tens < 0 || tens > 9 || ones < 0 || ones > 9) {
      throw wrong(field, name, "a time of the form HH:MM:SS.microseconds");
    }
    return tens * 10L + ones;
  }

  /** The failure of a field that is not what it should be. */
  public TraceFormatException wrong(int field, String name, String expected) {
    String text = text(field);
    return lines.failure(
        "field %s is '%s', which is not %s"
            .formatted(name, text.length() > 40 ? text.substring(0, 40) + "…" : text, expected),
        "correct the line or remove it");
  }
}
