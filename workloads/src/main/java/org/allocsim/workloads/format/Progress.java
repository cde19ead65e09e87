package org.allocsim.workloads.format;

/** Receives the progress of a long reading. */
@FunctionalInterface
public interface Progress {
  /** Ignores everything. */
  Progress NONE = (bytesDone, bytesTotal) -> {};

  /**
   * More of the file was read.
   *
   * @param bytesDone bytes of the file taken so far, as stored (compressed)
   * @param bytesTotal size of the file, or −1 where it is not known
   */
  void update(long bytesDone, long bytesTotal);
}
