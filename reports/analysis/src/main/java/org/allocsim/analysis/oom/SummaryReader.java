package org.allocsim.analysis.oom;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.allocsim.analysis.oom.SummaryTable.Row;

/** Finds the tables of {@code torch.cuda.memory_summary()} in a log, line by line. */
final class SummaryReader {
  private static final int MAX_TABLES = 1000;
  private static final int MAX_OPEN = 256;
  private static final int MAX_CHARS = 1000;
  private static final String TITLE = "CUDA memory summary";
  private static final Pattern DEVICE = Pattern.compile("device ID\\s{1,20}([0-9]{1,4})");

  private static final Pattern ROW =
      Pattern.compile(
          "\\|\\s{0,20}([A-Z][A-Za-z -]{5,30} memory)\\s{0,20}\\|\\s{0,20}([0-9]{1,18})"
              + "\\s{1,4}([KMGTP]?)i?B\\s");

  private static final Map<String, Row> CAPTIONS = captions();

  private static final class Open {
    final long line;
    final String source;
    final int device;
    final Map<Row, ByteRange> rows = new EnumMap<>(Row.class);

    Open(long line, String source, int device) {
      this.line = line;
      this.source = source;
      this.device = device;
    }
  }

  private final Map<String, Open> open =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Open> eldest) {
          return size() > MAX_OPEN;
        }
      };

  private final List<SummaryTable> tables = new ArrayList<>();

  private static Map<String, Row> captions() {
    Map<String, Row> captions = new LinkedHashMap<>();
    for (Row row : Row.values()) {
      captions.put(row.caption(), row);
    }
    return captions;
  }

  /** Takes a line of the log. */
  void line(String text, long number) {
    if (tables.size() == MAX_TABLES || !text.contains(" memory") || text.indexOf('|') < 0) {
      return;
    }
    String head = text.length() > MAX_CHARS ? text.substring(0, MAX_CHARS) : text;
    if (head.contains(TITLE)) {
      String source = LinePrefix.of(head).source();
      close(source);
      Matcher device = DEVICE.matcher(head);
      open.put(
          source, new Open(number, source, device.find() ? Integer.parseInt(device.group(1)) : -1));
      return;
    }
    Matcher row = ROW.matcher(head);
    if (!open.isEmpty() && row.find()) {
      Row caption = CAPTIONS.get(row.group(1));
      String source = LinePrefix.of(head).source();
      Open table = open.get(source);
      if (caption != null && table != null) {
        table.rows.put(caption, bytes(row.group(2), row.group(3)));
        if (caption == Row.NON_RELEASABLE) {
          close(source);
        }
      }
    }
  }

  /** A number that was rounded down to its unit. */
  private static ByteRange bytes(String digits, String unit) {
    double scale = Math.pow(1024, "KMGTP".indexOf(unit.isEmpty() ? ' ' : unit.charAt(0)) + 1.0);
    double value = Double.parseDouble(digits) * scale;
    return new ByteRange(value, value, value + scale - 1);
  }

  private void close(String source) {
    Open table = open.remove(source);
    if (table != null && !table.rows.isEmpty()) {
      tables.add(new SummaryTable(table.line, table.source, table.device, table.rows));
    }
  }

  /** The tables in the order of their lines; the log is over. */
  List<SummaryTable> end() {
    List.copyOf(open.keySet()).forEach(this::close);
    tables.sort((a, b) -> Long.compare(a.line(), b.line()));
    return List.copyOf(tables);
  }
}
