package org.allocsim.analysis.idle.replay;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.ToLongFunction;
import org.allocsim.analysis.idle.timeline.Cause;
import org.allocsim.simulator.typed.SimilarName;

/**
 * What is done differently in a replay; {@link #NONE} changes nothing.
 *
 * @param name how it is written, such as {@code workers=4,pinned}
 * @param workers workers of the data loader; −1 as recorded, 0 loads in the program's process
 * @param prefetch batches that each worker prepares ahead
 * @param limitBytes what the allocator may reserve; −1 as recorded
 * @param parts what else is changed
 * @param gpuSpeed how many times as fast kernels run
 * @param hostSpeed how many times as fast the host's own code runs
 * @param batch how many times as large the batch is
 */
public record Change(
    String name,
    int workers,
    int prefetch,
    long limitBytes,
    Set<Part> parts,
    double gpuSpeed,
    double hostSpeed,
    double batch) {
  /** What a change can do without a number. */
  public enum Part {
    /** Copies to the GPU come from pinned memory. */
    PINNED("pinned"),
    /** The host does not wait for copies to the GPU. */
    NON_BLOCKING("non-blocking"),
    /** The host reads no results. */
    NO_ITEM("no-item"),
    /** The host reads a result at the end of each step. */
    ITEM("item"),
    /** The program does not wait for the GPU explicitly. */
    NO_SYNCHRONIZE("no-synchronize"),
    /** The program does not empty the allocator's cache. */
    NO_EMPTY_CACHE("no-empty-cache"),
    /** Memory suffices, so that the allocator gives none back to serve a request. */
    NO_RETRIES("no-retries"),
    /** The allocator grows segments ({@code expandable_segments:True}). */
    EXPANDABLE_SEGMENTS("expandable-segments"),
    /** Python collects no garbage. */
    NO_GC("no-gc"),
    /** CUDA graphs launch the kernels, which costs the host nothing: a bound. */
    GRAPHS("graphs");

    private final String id;

    Part(String id) {
      this.id = id;
    }
  }

  /** Nothing. */
  public static final Change NONE = new Change("", -1, 2, -1, EnumSet.noneOf(Part.class), 1, 1, 1);

  /** The most workers that can be asked for. */
  public static final int MAX_WORKERS = 64;

  private static final int MAX_PREFETCH = 64;
  private static final double MAX_SPEED = 1_000;

  /** Changes with a number. */
  private static final List<String> NUMBERED =
      List.of("workers", "prefetch", "limit", "gpu", "host", "batch");

  private static final String KNOWN =
      "known are workers=N, prefetch=N, pinned, non-blocking, no-item, item, no-synchronize,"
          + " no-empty-cache, no-retries, expandable-segments, limit=SIZE, no-gc, graphs, gpu=1.5x,"
          + " host=1.5x and batch=2x, joined by commas";

  /** Keeps its own copy. */
  public Change {
    parts = Set.copyOf(parts);
  }

  /**
   * Reads a change.
   *
   * @param text parts with commas between them
   * @throws IllegalArgumentException where it is none; the message is for users
   */
  public static Change parse(String text) {
    return parse(
        text,
        size -> {
          throw new IllegalArgumentException("limit=" + size + " is not a size");
        });
  }

  /**
   * Reads a change.
   *
   * @param text parts with commas between them
   * @param size reads a size in bytes; throws an IllegalArgumentException whose message is for
   *     users
   * @throws IllegalArgumentException where it is none; the message is for users
   */
  public static Change parse(String text, ToLongFunction<String> size) {
    long limitBytes = NONE.limitBytes;
    int workers = NONE.workers;
    int prefetch = NONE.prefetch;
    double gpuSpeed = 1;
    double hostSpeed = 1;
    double batch = 1;
    Set<Part> parts = EnumSet.noneOf(Part.class);
    Set<String> seen = new HashSet<>();
    for (String each : text.split(",", -1)) {
      int equals = each.indexOf('=');
      String key = (equals < 0 ? each : each.substring(0, equals)).strip();
      String value = equals < 0 ? "" : each.substring(equals + 1).strip();
      if (!seen.add(key)) {
        throw new IllegalArgumentException("'" + text + "' has " + key + " twice");
      }
      switch (key) {
        case "workers" -> workers = whole(key, value, 0, MAX_WORKERS);
        case "prefetch" -> prefetch = whole(key, value, 1, MAX_PREFETCH);
        case "limit" -> limitBytes = size.applyAsLong(value);
        case "gpu" -> gpuSpeed = speed(key, value);
        case "host" -> hostSpeed = speed(key, value);
        case "batch" -> batch = speed(key, value);
        default -> parts.add(part(equals < 0 ? key : each.strip()));
      }
    }
    return new Change(text, workers, prefetch, limitBytes, parts, gpuSpeed, hostSpeed, batch);
  }

  private static Part part(String id) {
    for (Part part : Part.values()) {
      if (part.id.equals(id)) {
        return part;
      }
    }
    List<String> names = new ArrayList<>(NUMBERED);
    Arrays.stream(Part.values()).forEach(part -> names.add(part.id));
    String key = id.indexOf('=') < 0 ? id : id.substring(0, id.indexOf('='));
    throw new IllegalArgumentException(
        "'" + id + "' is not a change; " + SimilarName.remedy(key.strip(), names, KNOWN));
  }

  private static int whole(String key, String value, int min, int max) {
    try {
      int number = Integer.parseInt(value);
      if (number >= min && number <= max) {
        return number;
      }
    } catch (NumberFormatException _) {
      // Refused below, as what is out of range.
    }
    throw new IllegalArgumentException(
        key + "=" + value + " must be a whole number from " + min + " to " + max);
  }

  /**
   * Reads a factor such as {@code 1.5x}.
   *
   * @param key what it is of, for messages
   * @throws IllegalArgumentException where it is none; the message is for users
   */
  public static double factor(String key, String value) {
    return speed(key, value);
  }

  private static double speed(String key, String value) {
    String number = value.toLowerCase(Locale.ROOT);
    try {
      double speed =
          Double.parseDouble(
              number.endsWith("x") ? number.substring(0, number.length() - 1) : number);
      if (speed >= 1 / MAX_SPEED && speed <= MAX_SPEED) {
        return speed;
      }
    } catch (NumberFormatException _) {
      // Refused below, as what is out of range.
    }
    throw new IllegalArgumentException(
        key + "=" + value + " must be a factor from 0.001x to 1000x, such as 1.5x");
  }

  /**
   * Whether the program can do it for the same steps: no other machine is needed, it is no bound,
   * and the batch stays.
   */
  public boolean isOfProgram() {
    return gpuSpeed == 1 && hostSpeed == 1 && batch == 1 && !has(Part.GRAPHS);
  }

  /** Whether a step has another batch. */
  public boolean isOfBatch() {
    return batch != 1;
  }

  /** Whether the allocator serves the requests in another way, so that it has to be run again. */
  boolean isOfAllocator() {
    return limitBytes >= 0 || has(Part.EXPANDABLE_SEGMENTS);
  }

  /** Whether it does something. */
  boolean has(Part part) {
    return parts.contains(part);
  }

  /** Whether the host does not wait where it did for a cause. */
  boolean leavesOut(Cause cause) {
    return switch (cause) {
      case HOST_READ -> has(Part.NO_ITEM);
      case SYNCHRONIZE -> has(Part.NO_SYNCHRONIZE);
      case EMPTY_CACHE -> has(Part.NO_EMPTY_CACHE);
      case RETRY, RECLAIM -> has(Part.NO_RETRIES);
      case PAGEABLE_COPY -> has(Part.PINNED) && has(Part.NON_BLOCKING);
      case BLOCKING_COPY -> has(Part.NON_BLOCKING);
      default -> false;
    };
  }
}
