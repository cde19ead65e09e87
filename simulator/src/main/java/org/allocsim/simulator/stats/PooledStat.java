package org.allocsim.simulator.stats;

/** The statistics that {@code torch.cuda.memory_stats()} keeps for each kind of pool. */
enum PooledStat {
  ACTIVE("active"),
  ACTIVE_BYTES("active_bytes"),
  ALLOCATED_BYTES("allocated_bytes"),
  ALLOCATION("allocation"),
  INACTIVE_SPLIT("inactive_split"),
  INACTIVE_SPLIT_BYTES("inactive_split_bytes"),
  REQUESTED_BYTES("requested_bytes"),
  RESERVED_BYTES("reserved_bytes"),
  SEGMENT("segment");

  /** What its keys begin with. */
  final String key;

  PooledStat(String key) {
    this.key = key;
  }

  /**
   * The statistic of a key's first part.
   *
   * @throws IllegalArgumentException where there is none
   */
  static PooledStat named(String key) {
    for (PooledStat stat : values()) {
      if (stat.key.equals(key)) {
        return stat;
      }
    }
    throw MemoryStats.unknown(key);
  }
}
