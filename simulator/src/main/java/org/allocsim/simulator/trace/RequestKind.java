package org.allocsim.simulator.trace;

/**
 * What a program can ask of its allocator, or tell it, at one point of a trace; and what else it
 * does with host and device, which takes time but no memory of the allocator.
 */
public enum RequestKind {
  /** Ask for {@code bytes} on {@code stream}, from pool {@code pool}; the answer gets the id. */
  ALLOCATE,
  /**
   * Give an allocation back, in the order of the work of {@code stream} where that is known.
   * Ignored when its ALLOCATE failed.
   */
  FREE,
  /**
   * The allocation is also used on {@code stream} (PyTorch's {@code record_stream}). {@code bytes}
   * holds the completion rank: among uses that finish at the same moment, a lower rank is seen
   * first. The stream may be {@link AllocationTrace#UNKNOWN_STREAM}.
   */
  USE_STREAM,
  /** The device has finished the allocation's use on {@code stream}, or all its uses. */
  USE_COMPLETE,
  /** The host waited for the whole device: every use recorded so far has finished. */
  SYNCHRONIZE,
  /** The host waited for {@code stream}: the work queued on it so far has finished. */
  SYNCHRONIZE_STREAM,
  /** Return cached memory to the device ({@code torch.cuda.empty_cache()}). */
  EMPTY_CACHE,
  /** The last owner of private pool {@code pool} is gone; its cached memory may be released. */
  RELEASE_POOL,
  /** Return the cached memory of the released private pool {@code pool} to the device. */
  EMPTY_POOL,
  /**
   * Hand out exactly {@code bytes} at a given place of private pool {@code pool}, as PyTorch does
   * when CUDA graph trees put a pool back into an earlier state; see {@link
   * AllocationTrace#anchor}.
   */
  RESTORE_BLOCK,
  /** A named phase begins; {@code allocation} is the index of the marker's name. */
  MARKER_BEGIN,
  /** A named phase ends; {@code allocation} is the index of the marker's name. */
  MARKER_END,
  /** The program took a memory snapshot, which leaves an entry in PyTorch's history. */
  SNAPSHOT,
  /** {@link Work} number {@code allocation} is queued on {@code stream}. */
  LAUNCH,
  /** Event number {@code allocation} is recorded on {@code stream}. */
  RECORD_EVENT,
  /** What is queued on {@code stream} from now on waits for event number {@code allocation}. */
  WAIT_EVENT,
  /** The host waits for event number {@code allocation}. */
  SYNCHRONIZE_EVENT,
  /** The host is busy for {@code bytes} nanoseconds. */
  HOST_WORK,
  /** The host takes the next batch of {@link Loader} number {@code allocation}. */
  LOAD_BATCH,
  /** Ask for {@code bytes} of page-locked host memory, host buffer number {@code allocation}. */
  HOST_ALLOCATE,
  /** Give host buffer number {@code allocation} back. */
  HOST_FREE,
  /** Host buffer number {@code allocation} is used by what was queued on {@code stream}. */
  HOST_USE_STREAM;

  private static final RequestKind[] KINDS = values();

  /** The kind whose {@link #ordinal()} is given, without copying the array of constants. */
  static RequestKind of(byte ordinal) {
    return KINDS[ordinal];
  }

  /** Whether rows of this kind concern time or host memory and nothing that allocators serve. */
  public boolean isWork() {
    return ordinal() >= LAUNCH.ordinal();
  }
}
