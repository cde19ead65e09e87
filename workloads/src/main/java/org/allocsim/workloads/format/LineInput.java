package org.allocsim.workloads.format;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import org.allocsim.workloads.io.ExpansionLimitException;
import org.allocsim.workloads.io.MemoryBudget;
import org.allocsim.workloads.io.StoredInput;

/**
 * Lines of a text file, plain or compressed, one at a time. A line ends with LF or CR LF; its bytes
 * are UTF-8. Lines longer than {@value #MAX_LINE_BYTES} bytes are refused.
 */
public final class LineInput implements AutoCloseable {
  /** Maximum bytes of a line. */
  public static final int MAX_LINE_BYTES = 1 << 22;

  private final String name;
  private final long size;
  private final Progress progress;
  private final InputStream stream;
  private final StoredInput input;
  private final byte[] buffer = new byte[1 << 16];
  private int position;
  private int limit;
  private byte[] line = new byte[256];
  private int length;
  private long number;
  private long plainBytes;
  private final MemoryBudget budget = new MemoryBudget();
  private long maxHeldBytes = MemoryBudget.FREE_BYTES / 4;

  /**
   * Opens a file.
   *
   * @throws TraceFormatException where it cannot be read
   */
  public LineInput(Path file, Progress progress) throws TraceFormatException {
    name = file.toString();
    this.progress = progress;
    try {
      size = Files.isRegularFile(file) ? Files.size(file) : -1;
      stream = Files.newInputStream(file);
      input = open();
    } catch (NoSuchFileException _) {
      throw TraceFormatException.noSuchFile(file);
    } catch (IOException e) {
      throw new TraceFormatException(
          name, "", "it cannot be read (" + e.getMessage() + ")", "check the file");
    }
  }

  private StoredInput open() throws IOException {
    try {
      return StoredInput.ahead(stream);
    } catch (IOException e) {
      stream.close();
      throw e;
    }
  }

  /**
   * Goes to the next line.
   *
   * @return whether there is one
   * @throws TraceFormatException where the file cannot be read on
   */
  public boolean next() throws TraceFormatException {
    length = 0;
    number++;
    boolean any = false;
    while (true) {
      if (position == limit && !fill()) {
        trim();
        return any;
      }
      any = true;
      int end = position;
      while (end < limit && buffer[end] != '\n') {
        end++;
      }
      append(position, end);
      position = end;
      if (end < limit) {
        position++;
        trim();
        return true;
      }
    }
  }

  private void trim() {
    if (length > 0 && line[length - 1] == '\r') {
      length--;
    }
  }

  private void append(int from, int to) throws TraceFormatException {
    int added = to - from;
    if (length + added > MAX_LINE_BYTES) {
      throw failure("the line is longer than 4 MiB", "give a file of this format");
    }
    if (length + added > line.length) {
      line = Arrays.copyOf(line, Math.max(length + added, line.length * 2));
    }
    System.arraycopy(buffer, from, line, length, added);
    length += added;
  }

  private boolean fill() throws TraceFormatException {
    try {
      int got = input.read(buffer, 0, buffer.length);
      position = 0;
      limit = Math.max(0, got);
      plainBytes += limit;
      progress.update(input.storedBytes(), size);
      return got > 0;
    } catch (ExpansionLimitException e) {
      throw failure(e.getMessage(), "unpack it yourself if you trust it");
    } catch (IOException e) {
      throw failure("the compressed data is damaged or truncated", "copy the file again");
    }
  }

  /** The line's text. */
  public String text() {
    return new String(line, 0, length, StandardCharsets.UTF_8);
  }

  /** The line's bytes; those from {@link #length()} on mean nothing. Changes with the next line. */
  public byte[] bytes() {
    return line;
  }

  /** Bytes of the line. */
  public int length() {
    return length;
  }

  /** Number of the line, from 1. */
  public long number() {
    return number;
  }

  /** The file's name. */
  public String name() {
    return name;
  }

  /**
   * Further bytes of what was read are held in memory.
   *
   * @throws TraceFormatException where that is more than a file of this size may take
   */
  public void hold(long bytes) throws TraceFormatException {
    budget.add(bytes);
    if (budget.heldBytes() > maxHeldBytes) {
      MemoryBudget.Excess excess = budget.excess(plainBytes, input.storedBytes(), size);
      if (excess != null) {
        throw failure(excess.cause(), excess.remedy());
      }
      maxHeldBytes = budget.maxBytes(plainBytes, input.storedBytes());
    }
  }

  /** A failure at this line. */
  public TraceFormatException failure(String cause, String remedy) {
    return new TraceFormatException(name, "line " + number, cause, remedy);
  }

  /**
   * Reads the rest of the file and returns the SHA-256 of the whole as stored, in hexadecimal.
   *
   * @throws TraceFormatException where it cannot be read
   */
  public String finishDigest() throws TraceFormatException {
    try {
      return input.finishDigest();
    } catch (IOException e) {
      throw failure("it cannot be read (" + e.getMessage() + ")", "check the file");
    }
  }

  @Override
  public void close() {
    try {
      input.close();
      stream.close();
    } catch (IOException _) {
      // Nothing is lost: the file was only read.
    }
  }
}
