package org.allocsim.workloads.format.pytorch;

import org.allocsim.workloads.format.pytorch.pickle.OpenDicts;
import org.allocsim.workloads.format.pytorch.pickle.Value;
import org.allocsim.workloads.format.pytorch.pickle.Vocabulary;
import org.jspecify.annotations.Nullable;

/** Reads the fields of an open dict outside the history, with a fallback where one is missing. */
final class Fields {
  private final OpenDicts dicts;
  private int dict;
  private @Nullable String bad;

  Fields(OpenDicts dicts) {
    this.dicts = dicts;
  }

  /** Turns to a dict. */
  Fields of(int openDict) {
    dict = openDict;
    bad = null;
    return this;
  }

  /** What is wrong with the first field that could not be read since {@link #of}, or null. */
  @Nullable String bad() {
    return bad;
  }

  boolean has(int field) {
    return dicts.has(dict, field);
  }

  byte type(int field) {
    return dicts.type(dict, field);
  }

  long raw(int field) {
    return dicts.value(dict, field);
  }

  /** A number of bytes, or the fallback where the field is missing. */
  long bytes(int field, long fallback) {
    byte type = type(field);
    if (type == Value.MARK) {
      return fallback;
    }
    if (type != Value.INT || raw(field) < 0) {
      fail(field, "a number of bytes from 0 to 2^63 - 1");
    }
    return raw(field);
  }

  /** A number of bytes that must be there. */
  long bytes(int field) {
    require(field);
    return bytes(field, 0);
  }

  /** An address. */
  long address(int field) {
    require(field);
    byte type = type(field);
    if (type == Value.MARK) {
      return 0;
    }
    if (type != Value.UNSIGNED && (type != Value.INT || raw(field) < 0)) {
      fail(field, "a number from 0 to 2^64 - 1");
    }
    return raw(field);
  }

  /** A whole number of 64 bits, or the fallback. */
  long number(int field, long fallback) {
    byte type = type(field);
    if (type == Value.MARK || type == Value.NONE) {
      return fallback;
    }
    if (type != Value.INT && type != Value.UNSIGNED) {
      fail(field, "a whole number");
    }
    return raw(field);
  }

  /** A whole number of 64 bits that must be there. */
  long number(int field) {
    require(field);
    return number(field, 0);
  }

  /** A time in microseconds that nanoseconds can hold, or the fallback. */
  long micros(int field, long fallback) {
    byte type = type(field);
    if (type == Value.MARK || type == Value.NONE) {
      return fallback;
    }
    if (type != Value.INT || raw(field) < 0 || raw(field) > Long.MAX_VALUE / 1000) {
      fail(field, "a time in microseconds");
    }
    return raw(field);
  }

  /** A number of any kind, or the fallback. */
  double real(int field, double fallback) {
    return switch (type(field)) {
      case Value.MARK, Value.NONE -> fallback;
      case Value.INT -> raw(field);
      case Value.FLOAT -> Double.longBitsToDouble(raw(field));
      default -> {
        fail(field, "a number");
        yield fallback;
      }
    };
  }

  /** A boolean or a number taken as one, or the fallback. */
  boolean flag(int field, boolean fallback) {
    return switch (type(field)) {
      case Value.MARK, Value.NONE -> fallback;
      case Value.BOOL, Value.INT -> raw(field) != 0;
      default -> {
        fail(field, "True or False");
        yield fallback;
      }
    };
  }

  /** Number of a text in the pool, or −1 where the field is missing or no text. */
  int text(int field) {
    return type(field) == Value.TEXT ? (int) raw(field) : -1;
  }

  /** A stack, the empty one where the field is missing. */
  int stack(int field) {
    return type(field) == Value.STACK ? (int) raw(field) : 0;
  }

  /** Remembers that a field is not what it should be. */
  void fail(int field, String expected) {
    if (bad == null) {
      byte type = type(field);
      bad =
          "its field "
              + Vocabulary.key(field)
              + switch (type) {
                case Value.MARK -> " is missing, it should be ";
                case Value.INT -> " is " + raw(field) + ", not ";
                case Value.UNSIGNED -> " is " + Long.toUnsignedString(raw(field)) + ", not ";
                default -> " is " + Value.describe(type) + ", not ";
              }
              + expected;
    }
  }

  private void require(int field) {
    if (!has(field)) {
      fail(field, "a number");
    }
  }
}
