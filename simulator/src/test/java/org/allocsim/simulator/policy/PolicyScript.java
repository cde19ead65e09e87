package org.allocsim.simulator.policy;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.effect.EffectListener;

/**
 * Requests to a policy as text, and what comes of them. The first line names the policy, the
 * capacity of the device and options, of which {@code limit} is the policy's limit; the others are
 * {@code alloc ID BYTES STREAM}, {@code free ID}, on another stream {@code free ID STREAM}, {@code
 * use ID STREAM}, {@code sync}, of one stream {@code sync STREAM}, and {@code empty}. A result has
 * the distance of the address from the start of the device, the bytes of the block, what the device
 * gives the policy now, and the distances of the segments that it got back.
 */
public final class PolicyScript {
  private final Device device;
  private final AllocatorPolicy policy;
  private long blockBytes;

  private PolicyScript(String head) {
    String[] words = head.split(" ");
    Map<String, String> options = new HashMap<>();
    long limitBytes = -1;
    for (int i = 2; i < words.length; i++) {
      String[] option = words[i].split("=");
      if (option[0].equals("limit")) {
        limitBytes = Long.parseLong(option[1]);
      } else {
        options.put(option[0], option[1]);
      }
    }
    device = new Device(Long.parseLong(words[1]));
    try {
      policy =
          Policies.named(words[0])
              .orElseThrow()
              .create(
                  new PolicySettings(limitBytes, options),
                  FutureRequests.NONE,
                  device,
                  new Blocks());
    } catch (PolicyOptionException | UnfitTraceException e) {
      throw new AssertionError(e);
    }
  }

  /** The result of each line after the first. */
  public static List<String> replay(List<String> lines) {
    PolicyScript script = new PolicyScript(lines.getFirst());
    return lines.stream().skip(1).map(line -> script.run(line.split(" "))).toList();
  }

  private String run(String[] words) {
    String result = "";
    switch (words[0]) {
      case "alloc" -> {
        long address =
            policy.allocate(
                Integer.parseInt(words[1]),
                Long.parseLong(words[2]),
                Integer.parseInt(words[3]),
                0);
        result =
            address == AllocatorPolicy.OUT_OF_MEMORY
                ? "no "
                : "%d block %d ".formatted(address - Device.BASE, blockBytes);
      }
      case "free" -> {
        int allocation = Integer.parseInt(words[1]);
        if (words.length > 2) {
          policy.free(allocation, Integer.parseInt(words[2]));
        } else {
          policy.free(allocation);
        }
      }
      case "use" -> policy.useStream(Integer.parseInt(words[1]), Integer.parseInt(words[2]), 0);
      case "sync" -> {
        if (words.length > 1) {
          policy.synchronizeStream(Integer.parseInt(words[1]));
        } else {
          policy.synchronize();
        }
      }
      case "empty" -> policy.emptyCache();
      default -> throw new AssertionError(words[0]);
    }
    return result + device.news();
  }

  private final class Blocks implements EffectListener {
    @Override
    public void blockAllocated(
        int allocation, long address, long requested, long block, int stream, boolean small) {
      blockBytes = block;
    }
  }

  /** Gives memory and addresses in a row, each on a multiple of 256. */
  private static final class Device implements DeviceMemory {
    private static final long BASE = 1L << 40;

    private final long capacityBytes;
    private final List<Long> returned = new ArrayList<>();
    private long usedBytes;
    private long next = BASE;

    Device(long capacityBytes) {
      this.capacityBytes = capacityBytes;
    }

    /** What is held, and what came back since the last call. */
    String news() {
      String back = returned.stream().map(String::valueOf).collect(Collectors.joining(","));
      returned.clear();
      return "held " + usedBytes + (back.isEmpty() ? "" : " returned " + back);
    }

    @Override
    public long allocate(long bytes) {
      if (bytes > capacityBytes - usedBytes) {
        return REFUSED;
      }
      usedBytes += bytes;
      return reserve(bytes, 1, 0);
    }

    @Override
    public void free(long address, long bytes) {
      usedBytes -= bytes;
      returned.add(address - BASE);
    }

    @Override
    public long reserve(long bytes, long pageBytes, int stream) {
      long address = next;
      next += (bytes + 255) & -256;
      return address;
    }

    @Override
    public void unreserve(long address, long bytes) {
      throw new AssertionError();
    }

    @Override
    public boolean map(long address, long bytes, long pageBytes) {
      if (bytes > capacityBytes - usedBytes) {
        return false;
      }
      usedBytes += bytes;
      return true;
    }

    @Override
    public void unmap(long address, long bytes, long pageBytes) {
      throw new AssertionError();
    }

    @Override
    public long freeBytes() {
      return capacityBytes - usedBytes;
    }

    @Override
    public long totalBytes() {
      return capacityBytes;
    }
  }
}
