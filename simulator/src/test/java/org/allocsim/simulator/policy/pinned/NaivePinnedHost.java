package org.allocsim.simulator.policy.pinned;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.LayoutVisitor;
import org.allocsim.simulator.trace.AllocationTrace;

/** The rules of the pinned memory allocator in the plainest form: lists of objects. */
final class NaivePinnedHost implements AllocatorPolicy {
  private final HostSettings settings;
  private final DeviceMemory host;
  private final List<Block> cached = new ArrayList<>();
  private final ArrayDeque<Use> events = new ArrayDeque<>();
  private final Map<Integer, Block> live = new HashMap<>();

  /** Streams with copies since the last wait for them. */
  private final Set<Integer> busyStreams = new HashSet<>();

  private static final class Block {
    final long address;
    final long bytes;
    final List<Use> uses = new ArrayList<>();
    boolean freed;
    int outstanding;

    Block(long address, long bytes) {
      this.address = address;
      this.bytes = bytes;
    }
  }

  private static final class Use {
    final int allocation;
    final int stream;
    boolean complete;
    boolean waitedFor;

    Use(int allocation, int stream) {
      this.allocation = allocation;
      this.stream = stream;
    }
  }

  NaivePinnedHost(HostSettings settings, DeviceMemory host) {
    this.settings = settings;
    this.host = host;
  }

  private static int sizeClass(long bytes) {
    int sizeClass = 0;
    while (1L << sizeClass < bytes) {
      sizeClass++;
    }
    return sizeClass;
  }

  @Override
  public long allocate(int allocation, long requestedBytes, int stream, int pool) {
    processEvents();
    boolean rounds =
        requestedBytes <= settings.roundThresholdBytes()
            && requestedBytes <= settings.maxCachedBytes();
    long bytes = rounds ? 1L << sizeClass(requestedBytes) : requestedBytes;
    Block block = null;
    for (Block candidate : cached.reversed()) {
      if (candidate.bytes >= bytes && sizeClass(candidate.bytes) == sizeClass(bytes)) {
        block = candidate;
        break;
      }
    }
    if (block != null) {
      cached.remove(block);
    } else {
      long address = host.allocate(bytes);
      if (address == DeviceMemory.REFUSED) {
        return OUT_OF_MEMORY;
      }
      block = new Block(address, bytes);
    }
    live.put(allocation, block);
    return block.address;
  }

  @Override
  public void free(int allocation) {
    Block block = live.get(allocation);
    if (block == null || block.freed) {
      return;
    }
    block.freed = true;
    block.outstanding = block.uses.size();
    for (Use use : block.uses) {
      use.waitedFor = !busyStreams.contains(use.stream);
      events.add(use);
    }
    if (block.uses.isEmpty()) {
      becomeFree(allocation);
    }
  }

  private void becomeFree(int allocation) {
    Block block = live.remove(allocation);
    block.uses.clear();
    block.freed = false;
    if (block.bytes > settings.maxCachedBytes()) {
      host.free(block.address, block.bytes);
    } else {
      cached.add(block);
    }
  }

  @Override
  public void useStream(int allocation, int stream, long completionRank) {
    Block block = live.get(allocation);
    if (block == null || block.freed) {
      return;
    }
    busyStreams.add(stream);
    for (Use use : block.uses) {
      if (use.stream == stream) {
        use.complete = false;
        return;
      }
    }
    block.uses.add(new Use(allocation, stream));
  }

  @Override
  public void useComplete(int allocation, int stream) {
    if (live.containsKey(allocation)) {
      for (Use use : live.get(allocation).uses) {
        use.complete |= stream == AllocationTrace.ANY_STREAM || use.stream == stream;
      }
    }
  }

  @Override
  public void synchronize() {
    Set.copyOf(busyStreams).forEach(this::synchronizeStream);
  }

  @Override
  public void synchronizeStream(int stream) {
    busyStreams.remove(stream);
    events.stream().filter(use -> use.stream == stream).forEach(use -> use.waitedFor = true);
  }

  private void processEvents() {
    while (!events.isEmpty() && (events.peekFirst().complete || events.peekFirst().waitedFor)) {
      int allocation = events.pollFirst().allocation;
      if (--live.get(allocation).outstanding == 0) {
        becomeFree(allocation);
      }
    }
  }

  @Override
  public void emptyCache() {
    processEvents();
    cached.stream()
        .sorted((a, b) -> Integer.compare(sizeClass(a.bytes), sizeClass(b.bytes)))
        .forEach(block -> host.free(block.address, block.bytes));
    cached.clear();
  }

  @Override
  public void describeLayout(LayoutVisitor visitor) {
    throw new UnsupportedOperationException();
  }
}
