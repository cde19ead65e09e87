package org.allocsim.web;

import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.zip.GZIPOutputStream;

/** Writes a snapshot of a program that takes a block and gives it back, over and over. */
final class LongSnapshot {
  private static final int SEGMENT_BYTES = 2 << 20;
  private static final long ADDRESS = 0x7f00_0000_0000L;
  private static final int BLOCK_BYTES = 1 << 19;

  private final DataOutputStream out;
  private final Map<String, Integer> memo = new HashMap<>();
  private int micros;

  private LongSnapshot(OutputStream out) {
    this.out = new DataOutputStream(out);
  }

  /** A snapshot, packed, in which blocks are taken so many times. */
  static void write(Path file, int blocks) throws IOException {
    try (OutputStream packed =
        new BufferedOutputStream(new GZIPOutputStream(Files.newOutputStream(file)), 1 << 16)) {
      new LongSnapshot(packed).write(blocks);
    }
  }

  /** Protocol 2: texts are memorized, so that entries are short. */
  private void write(int blocks) throws IOException {
    out.writeBytes("\u0080\2}(");
    text("segments");
    out.writeBytes("]");
    text("device_traces");
    out.writeBytes("](](");
    entry("segment_alloc", SEGMENT_BYTES);
    for (int block = 0; block < blocks; block++) {
      int bytes = BLOCK_BYTES - block % 7 * 512;
      entry("alloc", bytes);
      entry("free_requested", bytes);
      entry("free_completed", bytes);
    }
    out.writeBytes("eeu.");
    out.flush();
  }

  private void entry(String action, int bytes) throws IOException {
    out.writeBytes("}(");
    text("action");
    text(action);
    text("addr");
    out.writeBytes("\u008a\6");
    for (int i = 0; i < 6; i++) {
      out.writeByte((int) (ADDRESS >> 8 * i));
    }
    text("size");
    number(bytes);
    text("stream");
    number(0);
    text("time_us");
    number(micros++);
    text("frames");
    out.writeBytes("]u");
  }

  private void number(int number) throws IOException {
    out.writeByte('J');
    out.writeInt(Integer.reverseBytes(number));
  }

  private void text(String text) throws IOException {
    Integer known = memo.get(text);
    if (known != null) {
      out.writeByte('h');
      out.writeByte(known);
      return;
    }
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    out.writeByte('X');
    out.writeInt(Integer.reverseBytes(bytes.length));
    out.write(bytes);
    out.writeByte('q');
    out.writeByte(memo.size());
    memo.put(text, memo.size());
  }
}
