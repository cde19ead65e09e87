package org.allocsim.analysis.account;

import java.io.BufferedReader;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.allocsim.analysis.moment.StackLabels;
import org.jspecify.annotations.Nullable;

/**
 * What {@code nvidia-smi} reported, as {@code --format=csv} writes it with its line of headings:
 * rows of {@code --query-gpu} (memory of GPUs) or of {@code --query-compute-apps} (memory of
 * processes). Amounts are whole MiB there.
 */
public final class SmiSamples {
  private static final int MAX_LINES = 10_000_000;
  private static final int MAX_LINE = 1 << 16;
  private static final long UNKNOWN = -1;

  /** Which of several samples counts. */
  public enum Choice {
    /** The one with the most memory in use. */
    HIGHEST,
    /** The last one. */
    LAST
  }

  /**
   * A GPU's memory; −1 where a figure is missing.
   *
   * @param gpu index or identifier of the GPU, empty where the file does not say
   * @param uuid identifier of the GPU, empty where the file does not say
   */
  public record GpuSample(
      String gpu,
      String uuid,
      String timestamp,
      long totalBytes,
      long usedBytes,
      long freeBytes,
      long driverBytes) {}

  /** A process's memory on a GPU. */
  public record ProcessSample(String uuid, long pid, long usedBytes) {}

  private final List<GpuSample> gpus = new ArrayList<>();
  private final List<ProcessSample> processes = new ArrayList<>();
  private boolean hasProcesses;
  private long unreadable;

  /**
   * Adds the samples of a file.
   *
   * @throws SmiFormatException where it is not such a file
   */
  public void read(String fileName, BufferedReader reader) throws IOException {
    String heading = line(fileName, reader, 1);
    if (heading == null) {
      throw new SmiFormatException(fileName + ": the file is empty; " + SmiFormatException.REMEDY);
    }
    Columns columns = new Columns(fileName, heading);
    String line = line(fileName, reader, 2);
    for (int number = 2; line != null; number++) {
      if (number > MAX_LINES) {
        throw new SmiFormatException(
            fileName + ": has more than " + MAX_LINES + " lines; give fewer samples");
      }
      if (!line.isBlank()) {
        add(columns.row(line, number));
      }
      line = line(fileName, reader, number + 1);
    }
    hasProcesses |= columns.ofProcesses;
  }

  /** The next line, null at the end. */
  private static @Nullable String line(String fileName, BufferedReader reader, int number)
      throws IOException {
    StringBuilder line = new StringBuilder();
    int next;
    while ((next = reader.read()) >= 0 && next != '\n') {
      if (line.length() == MAX_LINE) {
        throw new SmiFormatException(
            "%s: line %s is longer than %s characters; %s"
                .formatted(fileName, number, MAX_LINE, SmiFormatException.REMEDY));
      }
      line.append((char) next);
    }
    if (next < 0 && line.isEmpty()) {
      return null;
    }
    if (!line.isEmpty() && line.charAt(line.length() - 1) == '\r') {
      line.setLength(line.length() - 1);
    }
    return line.toString();
  }

  private void add(Row row) {
    if (row.columns.ofProcesses) {
      long used = row.bytes("used_gpu_memory", "used_memory");
      unreadable += used < 0 ? 1 : 0;
      processes.add(new ProcessSample(row.text("gpu_uuid"), row.number("pid"), Math.max(0, used)));
      return;
    }
    long used = row.bytes("memory.used");
    unreadable += used < 0 ? 1 : 0;
    long total = row.bytes("memory.total");
    gpus.add(
        new GpuSample(
            row.text("index"),
            row.text("uuid", "gpu_uuid"),
            row.text("timestamp"),
            total,
            row.partOf(total, used, "memory.used"),
            row.partOf(total, row.bytes("memory.free"), "memory.free"),
            row.partOf(total, row.bytes("memory.reserved"), "memory.reserved")));
  }

  /** Amounts that nvidia-smi does not know ({@code [N/A]}). */
  public long unreadable() {
    return unreadable;
  }

  /** Whether processes were sampled. */
  public boolean hasProcesses() {
    return hasProcesses;
  }

  /** The GPUs that the samples name, in order. */
  public Set<String> gpuNames() {
    Set<String> names = new LinkedHashSet<>();
    gpus.forEach(sample -> names.add(sample.gpu()));
    return names;
  }

  /** The GPUs that the samples of processes name, in order. */
  public Set<String> processGpus() {
    Set<String> names = new LinkedHashSet<>();
    processes.forEach(sample -> names.add(sample.uuid()));
    return names;
  }

  /** The sample of a GPU that counts, or null; an empty name means any GPU. */
  public @Nullable GpuSample gpu(String name, Choice choice) {
    GpuSample chosen = null;
    for (GpuSample sample : gpus) {
      boolean matches = name.isEmpty() || sample.gpu().equals(name);
      if (matches
          && (chosen == null || choice == Choice.LAST || sample.usedBytes() > chosen.usedBytes())) {
        chosen = sample;
      }
    }
    return chosen;
  }

  /**
   * Memory by process on a GPU: of each process the highest or the last sample.
   *
   * @param uuid the GPU, or empty for any
   */
  public Map<Long, Long> processBytes(String uuid, Choice choice) {
    Map<Long, Long> bytes = new LinkedHashMap<>();
    for (ProcessSample sample : processes) {
      if (uuid.isEmpty() || sample.uuid().isEmpty() || sample.uuid().equals(uuid)) {
        bytes.merge(
            sample.pid(),
            sample.usedBytes(),
            (known, next) -> choice == Choice.LAST ? next : Math.max(known, next));
      }
    }
    return bytes;
  }

  /** The columns of a file by the names that nvidia-smi gives them. */
  private static final class Columns {
    private final String fileName;
    private final Map<String, Integer> positions = new LinkedHashMap<>();
    private final Map<String, String> units = new LinkedHashMap<>();
    private final boolean ofProcesses;

    Columns(String fileName, String heading) {
      this.fileName = fileName;
      String[] names = split(heading.strip().replace("\uFEFF", ""));
      for (int i = 0; i < names.length; i++) {
        int bracket = names[i].indexOf('[');
        String name = (bracket < 0 ? names[i] : names[i].substring(0, bracket)).strip();
        if (positions.put(name, i) != null) {
          throw new SmiFormatException(
              "%s: duplicate column '%s' in the first line; %s"
                  .formatted(fileName, StackLabels.plain(name), SmiFormatException.REMEDY));
        }
        units.put(name, bracket < 0 ? "" : names[i].substring(bracket).replaceAll("[\\[\\]]", ""));
      }
      ofProcesses = positions.containsKey("pid");
      boolean known =
          ofProcesses
              ? positions.containsKey("used_gpu_memory") || positions.containsKey("used_memory")
              : positions.containsKey("memory.used") || positions.containsKey("memory.free");
      if (!known) {
        throw new SmiFormatException(
            fileName
                + ": the first line has no memory column of nvidia-smi; "
                + SmiFormatException.REMEDY);
      }
    }

    private static String[] split(String line) {
      return Arrays.stream(line.split(",", -1)).map(String::strip).toArray(String[]::new);
    }

    Row row(String line, int number) {
      String[] cells = split(line);
      if (cells.length != positions.size()) {
        throw new SmiFormatException(
            "%s: line %s has %s fields where the first line has %s; %s"
                .formatted(
                    fileName, number, cells.length, positions.size(), SmiFormatException.REMEDY));
      }
      return new Row(this, cells, number);
    }
  }

  private record Row(Columns columns, String[] cells, int line) {
    String text(String... names) {
      for (String name : names) {
        Integer at = columns.positions.get(name);
        if (at != null) {
          return StackLabels.plain(cells[at]);
        }
      }
      return "";
    }

    long number(String name) {
      String text = text(name);
      try {
        return Long.parseLong(text);
      } catch (NumberFormatException _) {
        throw bad(name, text, "not a whole number");
      }
    }

    /** An amount in bytes; −1 where the column is missing or nvidia-smi does not know it. */
    long bytes(String... names) {
      for (String name : names) {
        Integer at = columns.positions.get(name);
        if (at != null) {
          return amount(name, cells[at]);
        }
      }
      return UNKNOWN;
    }

    /** An amount that cannot exceed the memory of a GPU. */
    long partOf(long total, long bytes, String name) {
      if (total >= 0 && bytes > total) {
        throw bad(name, text(name), "more than memory.total");
      }
      return bytes;
    }

    private long amount(String name, String cell) {
      if (cell.startsWith("[")) {
        return UNKNOWN;
      }
      int blank = cell.indexOf(' ');
      String digits = blank < 0 ? cell : cell.substring(0, blank);
      String unit =
          blank < 0 ? columns.units.getOrDefault(name, "") : cell.substring(blank + 1).strip();
      int shift =
          switch (unit.toLowerCase(Locale.ROOT)) {
            case "mib" -> 20;
            case "kib" -> 10;
            case "gib" -> 30;
            case "b", "bytes" -> 0;
            default -> throw bad(name, cell, "not an amount in MiB");
          };
      try {
        if (digits.length() > 15) {
          throw bad(name, cell, "not an amount in MiB");
        }
        return new BigDecimal(digits).multiply(BigDecimal.valueOf(1L << shift)).longValueExact();
      } catch (NumberFormatException _) {
        throw bad(name, cell, "not an amount in MiB");
      } catch (ArithmeticException _) {
        throw bad(name, cell, "not a whole number of bytes below 2^63");
      }
    }

    private SmiFormatException bad(String name, String cell, String problem) {
      return new SmiFormatException(
          "%s: line %s: %s is '%s', %s; %s"
              .formatted(
                  columns.fileName,
                  line,
                  name,
                  StackLabels.plain(cell),
                  problem,
                  SmiFormatException.REMEDY));
    }
  }
}
