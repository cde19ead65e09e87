package org.allocsim.analysis.idle.profile;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
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

/**
 * Reads the rows with a duration, and what the allocator held, from Chrome traces of PyTorch's
 * profiler (Kineto of PyTorch 1.8 to 2.14), plain or compressed, without holding the file; and from
 * SQLite exports of Nsight Systems.
 */
public final class TimeProfileReader {
  private static final String REMEDY =
      "record with torch.profiler and export_chrome_trace, with the activities CPU and CUDA";

  private static final String OTHER_FILE_REMEDY =
      "'allocsim idle' reads what torch.profiler exports with export_chrome_trace, and SQLite"
          + " exports of Nsight Systems; 'allocsim diagnose' reads memory snapshots and logs";

  private static final int MAX_NESTED = 64;
  private static final int MAX_CHARACTERS = 1 << 16;

  /** A pebibyte, above any memory of today. */
  private static final long MAX_BYTES = 1L << 50;

  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(MAX_NESTED)
                  .maxStringLength(MAX_CHARACTERS)
                  .build())
          .build();

  private static final int NONE = -1;

  /** What PyTorch calls the memory of CUDA devices, also of those that HIP shows as such. */
  private static final int CUDA = 1;

  private final String file;
  private final PlainInput plain;
  private final NameTable names = new NameTable();
  private final ProfileRows rows = new ProfileRows();
  private long countedBytes;
  private boolean isObject;
  private boolean hasEvents;
  private long damaged;
  private @Nullable String gpuName;
  private int rank = NONE;
  private int worldSize;
  private boolean hasStacks;
  private long baseNanos;

  // The event that is being read.
  private @Nullable RowKind kind;
  private boolean isComplete;
  private boolean isInstant;
  private int name;
  private long start;
  private long duration;
  private long process;
  private long thread;
  private long device;
  private long stream;
  private long correlation;
  private long bytes;
  private int caller;
  private long deviceType;
  private long deviceId;
  private long allocated;
  private long reserved;

  private TimeProfileReader(String file, PlainInput plain) {
    this.file = file;
    this.plain = plain;
  }

  /**
   * Reads a profile.
   *
   * @throws TraceFormatException where it is none, is damaged, or would take more memory than a
   *     file of its size may
   */
  public static TimeProfile read(Path file, Progress progress) throws TraceFormatException {
    if (NsysProfileReader.isDatabase(file)) {
      return NsysProfileReader.read(file, progress);
    }
    String name = file.toString();
    try (InputStream stored = Files.newInputStream(file);
        StoredInput input = StoredInput.ahead(stored)) {
      long size = Files.isRegularFile(file) ? Files.size(file) : -1;
      TimeProfileReader reader = new TimeProfileReader(name, new PlainInput(input, size, progress));
      reader.parse();
      return reader.build(input.finishDigest());
    } catch (NoSuchFileException _) {
      throw TraceFormatException.noSuchFile(file);
    } catch (IOException e) {
      throw new TraceFormatException(
          name, "", "it cannot be read (" + e.getMessage() + ")", "copy the file again");
    }
  }

  private void parse() throws TraceFormatException {
    try (JsonParser json = FACTORY.createParser(ObjectReadContext.empty(), plain)) {
      read(json);
    } catch (StreamConstraintsException e) {
      throw refusal(
          e, "a name, string or number is too long, or lists nest too deeply, for a profile");
    } catch (JacksonException e) {
      if (e.getCause() instanceof ExpansionLimitException limit) {
        throw new TraceFormatException(
            file, place(e), limit.getMessage(), "unpack it yourself if you trust it");
      }
      if (e.getCause() instanceof IOException) {
        throw new TraceFormatException(
            file, "", "its compressed data is damaged or truncated", "copy the file again");
      }
      if (!isObject) {
        throw new TraceFormatException(file, "", "it is not a profile", OTHER_FILE_REMEDY);
      }
      throw new TraceFormatException(
          file, place(e), "the JSON is damaged or truncated", "copy the file again");
    }
    if (!hasEvents) {
      throw new TraceFormatException(file, "", "it has no traceEvents", REMEDY);
    }
  }

  private TraceFormatException refusal(JacksonException e, String cause) {
    return new TraceFormatException(file, place(e), cause, REMEDY);
  }

  private static String place(JacksonException e) {
    return e.getLocation() == null ? "" : "line " + e.getLocation().getLineNr();
  }

  private TimeProfile build(String sha256) {
    return rows.build(
        new TimeProfile.Source(
            file,
            sha256,
            TimeProfile.Profiler.KINETO,
            gpuName,
            rank,
            worldSize,
            hasStacks,
            damaged,
            0),
        baseNanos,
        names.texts());
  }

  private void hold() throws TraceFormatException {
    long held = rows.heldBytes() + names.heldBytes();
    plain.hold(file, held - countedBytes);
    countedBytes = held;
  }

  private void read(JsonParser json) throws TraceFormatException {
    if (json.nextToken() != JsonToken.START_OBJECT) {
      throw new TraceFormatException(file, "", "it is not a JSON object", REMEDY);
    }
    isObject = true;
    while (json.nextToken() == JsonToken.PROPERTY_NAME) {
      String field = json.currentName();
      JsonToken value = json.nextToken();
      if (field.equals("traceEvents") && value == JsonToken.START_ARRAY) {
        hasEvents = true;
        while (json.nextToken() == JsonToken.START_OBJECT) {
          event(json);
          hold();
        }
      } else if (field.equals("baseTimeNanoseconds") && value == JsonToken.VALUE_NUMBER_INT) {
        // Beyond the years that fit, the memory events are refused by their own reader.
        baseNanos = Math.clamp(json.getValueAsLong(), -Micros.MAX_NANOS, Micros.MAX_NANOS);
      } else if (field.equals("deviceProperties") && value == JsonToken.START_ARRAY) {
        devices(json);
      } else if (field.equals("distributedInfo") && value == JsonToken.START_OBJECT) {
        job(json);
      } else {
        json.skipChildren();
      }
    }
  }

  private void devices(JsonParser json) {
    while (json.nextToken() == JsonToken.START_OBJECT) {
      while (json.nextToken() == JsonToken.PROPERTY_NAME) {
        boolean isName = json.currentName().equals("name");
        if (json.nextToken() == JsonToken.VALUE_STRING && isName && gpuName == null) {
          gpuName = json.getString();
        }
        json.skipChildren();
      }
    }
  }

  private void job(JsonParser json) {
    while (json.nextToken() == JsonToken.PROPERTY_NAME) {
      String field = json.currentName();
      if (json.nextToken() == JsonToken.VALUE_NUMBER_INT) {
        int value = Math.clamp(json.getValueAsLong(), NONE, Integer.MAX_VALUE);
        switch (field) {
          case "rank" -> rank = value;
          case "world_size" -> worldSize = Math.max(0, value);
          default -> {}
        }
      }
      json.skipChildren();
    }
  }

  private void event(JsonParser json) throws TraceFormatException {
    kind = null;
    isComplete = false;
    isInstant = false;
    name = NONE;
    start = Micros.NONE;
    duration = 0;
    process = 0;
    thread = 0;
    device = NONE;
    stream = NONE;
    correlation = NONE;
    bytes = 0;
    caller = NONE;
    deviceType = NONE;
    deviceId = 0;
    allocated = NONE;
    reserved = NONE;
    while (json.nextToken() == JsonToken.PROPERTY_NAME) {
      String field = json.currentName();
      JsonToken value = json.nextToken();
      switch (field) {
        case "cat" -> kind = value == JsonToken.VALUE_STRING ? RowKind.of(json.getString()) : null;
        case "name" -> name = value == JsonToken.VALUE_STRING ? nameNumber(json) : NONE;
        case "ph" -> {
          String phase = value == JsonToken.VALUE_STRING ? json.getString() : "";
          isComplete = phase.equals("X");
          isInstant = phase.equals("i");
        }
        case "ts" -> start = value.isNumeric() ? nanos(json) : Micros.NONE;
        case "dur" -> duration = value.isNumeric() ? nanos(json) : 0;
        case "pid" -> process = whole(json, value);
        case "tid" -> thread = whole(json, value);
        case "args" -> {
          if (value == JsonToken.START_OBJECT) {
            arguments(json);
          }
        }
        default -> json.skipChildren();
      }
      json.skipChildren();
    }
    keep();
  }

  private int nameNumber(JsonParser json) {
    // A memory event repeats no name of a row with time, so each name is that of some row.
    return names.number(json.getStringCharacters(), json.getStringOffset(), json.getStringLength());
  }

  private long nanos(JsonParser json) throws TraceFormatException {
    long nanos =
        Micros.nanos(json.getStringCharacters(), json.getStringOffset(), json.getStringLength());
    if (nanos == Micros.NONE) {
      throw new TraceFormatException(
          file,
          "line " + json.currentLocation().getLineNr(),
          "a time or duration of more than " + Micros.MAX_NANOS / 1_000 + " µs is out of range",
          REMEDY);
    }
    return nanos;
  }

  /** A whole number; 0 for what is none, and for one that no process or thread has. */
  private static long whole(JsonParser json, JsonToken value) {
    return value == JsonToken.VALUE_NUMBER_INT ? json.getValueAsLong() : 0;
  }

  private void arguments(JsonParser json) {
    while (json.nextToken() == JsonToken.PROPERTY_NAME) {
      String field = json.currentName();
      JsonToken value = json.nextToken();
      if (value == JsonToken.VALUE_NUMBER_INT) {
        switch (field) {
          case "device" -> device = json.getValueAsLong();
          case "stream" -> stream = json.getValueAsLong();
          case "correlation" -> correlation = json.getValueAsLong();
          case "bytes" -> bytes = Math.clamp(json.getValueAsLong(), 0, MAX_BYTES);
          case "Device Type" -> deviceType = json.getValueAsLong();
          case "Device Id" -> deviceId = json.getValueAsLong();
          case "Total Allocated" -> allocated = Math.clamp(json.getValueAsLong(), NONE, MAX_BYTES);
          case "Total Reserved" -> reserved = Math.clamp(json.getValueAsLong(), NONE, MAX_BYTES);
          default -> {}
        }
      } else if (value == JsonToken.VALUE_STRING && field.equals("CallFrom")) {
        caller = nameNumber(json);
      } else {
        json.skipChildren();
      }
    }
  }

  private void keep() throws TraceFormatException {
    if (isInstant && deviceType == CUDA && allocated >= 0 && reserved >= 0) {
      if (start == Micros.NONE) {
        damaged++;
      } else {
        rows.addMemory(start, deviceId, allocated, reserved);
      }
      return;
    }
    if (kind == null || !isComplete || name == NONE) {
      return;
    }
    if (start == Micros.NONE || duration < 0) {
      damaged++;
      return;
    }
    if (rows.count() == Integer.MAX_VALUE / 2) {
      throw new TraceFormatException(file, "", "it has more than 10^9 rows", "record fewer steps");
    }
    boolean isOnGpu = kind.isOnGpu();
    hasStacks |= kind == RowKind.PYTHON;
    rows.add(
        kind,
        start,
        duration,
        name,
        isOnGpu && device >= 0 ? device : process,
        isOnGpu && stream >= 0 ? stream : thread,
        kind == RowKind.PYTHON ? caller : link(correlation),
        bytes);
  }

  private static int link(long correlation) {
    return correlation > 0 && correlation <= Integer.MAX_VALUE
        ? (int) correlation
        : TimeProfile.NO_LINK;
  }
}
