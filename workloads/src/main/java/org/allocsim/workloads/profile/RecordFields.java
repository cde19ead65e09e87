package org.allocsim.workloads.profile;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.allocsim.simulator.device.AddressHistory;
import org.allocsim.simulator.device.DeviceProfile.Origin;

/**
 * Records as maps from names to whole numbers, texts and further maps. A component {@code
 * mapPageNanos} is called {@code map_page_nanos}. The history of a process is not part of a device.
 */
final class RecordFields {
  private static final int LONGEST_TEXT = 500;

  /** Longest time of one call, some 17 minutes: sums of times must stay within 64 bits. */
  private static final long MAX_NANOS = 1_000_000_000_000L;

  /** Above any size, address and rate of today. */
  private static final long MOST = 1L << 60;

  private RecordFields() {}

  static Map<String, Object> of(Record value) {
    Map<String, Object> map = new LinkedHashMap<>();
    for (RecordComponent component : value.getClass().getRecordComponents()) {
      Object part = get(component, value);
      if (part instanceof Record inner) {
        map.put(name(component), of(inner));
      } else if (part instanceof Origin origin) {
        map.put(name(component), origin.name().toLowerCase(Locale.ROOT));
      } else if (!(part instanceof AddressHistory)) {
        map.put(name(component), part);
      }
    }
    return map;
  }

  /**
   * The record that a map holds; every component must be there, and nothing else.
   *
   * @param path name of the map for messages, empty or ending with a dot
   */
  static <T extends Record> T to(Class<T> type, Map<String, Object> map, String path)
      throws ProfileException {
    RecordComponent[] components = type.getRecordComponents();
    Object[] values = new Object[components.length];
    Map<String, Object> rest = new LinkedHashMap<>(map);
    for (int i = 0; i < components.length; i++) {
      if (components[i].getType() == AddressHistory.class) {
        values[i] = AddressHistory.UNKNOWN;
        continue;
      }
      String name = name(components[i]);
      if (!rest.containsKey(name)) {
        throw new ProfileException(
            "field '%s%s' is missing; add it, or write the profile with 'allocsim calibrate'"
                .formatted(path, name));
      }
      values[i] = value(components[i].getType(), rest.remove(name), path + name);
    }
    if (!rest.isEmpty()) {
      throw new ProfileException(
          "unknown field '%s%s'; remove it or correct its name"
              .formatted(path, printable(rest.keySet().iterator().next())));
    }
    return make(type, components, values, path);
  }

  private static <T extends Record> T make(
      Class<T> type, RecordComponent[] components, Object[] values, String path)
      throws ProfileException {
    try {
      Class<?>[] types =
          Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
      return type.getConstructor(types).newInstance(values);
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof IllegalArgumentException refusal) {
        throw new ProfileException(
            "%s; correct the file"
                .formatted(path.isEmpty() ? refusal.getMessage() : path + refusal.getMessage()),
            e);
      }
      throw new IllegalStateException(e);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Object value(Class<?> type, Object given, String path) throws ProfileException {
    if (type == long.class) {
      long most = path.endsWith("_nanos") ? MAX_NANOS : MOST;
      if (!(given instanceof Long number) || number < 0 || number > most) {
        throw new ProfileException(
            "field '%s' must be a whole number from 0 to %d; correct it".formatted(path, most));
      }
      return number;
    }
    if (type == String.class) {
      return text(given, path);
    }
    if (type == Origin.class) {
      String word = text(given, path);
      for (Origin origin : Origin.values()) {
        if (origin.name().toLowerCase(Locale.ROOT).equals(word)) {
          return origin;
        }
      }
      throw new ProfileException(
          "field '%s' must be measured, derived or chosen; correct it".formatted(path));
    }
    if (type.isRecord() && given instanceof Map<?, ?> inner) {
      @SuppressWarnings("unchecked") // Maps of the parser have texts as keys.
      Map<String, Object> map = (Map<String, Object>) inner;
      return to(type.asSubclass(Record.class), map, path + ".");
    }
    throw new ProfileException("field '%s' must be an object; correct it".formatted(path));
  }

  private static String text(Object given, String path) throws ProfileException {
    if (given instanceof String text && !text.isBlank() && text.length() <= LONGEST_TEXT) {
      return printable(text);
    }
    throw new ProfileException(
        "field '%s' must be a string of 1 to %d characters; correct it"
            .formatted(path, LONGEST_TEXT));
  }

  /** Control characters would spoil the terminal. */
  static String printable(String text) {
    String shown = text.length() > LONGEST_TEXT ? text.substring(0, LONGEST_TEXT) : text;
    return shown.replaceAll("\\p{Cntrl}", "?");
  }

  private static Object get(RecordComponent component, Record value) {
    try {
      return component.getAccessor().invoke(value);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String name(RecordComponent component) {
    return component.getName().replaceAll("([a-z0-9])([A-Z])", "$1_$2").toLowerCase(Locale.ROOT);
  }
}
