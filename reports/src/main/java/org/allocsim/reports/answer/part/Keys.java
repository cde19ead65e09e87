package org.allocsim.reports.answer.part;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** Constants of enums as JSON names them. */
public final class Keys {
  private Keys() {}

  public static String of(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  /** A map with its constants in lower case, in its order. */
  public static <V> Map<String, V> of(Map<? extends Enum<?>, V> map) {
    Map<String, V> named = new LinkedHashMap<>();
    map.forEach((constant, value) -> named.put(of(constant), value));
    return named;
  }
}
