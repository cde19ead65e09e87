package org.allocsim.workloads.format.pytorch.pickle;

import org.jspecify.annotations.Nullable;

/** Pickle opcodes: those that plain data need, and the names of the others for messages. */
public final class Opcode {
  public static final int MARK = '(';
  public static final int STOP = '.';
  public static final int BINFLOAT = 'G';
  public static final int BININT = 'J';
  public static final int BININT1 = 'K';
  public static final int BININT2 = 'M';
  public static final int NONE = 'N';
  public static final int BINUNICODE = 'X';
  public static final int EMPTY_LIST = ']';
  public static final int APPEND = 'a';
  public static final int APPENDS = 'e';
  public static final int BINGET = 'h';
  public static final int LONG_BINGET = 'j';
  public static final int BINPUT = 'q';
  public static final int LONG_BINPUT = 'r';
  public static final int SETITEM = 's';
  public static final int TUPLE = 't';
  public static final int SETITEMS = 'u';
  public static final int EMPTY_DICT = '}';
  public static final int EMPTY_TUPLE = ')';
  public static final int BINBYTES = 'B';
  public static final int SHORT_BINBYTES = 'C';
  public static final int PROTO = 0x80;
  public static final int TUPLE1 = 0x85;
  public static final int TUPLE2 = 0x86;
  public static final int TUPLE3 = 0x87;
  public static final int NEWTRUE = 0x88;
  public static final int NEWFALSE = 0x89;
  public static final int LONG1 = 0x8a;
  public static final int LONG4 = 0x8b;
  public static final int SHORT_BINUNICODE = 0x8c;
  public static final int BINUNICODE8 = 0x8d;
  public static final int BINBYTES8 = 0x8e;
  public static final int MEMOIZE = 0x94;
  public static final int FRAME = 0x95;

  private Opcode() {}

  /** Name of an opcode that could import, call or build something, or null. */
  public static @Nullable String codeRunning(int opcode) {
    return switch (opcode) {
      case 'c' -> "GLOBAL";
      case 0x93 -> "STACK_GLOBAL";
      case 'R' -> "REDUCE";
      case 'b' -> "BUILD";
      case 'i' -> "INST";
      case 'o' -> "OBJ";
      case 0x81 -> "NEWOBJ";
      case 0x92 -> "NEWOBJ_EX";
      case 0x82 -> "EXT1";
      case 0x83 -> "EXT2";
      case 0x84 -> "EXT4";
      case 'P' -> "PERSID";
      case 'Q' -> "BINPERSID";
      case 0x97 -> "NEXT_BUFFER";
      case 0x98 -> "READONLY_BUFFER";
      default -> null;
    };
  }

  /** Name of an opcode that is harmless but that no writer of snapshots uses, or null. */
  public static @Nullable String unused(int opcode) {
    return switch (opcode) {
      case '0' -> "POP";
      case '1' -> "POP_MARK";
      case '2' -> "DUP";
      case 'F' -> "FLOAT";
      case 'I' -> "INT";
      case 'L' -> "LONG";
      case 'S' -> "STRING";
      case 'T' -> "BINSTRING";
      case 'U' -> "SHORT_BINSTRING";
      case 'V' -> "UNICODE";
      case 'd' -> "DICT";
      case 'l' -> "LIST";
      case 'g' -> "GET";
      case 'p' -> "PUT";
      case 0x8f -> "EMPTY_SET";
      case 0x90 -> "ADDITEMS";
      case 0x91 -> "FROZENSET";
      case 0x96 -> "BYTEARRAY8";
      default -> null;
    };
  }
}
