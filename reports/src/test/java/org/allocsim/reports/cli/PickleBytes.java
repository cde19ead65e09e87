package org.allocsim.reports.cli;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/** Writes maps, lists, strings, whole numbers and booleans as a pickle of protocol 2. */
final class PickleBytes {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  private PickleBytes() {}

  static byte[] of(Object value) {
    PickleBytes pickle = new PickleBytes();
    pickle.out.writeBytes(new byte[] {(byte) 0x80, 2});
    pickle.write(value);
    pickle.out.write('.');
    return pickle.out.toByteArray();
  }

  private void write(Object value) {
    switch (value) {
      case Map<?, ?> map -> {
        out.writeBytes(new byte[] {'}', '('});
        map.forEach((key, each) -> {
          write(key);
          write(each);
        });
        out.write('u');
      }
      case List<?> list -> {
        out.writeBytes(new byte[] {']', '('});
        list.forEach(this::write);
        out.write('e');
      }
      case String text -> {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        out.write('X');
        out.writeBytes(littleEndian(4).putInt(utf8.length).array());
        out.writeBytes(utf8);
      }
      case Boolean bool -> out.write(bool ? 0x88 : 0x89);
      case UnsignedLong number -> {
        out.writeBytes(new byte[] {(byte) 0x8a, 9});
        out.writeBytes(littleEndian(8).putLong(number.bits()).array());
        out.write(0);
      }
      case Number number -> {
        out.writeBytes(new byte[] {(byte) 0x8a, 8});
        out.writeBytes(littleEndian(8).putLong(number.longValue()).array());
      }
      default -> throw new IllegalArgumentException("cannot pickle " + value);
    }
  }

  private static ByteBuffer littleEndian(int bytes) {
    return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  /** A number from 2^63 to 2^64 − 1. */
  record UnsignedLong(long bits) {}
}
