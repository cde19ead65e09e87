package org.allocsim.workloads.format.pytorch;

/** Types of the values on the pickle stack; each goes with one {@code long}. */
final class Value {
  /** No value: an empty memo slot, or a mark on the stack. */
  static final byte MARK = 0;

  static final byte NONE = 1;
  static final byte BOOL = 2;

  /** A whole number below 2^63. */
  static final byte INT = 3;

  /** A whole number from 2^63 to 2^64 − 1, as its 64 bits. */
  static final byte UNSIGNED = 4;

  /** A floating-point number, as its bits. */
  static final byte FLOAT = 5;

  /** A text, as its number in the {@link TextPool}. */
  static final byte TEXT = 6;

  /** A list that may still grow, as its number among the open lists. */
  static final byte OPEN_LIST = 7;

  /** A dict that may still grow, as its number among the open dicts. */
  static final byte OPEN_DICT = 8;

  /** A finished stack frame, as its number. */
  static final byte FRAME = 9;

  /** A finished list of frames, as its stack's number; the empty list is stack 0. */
  static final byte STACK = 10;

  /** A pair of whole numbers, as its number among the pool ids. */
  static final byte POOL = 11;

  /** A finished object of the snapshot, as its number among the builder's objects. */
  static final byte OBJECT = 12;

  /** Something that is not looked into, as its nesting depth. */
  static final byte OPAQUE = 13;

  /** An entry that went into its list; it must not be used a second time. */
  static final byte SPENT = 14;

  private Value() {}

  /** How a type is called in messages. */
  static String describe(byte type) {
    return switch (type) {
      case NONE -> "None";
      case BOOL -> "a boolean";
      case INT -> "a whole number";
      case UNSIGNED -> "a whole number beyond 2^63 - 1";
      case FLOAT -> "a floating-point number";
      case TEXT -> "a text";
      case STACK -> "a list of stack frames";
      case POOL -> "a pair of numbers";
      default -> "an object of another kind";
    };
  }
}
