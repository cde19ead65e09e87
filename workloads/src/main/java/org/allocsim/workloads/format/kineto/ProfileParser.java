package org.allocsim.workloads.format.kineto;

import java.io.IOException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import org.allocsim.workloads.format.PlainInput;
import org.allocsim.workloads.format.Progress;
import org.allocsim.workloads.format.TraceFormatException;
import org.allocsim.workloads.io.ExpansionLimitException;
import org.allocsim.workloads.io.StoredInput;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.json.JsonFactory;

/** Streams through the JSON of a profile and keeps the events that matter. */
final class ProfileParser {
  private static final String REMEDY = "record with torch.profiler and profile_memory=True";
  private static final BigDecimal NANOS_PER_MICRO = BigDecimal.valueOf(1_000);
  private static final int CUDA = 1;

  /** Base, begin and duration of an event add up within 64 bits. */
  private static final long MAX_NANOS = 3_000_000_000_000_000_000L;

  private static final BigDecimal MAX_MICROS = BigDecimal.valueOf(MAX_NANOS / 1_000);

  // Digits before the point; fewer than none where zeros follow it.
  private static final int MAX_DIGITS = 16;
  private static final int MIN_DIGITS = -3;

  /** A pebibyte, above any memory of today. */
  private static final long MAX_BYTES = 1L << 50;

  private static final int MAX_NESTED = 64;
  private static final int MAX_CHARACTERS = 1 << 16;
  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(MAX_NESTED)
                  .maxStringLength(MAX_CHARACTERS)
                  .build())
          .build();

  private final String name;
  private final PlainInput plain;
  private long heldEventBytes;
  private final ProfilerEvents events = new ProfilerEvents();
  private long baseNanos;
  private long otherDevices;
  private long damaged;
  private long addressed;
  private long withoutAddress;
  private boolean hasEvents;

  // The event that is being read.
  private String eventName = "";
  private String category = "";
  private String phase = "";
  private @Nullable BigDecimal time;
  private BigDecimal duration = BigDecimal.ZERO;
  private long thread;
  private long deviceType;
  private long deviceId;
  private long bytes;
  private long address;
  private long totalAllocated;
  private boolean hasBytes;

  private ProfileParser(String name, PlainInput plain) {
    this.name = name;
    this.plain = plain;
  }

  /**
   * What a profile holds, and what was passed over.
   *
   * @param addressed memory events with an address
   * @param withoutAddress memory events without one, or at 0, where no block lies
   */
  record Profile(
      ProfilerEvents events,
      long baseNanos,
      long otherDevices,
      long damaged,
      long addressed,
      long withoutAddress,
      String sha256,
      Holding hold) {}

  /** Counts what is held of a profile. */
  interface Holding {
    /**
     * Further bytes are held.
     *
     * @throws TraceFormatException where that is more than a file of this size may take
     */
    void add(long bytes) throws TraceFormatException;
  }

  static Profile parse(StoredInput input, String name, long size, Progress progress)
      throws TraceFormatException {
    PlainInput plain = new PlainInput(input, size, progress);
    ProfileParser parser = new ProfileParser(name, plain);
    try (JsonParser json = FACTORY.createParser(ObjectReadContext.empty(), plain)) {
      parser.read(json);
    } catch (StreamConstraintsException e) {
      throw new TraceFormatException(
          name,
          place(e),
          "a name, string or number is too long, or lists nest too deeply, for a profile",
          REMEDY);
    } catch (JacksonException e) {
      if (e.getCause() instanceof ExpansionLimitException limit) {
        throw new TraceFormatException(
            name, place(e), limit.getMessage(), "unpack it yourself if you trust it");
      }
      throw new TraceFormatException(
          name, place(e), "the JSON is damaged or truncated", "copy the file again");
    }
    if (!parser.hasEvents) {
      throw new TraceFormatException(name, "", "it has no traceEvents", REMEDY);
    }
    try {
      return new Profile(
          parser.events,
          parser.baseNanos,
          parser.otherDevices,
          parser.damaged,
          parser.addressed,
          parser.withoutAddress,
          input.finishDigest(),
          parser::hold);
    } catch (IOException e) {
      throw new TraceFormatException(
          name, "", "it cannot be read (" + e.getMessage() + ")", "check the file");
    }
  }

  private static String place(JacksonException e) {
    return e.getLocation() == null ? "" : "line " + e.getLocation().getLineNr();
  }

  private void hold(long bytes) throws TraceFormatException {
    plain.hold(name, bytes);
  }

  private void read(JsonParser json) throws TraceFormatException {
    if (json.nextToken() != JsonToken.START_OBJECT) {
      throw new TraceFormatException(name, "", "it is not a JSON object", REMEDY);
    }
    while (json.nextToken() == JsonToken.PROPERTY_NAME) {
      String field = json.currentName();
      JsonToken value = json.nextToken();
      if (field.equals("traceEvents") && value == JsonToken.START_ARRAY) {
        hasEvents = true;
        while (json.nextToken() == JsonToken.START_OBJECT) {
          event(json);
          hold(events.heldBytes() - heldEventBytes);
          heldEventBytes = events.heldBytes();
        }
      } else if (field.equals("baseTimeNanoseconds") && value == JsonToken.VALUE_NUMBER_INT) {
        baseNanos = json.getLongValue();
        if (Math.abs(baseNanos) > MAX_NANOS || baseNanos == Long.MIN_VALUE) {
          throw tooFar(json, "time " + baseNanos + " ns");
        }
      } else {
        json.skipChildren();
      }
    }
  }

  private void event(JsonParser json) throws TraceFormatException {
    eventName = "";
    category = "";
    phase = "";
    time = null;
    duration = BigDecimal.ZERO;
    thread = 0;
    deviceType = -1;
    deviceId = 0;
    address = 0;
    totalAllocated = ProfilerEvents.NO_TOTAL;
    hasBytes = false;
    while (json.nextToken() == JsonToken.PROPERTY_NAME) {
      String field = json.currentName();
      JsonToken value = json.nextToken();
      switch (field) {
        case "name" -> eventName = json.getString();
        case "cat" -> category = json.getString();
        case "ph" -> phase = json.getString();
        case "ts" -> time = value.isNumeric() ? micros(json) : null;
        case "dur" -> duration = value.isNumeric() ? micros(json) : BigDecimal.ZERO;
        case "tid" -> thread = value == JsonToken.VALUE_NUMBER_INT ? json.getLongValue() : 0;
        case "args" -> {
          if (value == JsonToken.START_OBJECT) {
            arguments(json);
          }
        }
        default -> json.skipChildren();
      }
    }
    keep();
  }

  /**
   * A time in microseconds; what is too close to 0 to be a nanosecond is 0. Its digits are looked
   * at first: with {@code 1e999999999} nothing can be computed.
   */
  private BigDecimal micros(JsonParser json) throws TraceFormatException {
    BigDecimal micros;
    try {
      micros = json.getDecimalValue();
    } catch (NumberFormatException _) {
      // An exponent that is no int.
      throw tooFar(json, "time or duration of more than " + MAX_MICROS + " µs");
    }
    long digits = (long) micros.precision() - micros.scale();
    if (micros.signum() == 0 || digits < MIN_DIGITS) {
      return BigDecimal.ZERO;
    }
    if (digits > MAX_DIGITS || micros.abs().compareTo(MAX_MICROS) > 0) {
      throw tooFar(json, "time or duration of more than " + MAX_MICROS + " µs");
    }
    return micros;
  }

  private TraceFormatException tooFar(JsonParser json, String what) {
    return new TraceFormatException(
        name,
        "line " + json.currentLocation().getLineNr(),
        "a " + what + " is out of range",
        REMEDY);
  }

  private void arguments(JsonParser json) throws TraceFormatException {
    while (json.nextToken() == JsonToken.PROPERTY_NAME) {
      String field = json.currentName();
      if (json.nextToken() != JsonToken.VALUE_NUMBER_INT) {
        json.skipChildren();
        continue;
      }
      switch (field) {
        case "Device Type" -> deviceType = json.getLongValue();
        case "Device Id" -> deviceId = json.getLongValue();
        case "Addr" -> address = json.getBigIntegerValue().longValue();
        case "Total Allocated" -> totalAllocated = amount(json);
        case "Bytes" -> {
          bytes = amount(json);
          hasBytes = true;
        }
        default -> {}
      }
    }
  }

  private long amount(JsonParser json) throws TraceFormatException {
    long amount = json.getLongValue();
    if (amount > MAX_BYTES || amount < -MAX_BYTES) {
      throw new TraceFormatException(
          name,
          "line " + json.currentLocation().getLineNr(),
          "a size of " + amount + " bytes is implausibly large",
          REMEDY);
    }
    return amount;
  }

  private void keep() {
    boolean memory = eventName.equals("[memory]");
    if (memory || eventName.equals("[OutOfMemory]")) {
      if (time == null || !hasBytes || bytes == 0 || deviceId > Byte.MAX_VALUE) {
        damaged++;
      } else if (deviceType != CUDA || deviceId < 0) {
        otherDevices++;
      } else {
        addressed += memory && address != 0 ? 1 : 0;
        withoutAddress += memory && address == 0 ? 1 : 0;
        add(memory ? ProfilerEvents.Kind.MEMORY : ProfilerEvents.Kind.OUT_OF_MEMORY, time, bytes);
      }
    } else if (phase.equals("X") && time != null) {
      if (category.equals("user_annotation")) {
        add(ProfilerEvents.Kind.ANNOTATION, time, nanos(duration));
      } else if (category.equals("cpu_op") || category.equals("python_function")) {
        add(ProfilerEvents.Kind.OPERATOR, time, nanos(duration));
      }
    }
  }

  private void add(ProfilerEvents.Kind kind, BigDecimal at, long value) {
    events.add(kind, nanos(at), value, address, totalAllocated, (int) deviceId, thread, eventName);
  }

  private static long nanos(BigDecimal micros) {
    return micros.multiply(NANOS_PER_MICRO).setScale(0, RoundingMode.HALF_UP).longValue();
  }
}
