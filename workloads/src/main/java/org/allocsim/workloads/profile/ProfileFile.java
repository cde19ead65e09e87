package org.allocsim.workloads.profile;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.cost.ComputeProfile;
import org.allocsim.simulator.device.cost.DriverCosts;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;

/**
 * Device profiles as JSON files, schema {@code allocsim-device-1}: one object whose fields are
 * those of {@link DeviceProfile} without the history, in lower case with underscores ({@code
 * total_bytes}), and the schema. Objects in it are {@code costs} ({@link DriverCosts}) with {@code
 * handles} and {@code async}, and {@code compute}. All figures are whole numbers: bytes,
 * nanoseconds of host time, rates per second, addresses. Every field must be there, and no other.
 */
public final class ProfileFile {
  /** The version that is written, and the only one that is read. */
  public static final String SCHEMA = "allocsim-device-1";

  private static final int MAX_BYTES = 1 << 20;
  private static final int MAX_DEPTH = 8;
  private static final JsonFactory FACTORY =
      JsonFactory.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();

  private ProfileFile() {}

  /**
   * Reads a profile.
   *
   * @throws ProfileException where the file is none
   * @throws IOException where it cannot be read
   */
  public static DeviceProfile read(Path file) throws ProfileException, IOException {
    try (InputStream in = Files.newInputStream(file)) {
      return read(in);
    }
  }

  /**
   * Reads a profile from a stream, which stays open.
   *
   * @throws ProfileException where it holds none
   * @throws IOException where it cannot be read
   */
  public static DeviceProfile read(InputStream in) throws ProfileException, IOException {
    byte[] bytes = in.readNBytes(MAX_BYTES + 1);
    if (bytes.length > MAX_BYTES) {
      throw new ProfileException(
          "a device profile is at most 1 MiB; name a file that 'allocsim calibrate' wrote");
    }
    Map<String, Object> fields;
    try (JsonParser json = FACTORY.createParser(ObjectReadContext.empty(), bytes)) {
      if (json.nextToken() != JsonToken.START_OBJECT) {
        throw notJson(null);
      }
      fields = object(json, "", 1);
      if (json.nextToken() != null) {
        throw new ProfileException("extra text after the device profile's last brace; remove it");
      }
    } catch (JacksonException e) {
      throw notJson(e);
    }
    if (!(fields.remove("schema") instanceof String schema)) {
      throw new ProfileException(
          "field 'schema' is missing; a device profile has \"schema\": \"%s\"".formatted(SCHEMA));
    }
    if (!schema.equals(SCHEMA)) {
      throw new ProfileException(
          ("field 'schema' is '%s', but this allocsim reads %s; write the profile again"
                      + " with 'allocsim")
                  .formatted(RecordFields.printable(schema), SCHEMA)
              + " calibrate'");
    }
    if (fields.get("compute") instanceof Map<?, ?> given) {
      fields.put("compute", withLinks(given));
    }
    return RecordFields.to(DeviceProfile.class, fields, "");
  }

  /** Files that name no links to other GPUs have those of an H100. */
  private static Map<String, Object> withLinks(Map<?, ?> compute) {
    Map<String, Object> all = new LinkedHashMap<>();
    compute.forEach((name, value) -> all.put(String.valueOf(name), value));
    all.putIfAbsent("link_bytes_per_second", ComputeProfile.H100.linkBytesPerSecond());
    all.putIfAbsent("network_bytes_per_second", ComputeProfile.H100.networkBytesPerSecond());
    return all;
  }

  /** The fields of a profile's file, in order. */
  public static Map<String, Object> fields(DeviceProfile profile) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("schema", SCHEMA);
    fields.putAll(RecordFields.of(profile));
    return fields;
  }

  /**
   * Costs with other values for some parameters.
   *
   * @param parameters values by name; a name is that of a field in {@code costs}, with a dot before
   *     the name of an inner one
   * @throws IllegalArgumentException for a name that there is not, or a negative value
   */
  public static DriverCosts withParameters(DriverCosts costs, Map<String, Long> parameters) {
    Map<String, Object> fields = RecordFields.of(costs);
    parameters.forEach((name, value) -> {
      Map<String, Object> map = fields;
      String rest = name;
      int dot = name.indexOf('.');
      if (dot > 0 && fields.get(name.substring(0, dot)) instanceof Map<?, ?> inner) {
        @SuppressWarnings("unchecked") // RecordFields makes maps with texts as keys.
        Map<String, Object> known = (Map<String, Object>) inner;
        map = known;
        rest = name.substring(dot + 1);
      }
      if (!(map.get(rest) instanceof Long)) {
        throw new IllegalArgumentException("unknown parameter " + name);
      }
      map.put(rest, value);
    });
    try {
      return RecordFields.to(DriverCosts.class, fields, "");
    } catch (ProfileException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
  }

  private static Map<String, Object> object(JsonParser json, String path, int depth)
      throws ProfileException {
    Map<String, Object> map = new LinkedHashMap<>();
    if (depth > MAX_DEPTH) {
      throw new ProfileException("field '%s' is nested too deeply; correct it".formatted(path));
    }
    while (json.nextToken() != JsonToken.END_OBJECT) {
      String name = json.currentName();
      String inside = path + (path.isEmpty() ? "" : ".") + RecordFields.printable(name);
      Object value =
          switch (json.nextToken()) {
            case VALUE_STRING -> json.getString();
            case VALUE_NUMBER_INT -> number(json, inside);
            case START_OBJECT -> object(json, inside, depth + 1);
            default ->
                throw new ProfileException(
                    "field '%s' must be a whole number, a string or an object; correct it"
                        .formatted(inside));
          };
      map.put(name, value);
    }
    return map;
  }

  private static long number(JsonParser json, String path) throws ProfileException {
    try {
      return json.getLongValue();
    } catch (JacksonException e) {
      throw new ProfileException(
          "the number in field '%s' is too large; correct it".formatted(path), e);
    }
  }

  private static ProfileException notJson(@Nullable JacksonException cause) {
    String place =
        cause == null || cause.getLocation() == null || cause.getLocation().getLineNr() < 1
            ? ""
            : " (line " + cause.getLocation().getLineNr() + ")";
    return new ProfileException(
        "not the JSON of a device profile%s; name a file that 'allocsim calibrate' wrote"
            .formatted(place),
        cause);
  }
}
