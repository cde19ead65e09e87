package org.allocsim.workloads.format.minimalloc;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.allocsim.workloads.format.LineInput;
import org.allocsim.workloads.format.Progress;
import org.allocsim.workloads.format.TraceFile;
import org.allocsim.workloads.format.TraceFormatException;

/** Reads the format. */
final class MiniMallocReader {
  private final LineInput lines;
  private final Lifetimes lifetimes = new Lifetimes();
  private final MiniMallocHeader header;
  private final int id;
  private final int lower;
  private final int upper;
  private final int size;
  private final int gaps;
  private final long[] filled;
  private long gapped;
  private long windows;

  private MiniMallocReader(LineInput lines) throws TraceFormatException {
    this.lines = lines;
    header = readHeader();
    id = header.index(MiniMallocHeader.ID);
    lower = header.index(MiniMallocHeader.LOWER);
    upper = header.index(MiniMallocHeader.UPPER);
    size = header.index(MiniMallocHeader.SIZE);
    gaps = header.index(MiniMallocHeader.GAPS);
    filled = new long[header.columns().size()];
  }

  static TraceFile read(Path file, Progress progress) throws TraceFormatException {
    try (LineInput lines = new LineInput(file, progress)) {
      MiniMallocReader reader = new MiniMallocReader(lines);
      while (lines.next()) {
        String line = lines.text().strip();
        if (!line.isEmpty()) {
          reader.readRow(line);
        }
      }
      String digest = lines.finishDigest();
      return new TraceFile(
          lines.name(), digest, MiniMallocFormat.ID, reader.lifetimes.toTrace(), reader.notes());
    }
  }

  private MiniMallocHeader readHeader() throws TraceFormatException {
    String line = "";
    while (line.isEmpty()) {
      if (!lines.next()) {
        throw lines.failure("the file is empty", "give a file of this format");
      }
      line = lines.text().strip();
    }
    try {
      return MiniMallocHeader.of(line);
    } catch (IllegalArgumentException e) {
      throw lines.failure(e.getMessage(), "write a header such as id,lower,upper,size");
    }
  }

  private void readRow(String line) throws TraceFormatException {
    String[] fields = line.split(",", -1);
    if (fields.length != filled.length) {
      throw lines.failure(
          "the row has %d fields, the header %d".formatted(fields.length, filled.length),
          "give every row all columns");
    }
    for (int i = 0; i < fields.length; i++) {
      fields[i] = fields[i].strip();
      filled[i] += fields[i].isEmpty() ? 0 : 1;
    }
    long begin = number(fields[lower], MiniMallocHeader.LOWER);
    long end = afterEnd(number(fields[upper], MiniMallocHeader.UPPER));
    long bytes = number(fields[size], MiniMallocHeader.SIZE);
    if (bytes < 0) {
      throw lines.failure("the size " + bytes + " is negative", "write the buffer's size in bytes");
    }
    if (end <= begin) {
      throw lines.failure(
          "buffer %s ends at %d, not after its start at %d".formatted(fields[id], end, begin),
          "give it a later end or remove it");
    }
    if (gaps < 0 || fields[gaps].isEmpty()) {
      add(begin, end, bytes);
    } else {
      addParts(begin, end, bytes, fields[gaps]);
    }
  }

  private void add(long begin, long end, long bytes) throws TraceFormatException {
    if (lifetimes.count() == Lifetimes.MOST) {
      throw lines.failure(
          "the file has more than " + Lifetimes.MOST + " buffers", "give a part of it");
    }
    lines.hold(Lifetimes.BYTES);
    lifetimes.add(begin, end, bytes);
  }

  /** A buffer whose content is not needed all the time. */
  private void addParts(long lifeBegin, long end, long bytes, String text)
      throws TraceFormatException {
    long begin = lifeBegin;
    boolean cut = false;
    for (String gap : text.split("\\s+")) {
      int window = gap.indexOf('@');
      String times = window < 0 ? gap : gap.substring(0, window);
      int dash = times.indexOf('-', 1);
      if (dash < 0) {
        throw lines.failure(
            "the gap \"" + gap + "\" is not of the form from-to", "write it as in 3-5");
      }
      long from = number(times.substring(0, dash), MiniMallocHeader.GAPS);
      long to = afterEnd(number(times.substring(dash + 1), MiniMallocHeader.GAPS));
      if (from < begin || to <= from || to > end) {
        throw lines.failure(
            "the gap \"" + gap + "\" is outside the buffer's lifetime or out of order",
            "write gaps in order and within the lifetime");
      }
      if (window >= 0) {
        windows++;
        continue;
      }
      if (from > begin) {
        add(begin, from, bytes);
      }
      begin = to;
      cut = true;
    }
    if (begin < end) {
      add(begin, end, bytes);
    }
    gapped += cut ? 1 : 0;
  }

  private long afterEnd(long written) throws TraceFormatException {
    if (written == Long.MAX_VALUE) {
      throw lines.failure("the time " + written + " is too large", "write times below 2^63 - 1");
    }
    return written + header.afterEnd();
  }

  private long number(String text, String column) throws TraceFormatException {
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException _) {
      throw lines.failure(
          "\"%s\" in column %s is not a whole number below 2^63".formatted(text, column),
          "write one");
    }
  }

  private List<String> notes() {
    List<String> notes = new ArrayList<>();
    TraceFile.add(
        notes, gapped, "buffers with gaps became one allocation per part of their lifetime");
    TraceFile.add(notes, windows, "gaps in which part of the buffer stays alive were skipped");
    for (int i = 0; i < filled.length; i++) {
      if (i != id && i != lower && i != upper && i != size && i != gaps && filled[i] > 0) {
        notes.add("column %s was ignored in %d rows".formatted(header.columns().get(i), filled[i]));
      }
    }
    return notes;
  }
}
