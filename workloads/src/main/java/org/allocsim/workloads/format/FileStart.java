package org.allocsim.workloads.format;

import java.nio.charset.StandardCharsets;

/** The first plain bytes of a file, by which formats know their own. */
public final class FileStart {
  /** Maximum bytes that are looked at. */
  public static final int MAX_BYTES = 1 << 16;

  private final byte[] bytes;
  private final String text;

  /** A file that begins with these bytes, of which the first {@link #MAX_BYTES} count. */
  public FileStart(byte[] bytes) {
    this.bytes = bytes;
    text = new String(bytes, StandardCharsets.ISO_8859_1);
  }

  /** Number of bytes. */
  public int length() {
    return bytes.length;
  }

  /** A byte, 0 to 255, or −1 after the end. */
  public int byteAt(int index) {
    return index < bytes.length ? bytes[index] & 0xff : -1;
  }

  /** The bytes as text, one character each. */
  public String text() {
    return text;
  }

  /** The first line that holds something, without blanks around it; empty where there is none. */
  public String firstLine() {
    return text.lines().map(String::strip).filter(line -> !line.isEmpty()).findFirst().orElse("");
  }
}
