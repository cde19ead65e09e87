package org.allocsim.benchmarks.command;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/**
 * Writes the opcodes of a pickle of protocol 4 as Python's pickler chooses them for plain data, but
 * without frames: texts and shared lists are written once and referred to from then on.
 */
final class PickleStream implements AutoCloseable {
  private static final int PROTOCOL = 4;

  // Opcodes, named as in CPython's pickletools.
  private static final int PROTO = 0x80;
  private static final int EMPTY_DICT = '}';
  private static final int EMPTY_LIST = ']';
  private static final int MARK = '(';
  private static final int SETITEMS = 'u';
  private static final int APPENDS = 'e';
  private static final int STOP = '.';
  private static final int SHORT_BINUNICODE = 0x8c;
  private static final int MEMOIZE = 0x94;
  private static final int BINGET = 'h';
  private static final int LONG_BINGET = 'j';
  private static final int BININT1 = 'K';
  private static final int BININT2 = 'M';
  private static final int BININT = 'J';
  private static final int LONG1 = 0x8a;
  private static final int NEWTRUE = 0x88;
  private static final int NEWFALSE = 0x89;

  private final OutputStream out;
  private final Map<String, Integer> texts = new HashMap<>();
  private int memoized;

  PickleStream(OutputStream out) {
    this.out = new BufferedOutputStream(out, 1 << 16);
    write(PROTO);
    write(PROTOCOL);
  }

  /** Begins a dict. */
  void beginDict() {
    write(EMPTY_DICT);
    memoize();
    write(MARK);
  }

  void endDict() {
    write(SETITEMS);
  }

  /** Begins a list, and returns its number for {@link #refer}. */
  int beginList() {
    write(EMPTY_LIST);
    int number = memoize();
    write(MARK);
    return number;
  }

  void endList() {
    write(APPENDS);
  }

  /** Begins the next batch of elements of the same list, as Python does each thousand. */
  void nextBatch() {
    write(APPENDS);
    write(MARK);
  }

  /** The value with a number. */
  void refer(int number) {
    if (number < 1 << 8) {
      write(BINGET);
      littleEndian(number, 1);
    } else {
      write(LONG_BINGET);
      littleEndian(number, 4);
    }
  }

  /** A text of at most 255 bytes. */
  void text(String text) {
    Integer known = texts.get(text);
    if (known != null) {
      refer(known);
      return;
    }
    texts.put(text, freshText(text));
  }

  /** A text that is a new object in the program, and so is written again; returns its number. */
  int freshText(String text) {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    write(SHORT_BINUNICODE);
    write(utf8.length);
    for (byte each : utf8) {
      write(each);
    }
    return memoize();
  }

  void whole(long number) {
    if (number >= 0 && number < 1 << 8) {
      write(BININT1);
      littleEndian(number, 1);
    } else if (number >= 0 && number < 1 << 16) {
      write(BININT2);
      littleEndian(number, 2);
    } else if (number == (int) number) {
      write(BININT);
      littleEndian(number, 4);
    } else {
      int length =
          Long.SIZE / Byte.SIZE
              - (Long.numberOfLeadingZeros(number < 0 ? ~number : number) - 1) / Byte.SIZE;
      write(LONG1);
      write(length);
      littleEndian(number, length);
    }
  }

  void flag(boolean flag) {
    write(flag ? NEWTRUE : NEWFALSE);
  }

  /** A key of a dict with a whole number. */
  void entry(String key, long number) {
    text(key);
    whole(number);
  }

  /** A key of a dict with a text. */
  void entry(String key, String text) {
    text(key);
    text(text);
  }

  /** A key of a dict with an empty list. */
  void emptyList(String key) {
    text(key);
    write(EMPTY_LIST);
    memoize();
  }

  private int memoize() {
    write(MEMOIZE);
    return memoized++;
  }

  private void littleEndian(long number, int length) {
    for (int i = 0; i < length; i++) {
      write((int) (number >> Byte.SIZE * i));
    }
  }

  private void write(int opcode) {
    try {
      out.write(opcode);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Ends the pickle. */
  @Override
  public void close() {
    write(STOP);
    try {
      out.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
