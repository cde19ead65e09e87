package org.allocsim.workloads.format.pytorch.pickle;

import java.io.EOFException;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.file.AccessDeniedException;
import java.util.Arrays;
import java.util.function.LongSupplier;
import org.allocsim.workloads.format.Progress;
import org.allocsim.workloads.format.TraceFormatException;
import org.allocsim.workloads.io.Compression;
import org.allocsim.workloads.io.ExpansionLimitException;
import org.allocsim.workloads.io.MemoryBudget;
import org.allocsim.workloads.io.StoredInput;

/** The bytes of a pickle through one bounded buffer, and the sentences about what is wrong. */
public final class PickleInput {
  /**
   * Longest text that is kept; longer ones are skipped. File names and settings are far shorter.
   */
  public static final int LONGEST_TEXT = 1 << 16;

  /** Longest object of JSON that is kept: what a recorder added tells of each call. */
  private static final int LONGEST_JSON = 1 << 25;

  public static final String WRITE_ANEW =
      "write the snapshot again with torch.cuda.memory._dump_snapshot()";

  private static final int BUFFER_BYTES = 1 << 18;
  private static final VarHandle SHORTS =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INTS =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private final StoredInput input;
  private final String name;
  private final Progress progress;
  private final long storedTotal;
  private final byte[] buffer = new byte[BUFFER_BYTES];
  private int next;
  private int limit;
  private long bufferStart;
  private long opcodeOffset;
  private final MemoryBudget budget = new MemoryBudget();
  private LongSupplier heldBytes = () -> 0;

  /**
   * Starts reading.
   *
   * @param storedTotal size of the file as stored, or −1
   */
  public PickleInput(StoredInput input, String name, long storedTotal, Progress progress) {
    this.input = input;
    this.name = name;
    this.storedTotal = storedTotal;
    this.progress = progress;
  }

  /** Looks from now on, piece by piece, at how many bytes of memory are held of the file. */
  public void watch(LongSupplier held) {
    heldBytes = held;
  }

  /**
   * Looks at what is held of the file.
   *
   * @throws TraceFormatException where that is more than a file of this size may take
   */
  public void checkHeld() throws TraceFormatException {
    budget.add(heldBytes.getAsLong() - budget.heldBytes());
    MemoryBudget.Excess excess =
        budget.excess(bufferStart + limit, input.storedBytes(), storedTotal);
    if (excess != null) {
      throw failure(excess.cause(), excess.remedy());
    }
  }

  /** Number of plain bytes taken. */
  public long offset() {
    return bufferStart + next;
  }

  /** Offset of the opcode taken last. */
  public long opcodeOffset() {
    return opcodeOffset;
  }

  /** Takes an opcode, or −1 at the end of the data. */
  public int opcode() throws TraceFormatException {
    opcodeOffset = bufferStart + next;
    if (next == limit && !fill(1)) {
      return -1;
    }
    return buffer[next++] & 0xff;
  }

  public int u1() throws TraceFormatException {
    if (next == limit) {
      need(1);
    }
    return buffer[next++] & 0xff;
  }

  public int u2() throws TraceFormatException {
    need(2);
    int value = (short) SHORTS.get(buffer, next) & 0xffff;
    next += 2;
    return value;
  }

  public int i4() throws TraceFormatException {
    need(4);
    int value = (int) INTS.get(buffer, next);
    next += 4;
    return value;
  }

  public long u4() throws TraceFormatException {
    return i4() & 0xffff_ffffL;
  }

  public long i8() throws TraceFormatException {
    need(8);
    long value = (long) LONGS.get(buffer, next);
    next += 8;
    return value;
  }

  public double f8() throws TraceFormatException {
    return Double.longBitsToDouble(Long.reverseBytes(i8()));
  }

  /** Takes a two's complement number of 1 to 8 bytes. */
  public long signed(int length) throws TraceFormatException {
    need(length);
    long value = buffer[next + length - 1];
    for (int i = length - 2; i >= 0; i--) {
      value = (value << 8) | (buffer[next + i] & 0xff);
    }
    next += length;
    return value;
  }

  /** Takes a text and returns its number in the pool, or −1 where it is too long to be kept. */
  public int text(long length, TextPool pool) throws TraceFormatException {
    if (length < 0 || length > LONGEST_TEXT) {
      checkAnnounced(length);
      need(1);
      if (length > LONGEST_JSON || buffer[next] != '{') {
        skip(length);
        return -1;
      }
      byte[] bytes = take((int) length);
      return kept(pool.number(bytes, 0, bytes.length));
    }
    int bytes = (int) length;
    need(bytes);
    int id = kept(pool.number(buffer, next, bytes));
    next += bytes;
    return id;
  }

  private int kept(int id) throws TraceFormatException {
    if (id < 0) {
      throw failure(
          "the distinct strings take more than " + (TextPool.MAX_BYTES >> 20) + " MiB",
          "record with fewer stack frames or a shorter history");
    }
    return id;
  }

  /** Takes more bytes than the buffer may hold; room is made for what is there, not announced. */
  private byte[] take(int length) throws TraceFormatException {
    byte[] taken = new byte[Math.min(length, BUFFER_BYTES)];
    for (int count = 0; count < length; ) {
      need(1);
      int some = Math.min(limit - next, length - count);
      if (count + some > taken.length) {
        taken = Arrays.copyOf(taken, Math.min(length, 2 * taken.length + some));
      }
      System.arraycopy(buffer, next, taken, count, some);
      next += some;
      count += some;
    }
    return taken;
  }

  /** Passes over bytes that are not kept; the announced length is unsigned. */
  public void skip(long length) throws TraceFormatException {
    checkAnnounced(length);
    long left = length;
    while (left > limit - next) {
      left -= limit - next;
      next = limit;
      if (!fill(1)) {
        throw truncated(Long.toUnsignedString(length) + " bytes are announced here but ");
      }
    }
    next += (int) left;
  }

  /** Refuses at once what an uncompressed file of known size cannot hold. */
  public void checkAnnounced(long length) throws TraceFormatException {
    boolean sizeKnown = storedTotal >= 0 && input.compression() == Compression.NONE;
    if (length < 0 || (sizeKnown && length > storedTotal - offset())) {
      throw failure(
          Long.toUnsignedString(length)
              + " bytes are announced"
              + (sizeKnown ? " but only " + (storedTotal - offset()) + " follow" : ""),
          "the file is truncated or damaged, copy it again or " + WRITE_ANEW);
    }
  }

  /** Whether all data were taken. */
  public boolean atEnd() throws TraceFormatException {
    return next == limit && !fill(1);
  }

  /** The bytes that are there; those before {@link #position} were taken. */
  public byte[] buffer() {
    return buffer;
  }

  /** Where the next byte stands in the buffer. */
  public int position() {
    return next;
  }

  /** Takes the bytes before a position in the buffer. */
  public void moveTo(int position) {
    next = position;
  }

  /** The position in the buffer up to which bytes are there and come before an offset. */
  public int end(long offset) {
    return (int) Math.min(limit, offset - bufferStart);
  }

  private void need(int length) throws TraceFormatException {
    if (limit - next < length && !fill(length)) {
      throw truncated("");
    }
  }

  /** Makes {@code length} bytes available in one piece; false where the data end before. */
  private boolean fill(int length) throws TraceFormatException {
    System.arraycopy(buffer, next, buffer, 0, limit - next);
    bufferStart += next;
    limit -= next;
    next = 0;
    try {
      while (limit < length) {
        int got = input.read(buffer, limit, buffer.length - limit);
        if (got < 0) {
          return false;
        }
        limit += got;
      }
    } catch (IOException e) {
      throw unreadable(name, input.compression(), e, bufferStart + limit);
    }
    checkHeld();
    progress.update(input.storedBytes(), storedTotal);
    return true;
  }

  /** The sentence about data that cannot be read or unpacked. */
  public static TraceFormatException unreadable(
      String name, Compression compression, IOException e, long offset) {
    String place = "byte " + offset + " of the unpacked data";
    if (e instanceof ExpansionLimitException limit) {
      return new TraceFormatException(
          name,
          place,
          limit.storedBytes()
              + " compressed bytes have unpacked to "
              + limit.plainBytes()
              + ", more than "
              + StoredInput.MAX_EXPANSION
              + " to 1, which is implausible for a recording",
          "if you trust the file, unpack it first and read the result");
    }
    if (compression != null && compression != Compression.NONE) {
      return new TraceFormatException(
          name,
          place,
          e instanceof EOFException
              ? "the " + compression.label() + " data end early"
              : "the " + compression.label() + " data are damaged (" + reason(e) + ")",
          "copy the file again");
    }
    return new TraceFormatException(
        name, "", "cannot be read (" + reason(e) + ")", "check the path and its permissions");
  }

  private static String reason(IOException e) {
    if (e instanceof AccessDeniedException) {
      return "access is denied";
    }
    String message = e.getMessage();
    return message == null || message.isBlank()
        ? e.getClass().getSimpleName()
        : message.lines().findFirst().orElse("");
  }

  /** The sentence about data that end too early. */
  public TraceFormatException truncated(String announced) {
    return failure(
        announced + "the data end at byte " + (bufferStart + limit) + ", before the pickle does",
        "the file is truncated, copy it again or " + WRITE_ANEW);
  }

  /** A sentence about the opcode taken last. */
  public TraceFormatException failure(String cause, String remedy) {
    return new TraceFormatException(name, "byte " + opcodeOffset, cause, remedy);
  }

  /** A sentence about a place described in words. */
  public TraceFormatException failureAt(String place, String cause, String remedy) {
    return new TraceFormatException(name, place, cause, remedy);
  }
}
