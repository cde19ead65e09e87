package org.allocsim.simulator.trace;

/**
 * What a program can ask of its allocator, or report to it, at one point of a trace; and what else
 * it does with host and device, which takes time but no memory of the allocator.
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
   * The allocation is also used on {@code stream} (PyTorch's {@code record_stream}). Among uses
   * that finish at the same moment, one with a lower completion rank is seen first. The stream may
   * be {@link AllocationTrace#UNKNOWN_STREAM}.
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
  /** A named phase begins. */
  MARKER_BEGIN,
  /** A named phase ends. */
  MARKER_END,
  /** The program took a memory snapshot, which leaves an entry in PyTorch's history. */
  SNAPSHOT,
  /** The program changes the allocator's settings ({@code _set_allocator_settings} of PyTorch). */
  CHANGE_SETTINGS,
  /** The program changes the limit of what its allocator may reserve to {@code bytes}. */
  CHANGE_LIMIT,
  /** {@link Work} is queued on {@code stream}. */
  LAUNCH,
  /** An event is recorded on {@code stream}. */
  RECORD_EVENT,
  /** What is queued on {@code stream} from now on waits for an event. */
  WAIT_EVENT,
  /** The host waits for an event. */
  SYNCHRONIZE_EVENT,
  /** The host is busy for {@code hostNanos} nanoseconds. */
  HOST_WORK,
  /** The host takes the next batch of a {@link Loader}. */
  LOAD_BATCH,
  /** Ask for {@code bytes} of page-locked host memory; the answer gets the host buffer's number. */
  HOST_ALLOCATE,
  /** Give a host buffer back. */
  HOST_FREE,
  /** A host buffer is used by what was queued on {@code stream}. */
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
