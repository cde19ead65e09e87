package org.allocsim.simulator.policy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.effect.OutOfMemory;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;

/**
 * Requests written out in a test, sent to a policy on a device whose addresses only ascend. It
 * remembers what the policy asked of the device and what it reported.
 */
public final class RequestScript {
  /** Address of the first byte of the device. */
  public static final long BASE = 1L << 40;

  private final List<Long> asked = new ArrayList<>();
  private final List<Long> refused = new ArrayList<>();
  private final List<Long> returned = new ArrayList<>();
  private final Device device;
  private final AllocatorPolicy policy;
  private long[] addresses = new long[64];
  private long[] blocks = new long[64];
  private int allocations;
  private int failures;
  private int retries;
  private int synchronizations;
  private long reservedBytes;

  /** A policy without a limit on a device of 1 PiB, the null stream being the trace's only one. */
  public RequestScript(String policyId, Map<String, String> options)
      throws PolicyOptionException, UnfitTraceException {
    this(policyId, options, 1L << 50, -1, new long[1]);
  }

  /**
   * A policy on a device of some size, the null stream being the trace's only one.
   *
   * @param limitBytes limit of the policy, −1 for none
   */
  public RequestScript(
      String policyId, Map<String, String> options, long capacityBytes, long limitBytes)
      throws PolicyOptionException, UnfitTraceException {
    this(policyId, options, capacityBytes, limitBytes, new long[1]);
  }

  /** A policy without a limit on a device of 1 PiB, for streams of these handles, ascending. */
  public static RequestScript onStreams(
      String policyId, Map<String, String> options, long... handles)
      throws PolicyOptionException, UnfitTraceException {
    return new RequestScript(policyId, options, 1L << 50, -1, handles);
  }

  private RequestScript(
      String policyId,
      Map<String, String> options,
      long capacityBytes,
      long limitBytes,
      long[] streamHandles)
      throws PolicyOptionException, UnfitTraceException {
    device = new Device(capacityBytes);
    AllocationTrace.Builder trace = new AllocationTrace.Builder();
    trace.allocate(1, streamHandles[0], PoolId.DEFAULT);
    Arrays.stream(streamHandles).forEach(trace::declareStream);
    policy =
        Policies.named(policyId)
            .orElseThrow()
            .create(
                new PolicySettings(limitBytes, options),
                new FutureRequests(RandomTraces.build(trace), 0),
                device,
                new Heard());
  }

  /** Requests memory on stream number 0; answers the allocation's id. */
  public int allocate(long bytes) {
    return allocate(bytes, 0);
  }

  /** Requests memory; answers the allocation's id. */
  public int allocate(long bytes, int stream) {
    int id = allocations++;
    if (id == addresses.length) {
      addresses = Arrays.copyOf(addresses, id * 2);
      blocks = Arrays.copyOf(blocks, id * 2);
    }
    addresses[id] = policy.allocate(id, bytes, stream, 0);
    return id;
  }

  /** Frees an allocation on its own stream. */
  public void free(int allocation) {
    policy.free(allocation, AllocationTrace.UNKNOWN_STREAM);
  }

  /** Frees an allocation on a stream. */
  public void free(int allocation, int stream) {
    policy.free(allocation, stream);
  }

  /** The policy. */
  public AllocatorPolicy policy() {
    return policy;
  }

  /** Address of an allocation, or {@link AllocatorPolicy#OUT_OF_MEMORY}. */
  public long address(int allocation) {
    return addresses[allocation];
  }

  /** Distance of an allocation's address from the start of the device. */
  public long offset(int allocation) {
    return addresses[allocation] - BASE;
  }

  /** Whether a request was served. */
  public boolean isServed(int allocation) {
    return addresses[allocation] != AllocatorPolicy.OUT_OF_MEMORY;
  }

  /** Bytes that an allocation's block takes. */
  public long blockBytes(int allocation) {
    return blocks[allocation];
  }

  /** Sizes that the device was asked for and gave, in order. */
  public List<Long> deviceRequests() {
    return List.copyOf(asked);
  }

  /** Sizes that the device was asked for and refused, in order. */
  public List<Long> refusals() {
    return List.copyOf(refused);
  }

  /** Sizes that the device got back, in order. */
  public List<Long> returns() {
    return List.copyOf(returned);
  }

  /** Bytes of the segments that the policy reported and did not return. */
  public long reservedBytes() {
    return reservedBytes;
  }

  /** Requests that the policy reported as failed. */
  public int failures() {
    return failures;
  }

  /** Requests that the policy reported as tried once more. */
  public int retries() {
    return retries;
  }

  /** How often the policy reported that it waited for all its stream uses. */
  public int synchronizations() {
    return synchronizations;
  }

  /** Sizes of the free blocks by ascending address. */
  public List<Long> freeBlocks() {
    List<Long> free = new ArrayList<>();
    MemoryLayout layout = MemoryLayout.of(policy);
    for (int i = 0; i < layout.blockCount(); i++) {
      if (layout.state(i) == LayoutVisitor.BlockState.INACTIVE) {
        free.add(layout.blockBytes(i));
      }
    }
    return free;
  }

  private final class Heard implements EffectListener {
    @Override
    public void blockAllocated(
        int allocation, long address, long requested, long block, int stream, boolean small) {
      blocks[allocation] = block;
    }

    @Override
    public void segmentAllocated(long address, long bytes, int stream, boolean small) {
      reservedBytes += bytes;
    }

    @Override
    public void segmentFreed(long address, long bytes, int stream, boolean small) {
      reservedBytes -= bytes;
    }

    @Override
    public void allocationRetried() {
      retries++;
    }

    @Override
    public void streamsSynchronized() {
      synchronizations++;
    }

    @Override
    public void outOfMemory(OutOfMemory failure) {
      failures++;
    }
  }

  /** Gives 256-byte multiples in a row, so that what it gives first lies lowest and touches. */
  private final class Device implements DeviceMemory {
    private final long capacityBytes;
    private long used;
    private long next = BASE;

    Device(long capacityBytes) {
      this.capacityBytes = capacityBytes;
    }

    @Override
    public long allocate(long bytes) {
      if (bytes > capacityBytes - used) {
        refused.add(bytes);
        return REFUSED;
      }
      asked.add(bytes);
      used += bytes;
      long address = next;
      next += (bytes + 255) & -256;
      return address;
    }

    @Override
    public void free(long address, long bytes) {
      returned.add(bytes);
      used -= bytes;
    }

    @Override
    public long reserve(long bytes, long pageBytes, int stream) {
      throw new AssertionError();
    }

    @Override
    public void unreserve(long address, long bytes) {
      throw new AssertionError();
    }

    @Override
    public boolean map(long address, long bytes, long pageBytes) {
      throw new AssertionError();
    }

    @Override
    public void unmap(long address, long bytes, long pageBytes) {
      throw new AssertionError();
    }

    @Override
    public long freeBytes() {
      return capacityBytes - used;
    }

    @Override
    public long totalBytes() {
      return capacityBytes;
    }
  }
}
