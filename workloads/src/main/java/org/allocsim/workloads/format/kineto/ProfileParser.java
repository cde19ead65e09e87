package org.allocsim.workloads.format.kineto;

import java.io.IOException;
import java.io.InputStream;
import java.math.BigDecimal;
import java.math.RoundingMode;
import org.allocsim.workloads.format.Progress;
import org.allocsim.workloads.format.TraceFormatException;
import org.allocsim.workloads.io.StoredInput;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/** Streams through the JSON of a profile and keeps the events that matter. */
final class ProfileParser {
  private static final String REMEDY = "record with torch.profiler and profile_memory=True";
  private static final BigDecimal NANOS_PER_MICRO = BigDecimal.valueOf(1_000);
  private static final int CUDA = 1;

  private final String name;
  private final ProfilerEvents events = new ProfilerEvents();
  private long baseNanos;
  private long otherDevices;
  private long damaged;
  private boolean lacksAddresses;
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
  private boolean hasAddress;
  private long totalAllocated;
  private boolean hasBytes;

  private ProfileParser(String name) {
    this.name = name;
  }

  /** What a profile holds, and what was passed over. */
  record Profile(
      ProfilerEvents events,
      long baseNanos,
      long otherDevices,
      long damaged,
      boolean lacksAddresses,
      String sha256) {}

  static Profile parse(StoredInput input, String name, long size, Progress progress)
      throws TraceFormatException {
    ProfileParser parser = new ProfileParser(name);
    try (JsonParser json =
        new JsonFactory()
            .createParser(ObjectReadContext.empty(), new Plain(input, size, progress))) {
      parser.read(json);
    } catch (JacksonException e) {
      throw new TraceFormatException(
          name,
          e.getLocation() == null ? "" : "line " + e.getLocation().getLineNr(),
          "the JSON is damaged or cut off",
          "copy the file again");
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
          parser.lacksAddresses,
          input.finishDigest());
    } catch (IOException e) {
      throw new TraceFormatException(
          name, "", "it cannot be read (" + e.getMessage() + ")", "check the file");
    }
  }

  private void read(JsonParser json) throws TraceFormatException {
    if (json.nextToken() != JsonToken.START_OBJECT) {
      throw new TraceFormatException(name, "", "it is no JSON object", REMEDY);
    }
    while (json.nextToken() == JsonToken.PROPERTY_NAME) {
      String field = json.currentName();
      JsonToken value = json.nextToken();
      if (field.equals("traceEvents") && value == JsonToken.START_ARRAY) {
        hasEvents = true;
        while (json.nextToken() == JsonToken.START_OBJECT) {
          event(json);
        }
      } else if (field.equals("baseTimeNanoseconds") && value == JsonToken.VALUE_NUMBER_INT) {
        baseNanos = json.getLongValue();
      } else {
        json.skipChildren();
      }
    }
  }

  private void event(JsonParser json) {
    eventName = "";
    category = "";
    phase = "";
    time = null;
    duration = BigDecimal.ZERO;
    thread = 0;
    deviceType = -1;
    deviceId = 0;
    address = 0;
    hasAddress = false;
    totalAllocated = ProfilerEvents.NO_TOTAL;
    hasBytes = false;
    while (json.nextToken() == JsonToken.PROPERTY_NAME) {
      String field = json.currentName();
      JsonToken value = json.nextToken();
      switch (field) {
        case "name" -> eventName = json.getString();
        case "cat" -> category = json.getString();
        case "ph" -> phase = json.getString();
        case "ts" -> time = value.isNumeric() ? json.getDecimalValue() : null;
        case "dur" -> duration = value.isNumeric() ? json.getDecimalValue() : BigDecimal.ZERO;
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

  private void arguments(JsonParser json) {
    while (json.nextToken() == JsonToken.PROPERTY_NAME) {
      String field = json.currentName();
      if (json.nextToken() != JsonToken.VALUE_NUMBER_INT) {
        json.skipChildren();
        continue;
      }
      switch (field) {
        case "Device Type" -> deviceType = json.getLongValue();
        case "Device Id" -> deviceId = json.getLongValue();
        case "Addr" -> {
          address = json.getBigIntegerValue().longValue();
          hasAddress = true;
        }
        case "Total Allocated" -> totalAllocated = json.getLongValue();
        case "Bytes" -> {
          bytes = json.getLongValue();
          hasBytes = true;
        }
        default -> {}
      }
    }
  }

  private void keep() {
    boolean memory = eventName.equals("[memory]");
    if (memory || eventName.equals("[OutOfMemory]")) {
      if (time == null || !hasBytes || deviceId > Byte.MAX_VALUE) {
        damaged++;
      } else if (deviceType != CUDA || deviceId < 0) {
        otherDevices++;
      } else {
        lacksAddresses |= memory && !hasAddress;
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

  /** The plain bytes as a stream. */
  private static final class Plain extends InputStream {
    private final StoredInput input;
    private final long size;
    private final Progress progress;

    Plain(StoredInput input, long size, Progress progress) {
      this.input = input;
      this.size = size;
      this.progress = progress;
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      progress.update(input.storedBytes(), size);
      return input.read(target, offset, length);
    }
  }
}
