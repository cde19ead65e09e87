package org.allocsim.workloads.format.pytorch.metadata;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.allocsim.simulator.policy.pytorch.ConfigException;
import org.allocsim.simulator.policy.pytorch.MemoryLimit;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.workloads.format.pytorch.metadata.RecordedFacts.CallKind;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;

/**
 * Reads the JSON text that {@code allocsim record} puts into a snapshot, version 1. Keys that it
 * does not need are passed over, so that later recorders may add some.
 */
public final class RecordedFactsReader {
  private static final int VERSION = 1;
  private static final int MAX_RANK = 9_999_999;
  private static final RecordedFacts.Position BEGIN = new RecordedFacts.Position(0, 0, 0, 0);
  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder().maxNestingDepth(16).maxNumberLength(32).build())
          .build();

  private final JsonParser json;
  private final int maxDevices;
  private final List<Partial> devices = new ArrayList<>();
  private final Map<Integer, List<Told>> calls = new HashMap<>();
  private final Map<Integer, List<RecordedFacts.StreamUse>> uses = new HashMap<>();
  private final Map<Integer, List<RecordedFacts.Storage>> storages = new HashMap<>();
  private final Map<Integer, List<RecordedFacts.Sample>> samples = new HashMap<>();
  private final Map<Integer, Long> collectivesBytes = new HashMap<>();
  private @Nullable PyTorchVersion release;
  private @Nullable Integer rank;
  private String firstSettings = "";
  private long version = -1;
  private long lostCalls;

  /** A device before its calls and the release are known. */
  private record Partial(
      int device,
      String name,
      long totalBytes,
      double fraction,
      boolean isLimitSteady,
      RecordedFacts.Position end) {
    RecordedFacts.Device with(
        @Nullable PyTorchVersion release,
        List<Told> told,
        List<RecordedFacts.StreamUse> uses,
        List<RecordedFacts.Storage> storages,
        List<RecordedFacts.Sample> samples,
        long collectivesBytes) {
      boolean follows =
          !isLimitSteady
              && told.stream().anyMatch(each -> each.call.kind() == CallKind.CHANGE_LIMIT);
      List<RecordedFacts.Call> calls = new ArrayList<>();
      for (Told each : told) {
        if (each.call.kind() != CallKind.CHANGE_LIMIT) {
          calls.add(each.call);
        } else if (follows) {
          calls.add(each.call.withLimit(limitBytes(each.fraction, release)));
        }
      }
      long limitBytes = follows || fraction == 1 ? MemoryLimit.NONE : limitBytes(fraction, release);
      return new RecordedFacts.Device(
          device,
          name,
          totalBytes,
          limitBytes,
          isLimitSteady || follows,
          end,
          calls,
          uses,
          storages,
          samples.stream().map(this::withDriver).toList(),
          collectivesBytes);
    }

    /**
     * Recorders that did not ask what the driver keeps: all that PyTorch does not see of the GPU.
     */
    private RecordedFacts.Sample withDriver(RecordedFacts.Sample sample) {
      return sample.driverBytes() >= 0
          ? sample
          : new RecordedFacts.Sample(
              sample.timeNanos(),
              sample.totalBytes(),
              sample.freeBytes(),
              Math.max(0, sample.totalBytes() - totalBytes),
              sample.processBytes(),
              sample.otherProcessesBytes(),
              sample.poolsBytes(),
              sample.reservedBytes());
    }

    private long limitBytes(double share, @Nullable PyTorchVersion release) {
      try {
        return MemoryLimit.ofFraction(
            share, totalBytes, release == null ? PyTorchVersion.DEFAULT : release);
      } catch (ConfigException e) {
        throw new IllegalArgumentException("a memory fraction is not between 0 and 1", e);
      }
    }
  }

  /** A call before the memory of its device is known. */
  private record Told(RecordedFacts.Call call, double fraction) {}

  private RecordedFactsReader(JsonParser json, int maxDevices) {
    this.json = json;
    this.maxDevices = maxDevices;
  }

  /**
   * The facts in a text.
   *
   * @param devices number of devices that a snapshot may have
   * @throws IllegalArgumentException with a clause for the user where it holds none
   */
  public static RecordedFacts read(String text, int devices) {
    try (JsonParser json = FACTORY.createParser(ObjectReadContext.empty(), text)) {
      return new RecordedFactsReader(json, devices).facts(text);
    } catch (JacksonException e) {
      throw new IllegalArgumentException("it is not JSON written by a recorder", e);
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException("a number in it is too large", e);
    }
  }

  private RecordedFacts facts(String text) {
    require(json.nextToken() == JsonToken.START_OBJECT, "it is not JSON written by a recorder");
    while (json.nextToken() != JsonToken.END_OBJECT) {
      String key = json.currentName();
      json.nextToken();
      switch (key) {
        case "version" -> version = number();
        case "rank" -> rank = rank();
        case "pytorch" -> release = release(text("the release"));
        case "settings" -> readSettings();
        case "devices" -> readAll(this::readDevice);
        case "calls" -> readAll(this::readCall);
        case "stream_uses" -> readAll(this::readStreamUse);
        case "categories" -> readAll(this::readStorage);
        case "samples" -> readAll(this::readSample);
        case "collectives" -> readAll(this::readCollective);
        case "lost_calls" -> lostCalls = number();
        default -> json.skipChildren();
      }
    }
    require(
        version == VERSION,
        version < 0
            ? "it has no version"
            : "its version is " + version + ", and this allocsim reads 1");
    return new RecordedFacts(
        text,
        rank,
        release,
        calls.values().stream()
                .flatMap(List::stream)
                .anyMatch(each -> each.call.kind() == CallKind.CHANGE_SETTINGS)
            ? firstSettings
            : null,
        devices.stream()
            .map(each ->
                each.with(
                    release,
                    calls.getOrDefault(each.device, List.of()),
                    uses.getOrDefault(each.device, List.of()),
                    storages.getOrDefault(each.device, List.of()),
                    samples.getOrDefault(each.device, List.of()),
                    collectivesBytes.getOrDefault(each.device, -1L)))
            .toList(),
        lostCalls);
  }

  /** Null where it is none that torchrun can have set. */
  private @Nullable Integer rank() {
    long value = json.currentToken() == JsonToken.VALUE_NUMBER_INT ? json.getLongValue() : -1;
    json.skipChildren();
    return value >= 0 && value <= MAX_RANK ? Integer.valueOf((int) value) : null;
  }

  private void readAll(Runnable one) {
    require(json.currentToken() == JsonToken.START_ARRAY, "a list is missing");
    while (json.nextToken() != JsonToken.END_ARRAY) {
      require(json.currentToken() == JsonToken.START_OBJECT, "an object is missing in a list");
      one.run();
    }
  }

  /** Of several variables the last holds, which is the one that newer releases look at first. */
  private void readSettings() {
    require(json.currentToken() == JsonToken.START_OBJECT, "the settings are not an object");
    while (json.nextToken() != JsonToken.END_OBJECT) {
      json.nextToken();
      firstSettings = text("a setting");
    }
  }

  private void readDevice() {
    int device = devices.size();
    String name = "";
    long totalBytes = -1;
    double fraction = 1;
    int fractions = 0;
    RecordedFacts.Position end = null;
    while (json.nextToken() != JsonToken.END_OBJECT) {
      String key = json.currentName();
      json.nextToken();
      switch (key) {
        case "device" -> device = Math.toIntExact(number());
        case "name" -> name = text("the name of a device");
        case "total_bytes" -> totalBytes = number();
        case "memory_fraction" -> fraction = fraction(1);
        case "memory_fractions" -> fractions = skipElements();
        case "end_position" -> end = position();
        default -> json.skipChildren();
      }
    }
    require(device < maxDevices, "no device " + device);
    if (totalBytes <= 0 || end == null) {
      throw new IllegalArgumentException("device " + device + " has no memory or position");
    }
    devices.add(new Partial(device, name, totalBytes, fraction, fractions <= 1, end));
  }

  private void readCall() {
    CallKind kind = null;
    PoolId pool = PoolId.DEFAULT;
    int only = -1;
    String settings = "";
    double fraction = 1;
    boolean isBeforeStart = false;
    List<RecordedFacts.Position> positions = List.of();
    while (json.nextToken() != JsonToken.END_OBJECT) {
      String key = json.currentName();
      json.nextToken();
      switch (key) {
        case "call" -> kind = kind(text("a call"));
        case "pool" -> {
          long[] numbers = numbers(2, "a pool");
          pool = new PoolId(numbers[0], numbers[1]);
        }
        case "device" -> only = Math.toIntExact(number());
        case "positions" -> positions = positions();
        case "settings" -> settings = text("the settings of a call");
        case "fraction" -> fraction = fraction(1);
        case "before_start" -> isBeforeStart = json.getBooleanValue();
        default -> json.skipChildren();
      }
    }
    int most = isBeforeStart ? maxDevices : positions.size();
    for (int device = 0; kind != null && device < most; device++) {
      if (only < 0 || only == device) {
        calls
            .computeIfAbsent(device, _ -> new ArrayList<>())
            .add(
                new Told(
                    new RecordedFacts.Call(
                        kind,
                        pool,
                        isBeforeStart ? BEGIN : positions.get(device),
                        settings,
                        MemoryLimit.NONE),
                    fraction));
      }
    }
  }

  /** Kind of a call that changes what the allocator does; null for others. */
  private static @Nullable CallKind kind(String call) {
    return switch (call) {
      case "empty_cache" -> CallKind.EMPTY_CACHE;
      case "empty_pool" -> CallKind.EMPTY_POOL;
      case "release_pool" -> CallKind.RELEASE_POOL;
      case "begin_pool" -> CallKind.BEGIN_POOL;
      case "end_pool" -> CallKind.END_POOL;
      case "settings" -> CallKind.CHANGE_SETTINGS;
      case "memory_fraction" -> CallKind.CHANGE_LIMIT;
      default -> null;
    };
  }

  private void readStreamUse() {
    int device = 0;
    long address = 0;
    long timeNanos = 0;
    while (json.nextToken() != JsonToken.END_OBJECT) {
      String key = json.currentName();
      json.nextToken();
      switch (key) {
        case "device" -> device = Math.toIntExact(number());
        case "address" -> address = number();
        case "time_unix_nanos" -> timeNanos = number();
        default -> json.skipChildren();
      }
    }
    uses.computeIfAbsent(device, _ -> new ArrayList<>())
        .add(new RecordedFacts.StreamUse(address, timeNanos));
  }

  private void readStorage() {
    int device = 0;
    long address = 0;
    long bytes = 0;
    String category = "";
    while (json.nextToken() != JsonToken.END_OBJECT) {
      String key = json.currentName();
      json.nextToken();
      switch (key) {
        case "device" -> device = Math.toIntExact(number());
        case "address" -> address = number();
        case "bytes" -> bytes = number();
        case "category" -> category = text("a category");
        default -> json.skipChildren();
      }
    }
    storages
        .computeIfAbsent(device, _ -> new ArrayList<>())
        .add(new RecordedFacts.Storage(address, bytes, category));
  }

  private void readSample() {
    int device = 0;
    long timeNanos = 0;
    long usedBytes = -1;
    long freeBytes = -1;
    long driverBytes = -1;
    long processBytes = -1;
    long otherProcessesBytes = -1;
    long poolsBytes = -1;
    long reservedBytes = -1;
    while (json.nextToken() != JsonToken.END_OBJECT) {
      String key = json.currentName();
      json.nextToken();
      switch (key) {
        case "device" -> device = Math.toIntExact(number());
        case "time_unix_nanos" -> timeNanos = number();
        case "used_bytes" -> usedBytes = numberIfKnown();
        case "free_bytes" -> freeBytes = numberIfKnown();
        case "driver_bytes" -> driverBytes = numberIfKnown();
        case "process_bytes" -> processBytes = numberIfKnown();
        case "other_processes_bytes" -> otherProcessesBytes = numberIfKnown();
        case "pools_bytes" -> poolsBytes = numberIfKnown();
        case "reserved_bytes" -> reservedBytes = numberIfKnown();
        default -> json.skipChildren();
      }
    }
    if (usedBytes >= 0 && freeBytes >= 0) {
      samples
          .computeIfAbsent(device, _ -> new ArrayList<>())
          .add(
              new RecordedFacts.Sample(
                  timeNanos,
                  Math.addExact(Math.addExact(usedBytes, freeBytes), Math.max(0, driverBytes)),
                  freeBytes,
                  driverBytes,
                  processBytes,
                  otherProcessesBytes,
                  poolsBytes,
                  reservedBytes));
    }
  }

  /**
   * What a communicator holds, as ncclCommMemStats has it (NCCL 2.29.7), for a device that is
   * named.
   */
  private void readCollective() {
    int device = -1;
    long totalBytes = -1;
    while (json.nextToken() != JsonToken.END_OBJECT) {
      String key = json.currentName();
      json.nextToken();
      if (key.equals("device")) {
        device = Math.toIntExact(number());
      } else if (key.equals("memory") && json.currentToken() == JsonToken.START_OBJECT) {
        while (json.nextToken() != JsonToken.END_OBJECT) {
          String amount = json.currentName();
          json.nextToken();
          if (amount.equals("total")) {
            totalBytes = number();
          } else {
            json.skipChildren();
          }
        }
      } else {
        json.skipChildren();
      }
    }
    if (device >= 0 && totalBytes >= 0) {
      collectivesBytes.merge(device, totalBytes, Math::addExact);
    }
  }

  private List<RecordedFacts.Position> positions() {
    require(json.currentToken() == JsonToken.START_ARRAY, "positions are not a list");
    List<RecordedFacts.Position> positions = new ArrayList<>();
    while (json.nextToken() != JsonToken.END_ARRAY) {
      positions.add(position());
    }
    return positions;
  }

  private RecordedFacts.Position position() {
    long[] counts = numbers(4, "a position");
    return new RecordedFacts.Position(counts[0], counts[1], counts[2], counts[3]);
  }

  private long[] numbers(int count, String what) {
    require(json.currentToken() == JsonToken.START_ARRAY, what + " is not a list");
    long[] numbers = new long[count];
    int read = 0;
    while (json.nextToken() != JsonToken.END_ARRAY) {
      long number = number();
      if (read < count) {
        numbers[read] = number;
      }
      read++;
    }
    require(read == count, what + " does not have " + count + " numbers");
    return numbers;
  }

  private int skipElements() {
    require(json.currentToken() == JsonToken.START_ARRAY, "a list is missing");
    int count = 0;
    while (json.nextToken() != JsonToken.END_ARRAY) {
      json.skipChildren();
      count++;
    }
    return count;
  }

  /** A text; empty where there is null. What is no text must not be passed over by half. */
  private String text(String what) {
    if (json.currentToken() == JsonToken.VALUE_NULL) {
      return "";
    }
    require(json.currentToken() == JsonToken.VALUE_STRING, what + " is not a string");
    return json.getString();
  }

  private long number() {
    require(json.currentToken() == JsonToken.VALUE_NUMBER_INT, "a whole number is missing");
    long value = json.getLongValue();
    require(value >= 0, "a number is negative");
    return value;
  }

  private long numberIfKnown() {
    return json.currentToken() == JsonToken.VALUE_NULL ? -1 : number();
  }

  private double fraction(double missing) {
    if (json.currentToken() == JsonToken.VALUE_NULL) {
      return missing;
    }
    require(json.currentToken().isNumeric(), "a memory fraction is not a number");
    return json.getDoubleValue();
  }

  private static @Nullable PyTorchVersion release(String text) {
    try {
      return PyTorchVersion.of(text);
    } catch (IllegalArgumentException _) {
      return null;
    }
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new IllegalArgumentException(otherwise);
    }
  }
}
