package org.allocsim.workloads.format.kineto;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.StackTable;
import org.allocsim.workloads.format.Progress;
import org.allocsim.workloads.format.TimeOrder;
import org.allocsim.workloads.format.TraceFile;
import org.allocsim.workloads.format.TraceFormatException;
import org.allocsim.workloads.io.StoredInput;

/** Makes requests of the events of a profile. */
final class KinetoReader {
  private static final long STREAM = 0;

  private final String name;
  private final ProfileParser.Profile profile;
  private final ProfilerEvents events;
  private final int[] order;
  private final StackTable.Builder stackTable = new StackTable.Builder();
  private final OperatorStacks stacks;
  private final AllocationTrace.Builder trace = new AllocationTrace.Builder();
  private final Map<Integer, Map<Long, Integer>> live = new HashMap<>();

  /** Of each device, bytes that were live before and are freed later, by the event of the free. */
  private final Map<Integer, Map<Integer, Long>> earlier = new TreeMap<>();

  private final Map<Integer, Long> unseenBytes = new TreeMap<>();
  private long reused;
  private long mismatches;
  private long heldStackBytes;

  private KinetoReader(String name, ProfileParser.Profile profile) {
    this.name = name;
    this.profile = profile;
    events = profile.events();
    order = events.byTime(ProfilerEvents.Kind.MEMORY, ProfilerEvents.Kind.OUT_OF_MEMORY);
    stacks = new OperatorStacks(events, stackTable);
  }

  static TraceFile read(Path file, Progress progress) throws TraceFormatException {
    String name = file.toString();
    try (InputStream stream = Files.newInputStream(file);
        StoredInput input = StoredInput.ahead(stream)) {
      long size = Files.isRegularFile(file) ? Files.size(file) : -1;
      return new KinetoReader(name, ProfileParser.parse(input, name, size, progress)).build();
    } catch (NoSuchFileException _) {
      throw TraceFormatException.noSuchFile(file);
    } catch (IOException e) {
      throw new TraceFormatException(
          name, "", "it cannot be read (" + e.getMessage() + ")", "copy the file again");
    }
  }

  private TraceFile build() throws TraceFormatException {
    if (order.length == 0) {
      throw new TraceFormatException(
          name,
          "",
          "it contains no memory events of a CUDA device",
          "record with torch.profiler and profile_memory=True; 'allocsim idle' shows why the GPU of"
              + " such a profile is idle");
    }
    if (profile.withoutAddress() > 0) {
      throw new TraceFormatException(
          name,
          "",
          profile.addressed() == 0
              ? "its memory events have no addresses (as with PyTorch 1.8 and 1.9), so frees cannot"
                  + " be matched with allocations"
              : profile.withoutAddress()
                  + " of its "
                  + (profile.addressed() + profile.withoutAddress())
                  + " memory events have no address, so their frees cannot be matched with"
                  + " allocations",
          profile.addressed() == 0
              ? "record with PyTorch 1.10 or later"
              : "the file is damaged or was modified; record it again");
    }
    findEarlier();
    Map<Integer, Integer> earlierAllocations = prologue();
    int[] boundaries = boundaries();
    int boundary = 0;
    for (int event : order) {
      while (boundary < boundaries.length && boundaryNanos(boundaries[boundary]) <= time(event)) {
        mark(boundaries[boundary++]);
      }
      trace.at(events.device(event), absolute(time(event)), stacks.at(event));
      if (stacks.heldBytes() > heldStackBytes) {
        profile.hold().add(stacks.heldBytes() - heldStackBytes);
        heldStackBytes = stacks.heldBytes();
      }
      if (events.kind(event) == ProfilerEvents.Kind.OUT_OF_MEMORY) {
        trace.free(trace.allocate(Math.max(0, events.bytes(event)), STREAM, PoolId.DEFAULT));
      } else if (events.bytes(event) > 0) {
        allocate(event);
      } else {
        free(event, earlierAllocations);
      }
    }
    while (boundary < boundaries.length) {
      mark(boundaries[boundary++]);
    }
    return new TraceFile(
        name, profile.sha256(), KinetoFormat.ID, trace.build(stackTable.build()), notes());
  }

  private long time(int event) {
    return events.timeNanos(event);
  }

  private long absolute(long nanos) {
    return profile.baseNanos() + nanos;
  }

  private Map<Long, Integer> liveOn(int event) {
    return live.computeIfAbsent(events.device(event), _ -> new HashMap<>());
  }

  /** Finds the frees of what was never allocated, and what the totals say beyond them. */
  private void findEarlier() throws TraceFormatException {
    Map<Integer, Map<Long, Long>> known = new HashMap<>();
    Map<Integer, Long> running = new HashMap<>();
    for (int event : order) {
      if (events.kind(event) == ProfilerEvents.Kind.OUT_OF_MEMORY) {
        continue;
      }
      int device = events.device(event);
      Map<Long, Long> sizes = known.computeIfAbsent(device, _ -> new HashMap<>());
      long bytes = events.bytes(event);
      if (bytes > 0) {
        sizes.put(events.address(event), bytes);
      } else if (sizes.remove(events.address(event)) == null) {
        earlier.computeIfAbsent(device, _ -> new LinkedHashMap<>()).put(event, -bytes);
      }
      long total = events.totalAllocated(event);
      if (total == ProfilerEvents.NO_TOTAL) {
        continue;
      }
      Long before = running.get(device);
      if (before == null) {
        unseenBytes.put(device, total - bytes);
      } else if (before + bytes != total) {
        mismatches++;
      }
      running.put(device, total);
    }
    try {
      earlier.forEach((device, frees) ->
          unseenBytes.computeIfPresent(
              device,
              (_, bytes) ->
                  Math.subtractExact(
                      bytes,
                      frees.values().stream()
                          .mapToLong(Long::longValue)
                          .reduce(0, Math::addExact))));
    } catch (ArithmeticException _) {
      throw new TraceFormatException(
          name, "", "its frees add up to more than 2^63 bytes", "record the program again");
    }
  }

  /** Allocates what was there before the profiler began; answers the allocation of each free. */
  private Map<Integer, Integer> prologue() {
    Map<Integer, Integer> allocations = new HashMap<>();
    long start = absolute(time(order[0]));
    unseenBytes.forEach((device, bytes) -> {
      if (bytes > 0) {
        trace.at(device, start, StackTable.NONE);
        trace.allocate(bytes, STREAM, PoolId.DEFAULT);
      }
    });
    earlier.forEach((device, frees) -> {
      trace.at(device, start, StackTable.NONE);
      frees.forEach(
          (event, bytes) -> allocations.put(event, trace.allocate(bytes, STREAM, PoolId.DEFAULT)));
    });
    trace.endPrologue();
    return allocations;
  }

  private void allocate(int event) {
    int allocation = trace.allocate(events.bytes(event), STREAM, PoolId.DEFAULT);
    Integer before = liveOn(event).put(events.address(event), allocation);
    if (before != null) {
      // The free of the former is missing, but its memory is in use again.
      reused++;
      trace.free(before);
    }
  }

  private void free(int event, Map<Integer, Integer> earlierAllocations) {
    Integer known = earlierAllocations.get(event);
    Integer freed = known != null ? known : liveOn(event).remove(events.address(event));
    trace.free(Objects.requireNonNull(freed, "an earlier allocation"));
  }

  /** Begins and ends of annotations by time: an event number, complemented for an end. */
  private int[] boundaries() {
    int[] annotations =
        events.byTime(ProfilerEvents.Kind.ANNOTATION, ProfilerEvents.Kind.ANNOTATION);
    long[] times = new long[2 * annotations.length];
    for (int i = 0; i < annotations.length; i++) {
      times[2 * i] = events.timeNanos(annotations[i]);
      times[2 * i + 1] = events.endNanos(annotations[i]);
    }
    int[] boundaries = TimeOrder.of(times, times.length);
    for (int i = 0; i < boundaries.length; i++) {
      int annotation = annotations[boundaries[i] >> 1];
      boundaries[i] = (boundaries[i] & 1) == 0 ? annotation : ~annotation;
    }
    return boundaries;
  }

  private long boundaryNanos(int boundary) {
    return boundary >= 0 ? events.timeNanos(boundary) : events.endNanos(~boundary);
  }

  private void mark(int boundary) {
    trace.at(events.device(order[0]), absolute(boundaryNanos(boundary)), StackTable.NONE);
    if (boundary >= 0) {
      trace.markerBegin(events.name(boundary));
    } else {
      trace.markerEnd(events.name(~boundary));
    }
  }

  private List<String> notes() {
    List<String> notes = new ArrayList<>();
    notes.add(
        "the profile has block sizes, not request sizes, and no streams; everything is on stream"
            + " 0");
    long count = earlier.values().stream().mapToLong(Map::size).sum();
    TraceFile.add(
        notes,
        count,
        "allocations from before the profile were inferred from their frees; they come first");
    unseenBytes.forEach((device, bytes) -> {
      if (bytes > 0) {
        notes.add(
            ("device %d: %d bytes were live before the profile and stay live; they come"
                    + " first, as one allocation")
                .formatted(device, bytes));
      }
    });
    TraceFile.add(notes, profile.otherDevices(), "events of host or other memory skipped");
    TraceFile.add(notes, profile.damaged(), "memory events without time or size skipped");
    TraceFile.add(
        notes, reused, "addresses handed out twice without a free in between; the free was added");
    TraceFile.add(
        notes,
        stacks.cut(),
        "events within more than %d operators; only the innermost were kept"
            .formatted(OperatorStacks.DEEPEST));
    TraceFile.add(
        notes, mismatches, "events after which the profile's own total shows missing events");
    return notes;
  }
}
