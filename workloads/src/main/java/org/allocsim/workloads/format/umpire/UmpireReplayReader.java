package org.allocsim.workloads.format.umpire;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.allocsim.workloads.format.LineInput;
import org.allocsim.workloads.format.LivePointers;
import org.allocsim.workloads.format.Progress;
import org.allocsim.workloads.format.TraceFile;
import org.allocsim.workloads.format.TraceFormatException;

/** Reads the log line by line into columns. */
final class UmpireReplayReader {
  private static final String DEVICE_PREFIX = "DEVICE";

  private final LineInput lines;
  private final ReplayLine line;
  private final RequestColumns requests = new RequestColumns();
  private final LivePointers live = new LivePointers();

  /** Bytes that a request takes in its columns, in the trace and where it is live. */
  private static final int EVENT_BYTES = 130;

  private static final int ALLOCATOR_BYTES = 250;

  private final List<Resource> resources = new ArrayList<>();
  private final Map<String, Resource> resourceOfName = new HashMap<>();
  private final Map<String, Resource> resourceOfAllocator = new HashMap<>();
  private long timeNanos;
  private long unknownFrees;
  private long sharedPointers;
  private long otherEvents;
  private boolean isReallocating;
  private long reallocatedPointer;
  private long reallocatedBytes;

  /** A memory resource: the root of a tree of allocators. */
  private static final class Resource {
    final String name;
    final int number;
    int allocators;
    long allocations;

    Resource(String name, int number) {
      this.name = name;
      this.number = number;
    }

    boolean isDevice() {
      return name.startsWith(DEVICE_PREFIX);
    }
  }

  private UmpireReplayReader(LineInput lines) {
    this.lines = lines;
    line = new ReplayLine(lines);
  }

  static TraceFile read(Path file, Progress progress) throws TraceFormatException {
    try (LineInput lines = new LineInput(file, progress)) {
      return new UmpireReplayReader(lines).read();
    }
  }

  private TraceFile read() throws TraceFormatException {
    while (lines.next()) {
      if (lines.length() > 0 && lines.bytes()[0] != '#') {
        line.parse();
        timeNanos = line.timeNanos(timeNanos);
        // Of a reallocation only the first line, which asks for it, is tagged.
        if (line.isReplay() || line.event().equals("reallocate")) {
          event();
        } else if (!line.event().equals("version")) {
          otherEvents++;
        }
      }
    }
    List<Resource> used = devices();
    int[] devices = new int[resources.size()];
    for (int device = 0; device < used.size(); device++) {
      devices[used.get(device).number] = device;
    }
    return new TraceFile(
        lines.name(),
        lines.finishDigest(),
        UmpireReplayFormat.ID,
        requests.build(devices),
        notes(used));
  }

  private void event() throws TraceFormatException {
    lines.hold(EVENT_BYTES);
    switch (line.event()) {
      case "makeMemoryResource", "make_memory_resource" -> {
        Resource resource = resource(line.name());
        hold(line.name(), line.allocator());
        resourceOfAllocator.put(line.allocator(), resource);
        resource.allocators++;
      }
      case "makeAllocator", "make_allocator" -> {
        if (line.hasResult()) {
          makeAllocator();
        }
      }
      case "allocate", "named_allocate" -> {
        if (line.hasResult()) {
          isReallocating = false;
          allocate(resourceOfLine(), line.pointer(), line.size());
        }
      }
      case "deallocate" -> {
        isReallocating = false;
        free(line.pointer());
      }
      case "reallocate" -> reallocate();
      case "release" -> requests.emptyCache(timeNanos, resourceOfLine().number);
      case "version", "coalesce", "copy", "move", "set_default_allocator" -> {}
      default -> otherEvents++;
    }
  }

  private void hold(String name, String allocator) throws TraceFormatException {
    lines.hold(ALLOCATOR_BYTES + name.length() + allocator.length());
  }

  private Resource resource(String name) throws TraceFormatException {
    Resource known = resourceOfName.get(name);
    if (known != null) {
      return known;
    }
    if (resources.size() > Byte.MAX_VALUE) {
      throw lines.failure("there are more than 128 memory resources", "split the log");
    }
    Resource made = new Resource(name, resources.size());
    resources.add(made);
    resourceOfName.put(name, made);
    return made;
  }

  private void makeAllocator() throws TraceFormatException {
    Resource resource = resource(line.parent() == null ? line.name() : line.parent());
    hold(line.name(), line.allocator());
    resource.allocators++;
    resourceOfName.put(line.name(), resource);
    resourceOfAllocator.put(line.allocator(), resource);
  }

  /** The resource under the line's allocator; one of its own where the log does not name it. */
  private Resource resourceOfLine() throws TraceFormatException {
    Resource known = resourceOfAllocator.get(line.allocator());
    return known != null ? known : resource(line.allocator());
  }

  private void allocate(Resource resource, long pointer, long bytes) {
    resource.allocations++;
    int allocation = requests.allocate(timeNanos, resource.number, bytes);
    // All allocations of 0 bytes have the same address.
    if (live.add(pointer, allocation) && bytes != 0) {
      sharedPointers++;
    }
  }

  private void free(long pointer) {
    int allocation = live.remove(pointer);
    if (allocation != LivePointers.NONE) {
      requests.free(timeNanos, allocation);
    } else if (pointer != 0) {
      unknownFrees++;
    }
  }

  /**
   * Two lines: what is asked, and the new address. Where the call comes to an allocation or a free,
   * that has lines of its own in between; else memory of the new size is obtained, the content
   * copied and the old memory given back.
   */
  private void reallocate() throws TraceFormatException {
    if (!line.hasNewPointer()) {
      isReallocating = true;
      reallocatedPointer = line.oldPointer();
      reallocatedBytes = line.size();
    } else if (isReallocating) {
      isReallocating = false;
      int old = live.remove(reallocatedPointer);
      allocate(resourceOfLine(), line.newPointer(), reallocatedBytes);
      if (old != LivePointers.NONE) {
        requests.free(timeNanos, old);
      }
    }
  }

  private List<Resource> devices() {
    return resources.stream()
        .filter(resource -> resource.allocations > 0)
        .sorted(
            Comparator.comparing((Resource resource) -> !resource.isDevice())
                .thenComparingInt(resource -> resource.number))
        .toList();
  }

  private List<String> notes(List<Resource> used) {
    List<String> notes = new ArrayList<>();
    for (int device = 0; device < used.size(); device++) {
      Resource resource = used.get(device);
      notes.add(
          "device %d is memory resource %s: %d allocations from %d allocators"
              .formatted(device, resource.name, resource.allocations, resource.allocators));
    }
    TraceFile.add(notes, unknownFrees, "frees of addresses not allocated in the log were omitted");
    TraceFile.add(
        notes,
        sharedPointers,
        "addresses were handed out while they were live; frees apply to the latest allocation");
    TraceFile.add(notes, otherEvents, "events other than memory requests were omitted");
    return notes;
  }
}
