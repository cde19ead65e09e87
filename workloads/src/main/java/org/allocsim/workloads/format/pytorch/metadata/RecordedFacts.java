package org.allocsim.workloads.format.pytorch.metadata;

import java.util.List;
import java.util.Optional;
import org.allocsim.simulator.policy.pytorch.MemoryLimit;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.trace.PoolId;
import org.jspecify.annotations.Nullable;

/**
 * What {@code allocsim record} adds to a snapshot under the key {@code allocsim_record}: certain
 * where a snapshot alone leaves to infer.
 *
 * @param text the whole text, for those who write it again
 * @param rank the rank in the job, as torchrun set it; null where it did not
 * @param release the release that recorded; null where this program does not know it
 * @param firstSettings what the program's environment set, where it changed settings later; null
 *     where it did not, so that a snapshot tells
 * @param devices GPUs by their number
 * @param lostCalls calls that are not in the file any more, because there were too many
 */
public record RecordedFacts(
    String text,
    @Nullable Integer rank,
    @Nullable PyTorchVersion release,
    @Nullable String firstSettings,
    List<Device> devices,
    long lostCalls) {

  /** Keeps its own copy. */
  public RecordedFacts {
    devices = List.copyOf(devices);
  }

  /** The facts of a device, if it was recorded. */
  public Optional<Device> device(int device) {
    return devices.stream().filter(each -> each.device() == device).findFirst();
  }

  /**
   * A GPU.
   *
   * @param device its number in the process
   * @param name its name as the driver has it
   * @param totalBytes its memory, as PyTorch counts it
   * @param limitBytes the allocator's own limit, {@link MemoryLimit#NONE} without one, or where
   *     calls change it
   * @param isLimitKnown whether the limit was the same from the first to the last entry, or the
   *     calls that changed it are known
   * @param end where the history ends
   * @param calls calls that leave no entry of their own, in their order
   * @param streamUses calls of {@code Tensor.record_stream}, in their order
   * @param storages what is known to be held at the end, and what for
   * @param samples how much of the GPU was in use, in their order
   * @param collectivesBytes what NCCL's communicators held when they were last asked, −1 where
   *     PyTorch does not say
   */
  public record Device(
      int device,
      String name,
      long totalBytes,
      long limitBytes,
      boolean isLimitKnown,
      Position end,
      List<Call> calls,
      List<StreamUse> streamUses,
      List<Storage> storages,
      List<Sample> samples,
      long collectivesBytes) {
    /** Keeps its own copy. */
    public Device {
      calls = List.copyOf(calls);
      streamUses = List.copyOf(streamUses);
      storages = List.copyOf(storages);
      samples = List.copyOf(samples);
    }
  }

  /**
   * A call that leaves no entry of its own.
   *
   * @param kind what was called
   * @param pool the pool that it concerns; the default pool where it concerns all
   * @param position where in the history
   * @param settings the settings to which {@link CallKind#CHANGE_SETTINGS} changes, else empty
   * @param limitBytes the limit to which {@link CallKind#CHANGE_LIMIT} changes, −1 for none
   */
  public record Call(
      CallKind kind, PoolId pool, Position position, String settings, long limitBytes) {
    Call withLimit(long bytes) {
      return new Call(kind, pool, position, settings, bytes);
    }

    /** Whether it changes how later requests are served, whatever they are. */
    public boolean changesAllocator() {
      return kind == CallKind.CHANGE_SETTINGS || kind == CallKind.CHANGE_LIMIT;
    }
  }

  /** Calls that leave no entry of their own. */
  public enum CallKind {
    /** The cache was emptied. */
    EMPTY_CACHE,
    /** What a private pool caches was released, as at the end of a {@code torch.cuda.MemPool}. */
    EMPTY_POOL,
    /** Nobody uses a private pool any more. */
    RELEASE_POOL,
    /** Requests go to a private pool from here on. */
    BEGIN_POOL,
    /** They no longer go to it. */
    END_POOL,
    /** The allocator's settings were changed. */
    CHANGE_SETTINGS,
    /** The limit of what it may reserve was changed. */
    CHANGE_LIMIT
  }

  /**
   * A block was used on another stream than its own.
   *
   * @param address its address
   * @param timeNanos when, on the clock of the history
   */
  public record StreamUse(long address, long timeNanos) {}

  /**
   * Memory of a tensor whose use the recorder knows.
   *
   * @param address where it begins
   * @param bytes its size
   * @param category what it is for, such as {@code parameter}
   */
  public record Storage(long address, long bytes, String category) {}

  /**
   * How much of a GPU was in use at a time; −1 where the driver did not say.
   *
   * @param timeNanos when, on the clock of the history
   * @param totalBytes the GPU's memory, as the driver's management library counts it
   * @param freeBytes what nobody uses
   * @param driverBytes what the driver keeps for itself
   * @param processBytes what the recorded process held
   * @param otherProcessesBytes what other processes held
   * @param poolsBytes what the driver's own pools held for the process
   * @param reservedBytes what its allocator had reserved
   */
  public record Sample(
      long timeNanos,
      long totalBytes,
      long freeBytes,
      long driverBytes,
      long processBytes,
      long otherProcessesBytes,
      long poolsBytes,
      long reservedBytes) {}

  /**
   * A place in a history: how many entries of each kind came before it, since the process began.
   *
   * @param allocations entries of allocations
   * @param frees entries of requested frees
   * @param completions entries of completed frees
   * @param failures entries of failed requests
   */
  public record Position(long allocations, long frees, long completions, long failures) {}
}
