package org.allocsim.simulator.timing;

/** What the host's time went to. */
public enum HostActivity {
  /** The program's own work, and the gaps of a recording. */
  WORK,
  /** Queueing work. */
  LAUNCH,
  /** Driver calls of the allocator. */
  DRIVER_CALL,
  /** Waiting for the GPU inside of the allocator: calls that synchronise, outstanding uses. */
  ALLOCATOR_WAIT,
  /** Waiting for the GPU because the program asked to. */
  SYNCHRONIZE,
  /** Waiting for copies from and to memory that is not pinned. */
  PAGEABLE_COPY,
  /** Waiting because the queue of a stream was full. */
  QUEUE_FULL,
  /** Waiting for the data loader, or loading without workers. */
  LOAD,
  /** Obtaining and returning pinned host memory. */
  PIN
}
