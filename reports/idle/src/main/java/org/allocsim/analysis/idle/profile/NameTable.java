package org.allocsim.analysis.idle.profile;

import java.util.Arrays;

/** Numbers distinct texts; a text that is known already makes no object. */
final class NameTable {
  /** Bytes of a name here, aside from its characters. */
  private static final int NAME_BYTES = 80;

  private static final int NONE = -1;

  private String[] texts = new String[256];
  private int[] places = filled(1024);
  private int count;
  private long heldBytes;

  private static int[] filled(int length) {
    int[] column = new int[length];
    Arrays.fill(column, NONE);
    return column;
  }

  /** The number of a text. */
  int number(char[] characters, int offset, int length) {
    int hash = 0;
    for (int i = 0; i < length; i++) {
      hash = 31 * hash + characters[offset + i];
    }
    int place = place(hash);
    while (places[place] != NONE) {
      if (isAt(places[place], characters, offset, length)) {
        return places[place];
      }
      place = (place + 1) & (places.length - 1);
    }
    return add(place, new String(characters, offset, length));
  }

  private int place(int hash) {
    return (hash ^ (hash >>> 15)) * 0x9E3779B1 >>> 7 & (places.length - 1);
  }

  private boolean isAt(int name, char[] characters, int offset, int length) {
    String text = texts[name];
    if (text.length() != length) {
      return false;
    }
    for (int i = 0; i < length; i++) {
      if (text.charAt(i) != characters[offset + i]) {
        return false;
      }
    }
    return true;
  }

  private int add(int place, String text) {
    if (count == texts.length) {
      texts = Arrays.copyOf(texts, count * 2);
    }
    texts[count] = text;
    places[place] = count++;
    heldBytes += NAME_BYTES + 2L * text.length();
    if (count * 2 > places.length) {
      grow();
    }
    return count - 1;
  }

  private void grow() {
    places = filled(places.length * 2);
    for (int name = 0; name < count; name++) {
      int place = place(texts[name].hashCode());
      while (places[place] != NONE) {
        place = (place + 1) & (places.length - 1);
      }
      places[place] = name;
    }
  }

  /** Bytes that all of it takes, about. */
  long heldBytes() {
    return heldBytes;
  }

  /** The texts by their numbers. */
  String[] texts() {
    return Arrays.copyOf(texts, count);
  }
}
