package org.allocsim.workloads.format.pytorch.pickle;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Distinct texts by number, kept as the bytes they came in; a text is decoded when asked for. */
public final class TextPool {
  /** Maximum bytes of distinct texts; a real snapshot has a few hundred KiB. */
  public static final int MAX_BYTES = 64 << 20;

  private static final int STRING_BYTES = 64;

  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  // A file must not be able to choose texts that collide.
  private final long seed = mix(System.nanoTime());
  private byte[] bytes = new byte[1 << 12];
  private int[] starts = new int[256];
  private int[] table = new int[512];
  private int count;

  /** Texts that were asked for, by number; null where they were not. */
  private @Nullable String[] decoded = new String[256];

  private long decodedBytes;

  /** Number of distinct texts. */
  public int count() {
    return count;
  }

  /** The number of the text in these bytes (UTF-8), or −1 where the pool is full. */
  public int number(byte[] source, int offset, int length) {
    int mask = table.length - 1;
    int slot = hash(source, offset, length) & mask;
    for (int entry; (entry = table[slot]) != 0; slot = (slot + 1) & mask) {
      int id = entry - 1;
      if (Arrays.equals(bytes, starts[id], starts[id + 1], source, offset, offset + length)) {
        return id;
      }
    }
    return add(source, offset, length, slot);
  }

  private int add(byte[] source, int offset, int length, int slot) {
    int start = starts[count];
    if (length > MAX_BYTES - start) {
      return -1;
    }
    if (start + length > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(start + length, bytes.length + (bytes.length >> 1)));
    }
    System.arraycopy(source, offset, bytes, start, length);
    if (count + 2 > starts.length) {
      starts = Arrays.copyOf(starts, starts.length + (starts.length >> 1));
    }
    starts[count + 1] = start + length;
    table[slot] = ++count;
    if (count * 2 > table.length) {
      rehash();
    }
    return count - 1;
  }

  private void rehash() {
    int[] larger = new int[table.length * 2];
    int mask = larger.length - 1;
    for (int id = 0; id < count; id++) {
      int slot = hash(bytes, starts[id], starts[id + 1] - starts[id]) & mask;
      while (larger[slot] != 0) {
        slot = (slot + 1) & mask;
      }
      larger[slot] = id + 1;
    }
    table = larger;
  }

  private int hash(byte[] source, int offset, int length) {
    long h = seed ^ length;
    int i = offset;
    int end = offset + length;
    for (; i + 8 <= end; i += 8) {
      h = mix(h ^ (long) LONGS.get(source, i));
    }
    for (; i < end; i++) {
      h = h * 257 + source[i] + 1;
    }
    return (int) mix(h);
  }

  /** Spreads every bit over the word. */
  public static long mix(long value) {
    long h = value * 0x9E3779B97F4A7C15L;
    h ^= h >>> 32;
    h *= 0xD6E8FEB86659FD93L;
    return h ^ (h >>> 29);
  }

  /** The text with this number; the same object every time. */
  public String text(int id) {
    if (id >= decoded.length) {
      decoded = Arrays.copyOf(decoded, Math.max(id + 1, decoded.length * 2));
    }
    String text = decoded[id];
    if (text == null) {
      text = new String(bytes, starts[id], starts[id + 1] - starts[id], StandardCharsets.UTF_8);
      decoded[id] = text;
      decodedBytes += STRING_BYTES + text.length();
    }
    return text;
  }

  /** Bytes that all texts take in memory, about. */
  public long heldBytes() {
    return bytes.length
        + (long) Integer.BYTES * (starts.length + table.length)
        + (long) Long.BYTES * decoded.length
        + decodedBytes;
  }

  /** The text as it may stand in a message: short, and without control characters. */
  public String shown(int id) {
    return shown(text(id));
  }

  /** A text from the file as it may stand in a message. */
  public static String shown(String text) {
    StringBuilder shown = new StringBuilder("\"");
    text.codePoints()
        .limit(60)
        .forEach(c -> shown.appendCodePoint(Character.isISOControl(c) ? '?' : c));
    return shown.append(text.codePointCount(0, text.length()) > 60 ? "…\"" : "\"").toString();
  }
}
