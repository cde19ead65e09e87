package org.allocsim.workloads.format.pytorch.pickle;

/** Types of the values on the pickle stack; each goes with one {@code long}. */
public final class Value {
  /** No value: an empty memo slot, or a mark on the stack. */
  public static final byte MARK = 0;

  public static final byte NONE = 1;
  public static final byte BOOL = 2;

  /** A whole number below 2^63. */
  public static final byte INT = 3;

  /** A whole number from 2^63 to 2^64 − 1, as its 64 bits. */
  public static final byte UNSIGNED = 4;

  /** A floating-point number, as its bits. */
  public static final byte FLOAT = 5;

  /** A text, as its number in the {@link TextPool}. */
  public static final byte TEXT = 6;

  /** A list that may still grow, as its number among the open lists. */
  public static final byte OPEN_LIST = 7;

  /** A dict that may still grow, as its number among the open dicts. */
  public static final byte OPEN_DICT = 8;

  /** A finished stack frame, as its number. */
  public static final byte FRAME = 9;

  /** A finished list of frames, as its stack's number; the empty list is stack 0. */
  public static final byte STACK = 10;

  /** A pair of whole numbers, as its number among the pool ids. */
  public static final byte POOL = 11;

  /** A finished object of the snapshot, as its number among the builder's objects. */
  public static final byte OBJECT = 12;

  /** Something that is not looked into, as its nesting depth. */
  public static final byte OPAQUE = 13;

  /** An entry that went into its list; it must not be used a second time. */
  public static final byte SPENT = 14;

  private Value() {}

  /** How a type is called in messages. */
  public static String describe(byte type) {
    return switch (type) {
      case NONE -> "None";
      case BOOL -> "a boolean";
      case INT -> "a whole number";
      case UNSIGNED -> "a whole number beyond 2^63 - 1";
      case FLOAT -> "a floating-point number";
      case TEXT -> "a text";
      case STACK -> "a list of stack frames";
      case POOL -> "a pair of numbers";
      default -> "an object of another type";
    };
  }
}
