package org.allocsim.analysis.serving.traffic;

import java.util.List;
import org.allocsim.workloads.format.CsvRow;
import org.allocsim.workloads.format.LineInput;
import org.allocsim.workloads.format.TraceFormatException;

/** Reads requests of CSV with a line of headings: BurstGPT's and Azure's. */
final class TrafficCsvReader {
  private static final long SECOND_NANOS = 1_000_000_000L;

  /** Seconds whose nanoseconds are below 2^63. */
  private static final long MOST_SECONDS = 9_000_000_000L;

  /** Headings of the columns that count: when, prompt, answer. */
  private static final List<String> BURST_GPT =
      List.of("Timestamp", "Request tokens", "Response tokens");

  private static final List<String> AZURE =
      List.of("TIMESTAMP", "ContextTokens", "GeneratedTokens");

  private final LineInput lines;
  private final CsvRow row;
  private final List<String> names;
  private final int[] columns = new int[3];
  private final int headings;

  private TrafficCsvReader(LineInput lines) throws TraceFormatException {
    this.lines = lines;
    row = new CsvRow(lines);
    row.parse();
    List<String> found = row.texts();
    headings = found.size();
    if (!found.isEmpty() && found.getFirst().startsWith("\uFEFF")) {
      found.set(0, found.getFirst().substring(1));
    }
    names = found.containsAll(AZURE) ? AZURE : BURST_GPT;
    if (!found.containsAll(names)) {
      throw lines.failure(
          "unknown header for a request file",
          "give one of BurstGPT (%s), Azure (%s), or Mooncake's JSON lines"
              .formatted(String.join(",", BURST_GPT), String.join(",", AZURE)));
    }
    for (int i = 0; i < columns.length; i++) {
      columns[i] = found.indexOf(names.get(i));
    }
  }

  /** Reads the rest of a file whose first line was read. */
  static Traffic read(LineInput lines) throws TraceFormatException {
    return new TrafficCsvReader(lines).read();
  }

  private Traffic read() throws TraceFormatException {
    boolean isAzure = names.equals(AZURE);
    Traffic.Builder traffic = new Traffic.Builder(isAzure ? "azure" : "burstgpt", 0);
    while (lines.next()) {
      row.parse();
      if (row.isEmpty()) {
        continue;
      }
      if (row.count() != headings) {
        throw lines.failure(
            "the line has %d fields, the header %d".formatted(row.count(), headings),
            "correct the line or remove it");
      }
      long nanos =
          isAzure ? row.dateTime(columns[0], names.get(0)) : seconds(columns[0], names.get(0));
      traffic.add(
          lines,
          nanos,
          row.decimal(columns[1], names.get(1)),
          row.decimal(columns[2], names.get(2)));
    }
    return traffic.build();
  }

  /** Seconds with or without a fraction, as nanoseconds. */
  private long seconds(int field, String name) throws TraceFormatException {
    String text = row.text(field);
    int dot = text.indexOf('.');
    String whole = dot < 0 ? text : text.substring(0, dot);
    String fraction = dot < 0 ? "" : text.substring(dot + 1);
    if (!isNumber(whole) || dot >= 0 && !isDigits(fraction)) {
      throw row.wrong(field, name, "a number of seconds up to " + MOST_SECONDS);
    }
    String nanos = (fraction + "000000000").substring(0, 9);
    return Long.parseLong(whole) * SECOND_NANOS + Long.parseLong(nanos);
  }

  private static boolean isNumber(String text) {
    return isDigits(text) && text.length() <= 10 && Long.parseLong(text) <= MOST_SECONDS;
  }

  private static boolean isDigits(String text) {
    return !text.isEmpty() && text.chars().allMatch(each -> each >= '0' && each <= '9');
  }
}
