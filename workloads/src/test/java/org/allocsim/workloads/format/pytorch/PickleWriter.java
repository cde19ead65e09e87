package org.allocsim.workloads.format.pytorch;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.allocsim.workloads.format.pytorch.pickle.Opcode;

/**
 * Writes pickles the way Python does (containers are memoized before they fill, elements come in
 * batches of 1000, protocol 4 and 5 in frames) or the way TorchScript's pickler does (protocol 2,
 * containers are memoized once complete, no batches). Strings, lists, maps, numbers, booleans and
 * {@link Tuple} are written; single opcodes can be written too.
 */
final class PickleWriter implements AutoCloseable {
  /** A Python tuple. */
  record Tuple(Object... elements) {}

  private static final int FRAME_BYTES = 64 << 10;
  private static final int BATCH = 1000;

  private final OutputStream out;
  private final int protocol;
  private final boolean torchScript;
  private final ByteArrayOutputStream frame = new ByteArrayOutputStream();
  private final Map<String, Integer> strings = new HashMap<>();
  private final IdentityHashMap<Object, Integer> containers = new IdentityHashMap<>();
  private int memoized;

  private PickleWriter(OutputStream out, int protocol, boolean torchScript) {
    this.out = out;
    this.protocol = protocol;
    this.torchScript = torchScript;
    direct(new byte[] {(byte) Opcode.PROTO, (byte) protocol});
  }

  /** A writer in Python's style. */
  static PickleWriter python(OutputStream out, int protocol) {
    return new PickleWriter(out, protocol, false);
  }

  /** A writer in TorchScript's style. */
  static PickleWriter torchScript(OutputStream out) {
    return new PickleWriter(out, 2, true);
  }

  /** A whole pickle of a value in Python's style. */
  static byte[] pickle(Object value, int protocol) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (PickleWriter writer = python(bytes, protocol)) {
      writer.value(value);
    }
    return bytes.toByteArray();
  }

  /** A whole pickle of a value in TorchScript's style. */
  static byte[] torchScriptPickle(Object value) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (PickleWriter writer = torchScript(bytes)) {
      writer.value(value);
    }
    return bytes.toByteArray();
  }

  /** Writes any value. */
  void value(Object value) {
    switch (value) {
      case null -> opcode(Opcode.NONE);
      case Boolean flag -> opcode(flag ? Opcode.NEWTRUE : Opcode.NEWFALSE);
      case Integer number -> whole(number);
      case Long number -> whole(number);
      case BigInteger number -> big(number);
      case Double number -> {
        put(Opcode.BINFLOAT);
        frame.writeBytes(ByteBuffer.allocate(8).putDouble(number).array());
        commit();
      }
      case String text -> text(text);
      case Tuple tuple -> tuple(tuple);
      case List<?> list -> list(list);
      case Map<?, ?> map -> map(map);
      default -> throw new IllegalArgumentException(value.getClass().getName());
    }
  }

  /** Writes a whole number the shortest way. */
  void whole(long number) {
    if (number >= 0 && number < 0x100) {
      put(Opcode.BININT1);
      little(number, 1);
    } else if (number >= 0 && number < 0x10000) {
      put(Opcode.BININT2);
      little(number, 2);
    } else if (number == (int) number) {
      put(Opcode.BININT);
      little(number, 4);
    } else {
      int bytes = torchScript ? 8 : (71 - Long.numberOfLeadingZeros(number ^ number >> 63) + 1) / 8;
      put(Opcode.LONG1);
      put(bytes);
      little(number, bytes);
    }
    commit();
  }

  private void big(BigInteger number) {
    byte[] bytes = number.toByteArray();
    put(Opcode.LONG1);
    put(bytes.length);
    for (int i = bytes.length - 1; i >= 0; i--) {
      put(bytes[i]);
    }
    commit();
  }

  /** Writes a string, or refers to it where it was written before. */
  void text(String text) {
    Integer known = strings.get(text);
    if (known != null) {
      get(known);
      return;
    }
    strings.put(text, freshText(text));
  }

  /** Writes a string anew and returns its memo slot. */
  int freshText(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    if (protocol >= 4 && bytes.length < 0x100) {
      put(Opcode.SHORT_BINUNICODE);
      little(bytes.length, 1);
    } else {
      put(Opcode.BINUNICODE);
      little(bytes.length, 4);
    }
    frame.writeBytes(bytes);
    commit();
    return memoize();
  }

  private void tuple(Tuple tuple) {
    Object[] elements = tuple.elements();
    if (elements.length == 0) {
      opcode(Opcode.EMPTY_TUPLE);
      return;
    }
    if (elements.length > 3) {
      opcode(Opcode.MARK);
    }
    for (Object element : elements) {
      value(element);
    }
    opcode(elements.length > 3 ? Opcode.TUPLE : Opcode.TUPLE1 + elements.length - 1);
    memoize();
  }

  private void list(List<?> list) {
    if (refer(list)) {
      return;
    }
    opcode(Opcode.EMPTY_LIST);
    remember(list, false);
    int batch = torchScript ? Math.max(list.size(), 1) : BATCH;
    for (int from = 0; from < list.size(); from += batch) {
      int to = Math.min(list.size(), from + batch);
      boolean one = to - from == 1 && !torchScript;
      if (!one) {
        opcode(Opcode.MARK);
      }
      for (Object element : list.subList(from, to)) {
        value(element);
      }
      opcode(one ? Opcode.APPEND : Opcode.APPENDS);
    }
    remember(list, true);
  }

  private void map(Map<?, ?> map) {
    if (refer(map)) {
      return;
    }
    opcode(Opcode.EMPTY_DICT);
    remember(map, false);
    int batch = torchScript ? Math.max(map.size(), 1) : BATCH;
    int written = 0;
    for (Map.Entry<?, ?> entry : map.entrySet()) {
      boolean one = map.size() - written / batch * batch == 1 && !torchScript;
      if (written % batch == 0 && !one) {
        opcode(Opcode.MARK);
      }
      value(entry.getKey());
      value(entry.getValue());
      written++;
      if (one) {
        opcode(Opcode.SETITEM);
      } else if (written % batch == 0 || written == map.size()) {
        opcode(Opcode.SETITEMS);
      }
    }
    remember(map, true);
  }

  private boolean refer(Object container) {
    Integer slot = containers.get(container);
    if (slot == null) {
      return false;
    }
    get(slot);
    return true;
  }

  private void remember(Object container, boolean complete) {
    if (complete == torchScript) {
      containers.put(container, memoize());
    }
  }

  /** Puts the value written last into the next memo slot and returns that. */
  int memoize() {
    if (protocol >= 4) {
      opcode(Opcode.MEMOIZE);
    } else if (memoized < 0x100) {
      put(Opcode.BINPUT);
      little(memoized, 1);
      commit();
    } else {
      put(Opcode.LONG_BINPUT);
      little(memoized, 4);
      commit();
    }
    return memoized++;
  }

  /** Refers to a memo slot. */
  void get(int slot) {
    if (slot < 0x100) {
      put(Opcode.BINGET);
      little(slot, 1);
    } else {
      put(Opcode.LONG_BINGET);
      little(slot, 4);
    }
    commit();
  }

  /** Writes an opcode without an argument. */
  void opcode(int opcode) {
    put(opcode);
    commit();
  }

  /** Writes bytes as they are. */
  PickleWriter raw(int... bytes) {
    for (int b : bytes) {
      put(b);
    }
    return this;
  }

  private void put(int b) {
    frame.write(b);
  }

  private void little(long number, int bytes) {
    frame.write(
        ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(number).array(), 0, bytes);
  }

  private void commit() {
    if (frame.size() >= FRAME_BYTES) {
      flush();
    }
  }

  private void flush() {
    if (protocol >= 4 && frame.size() > 0) {
      byte[] header = new byte[9];
      ByteBuffer.wrap(header)
          .order(ByteOrder.LITTLE_ENDIAN)
          .put((byte) Opcode.FRAME)
          .putLong(frame.size());
      direct(header);
    }
    direct(frame.toByteArray());
    frame.reset();
  }

  private void direct(byte[] bytes) {
    try {
      out.write(bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Writes STOP; the stream stays open. */
  @Override
  public void close() {
    opcode(Opcode.STOP);
    flush();
  }
}
