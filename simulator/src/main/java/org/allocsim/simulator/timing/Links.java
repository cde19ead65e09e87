package org.allocsim.simulator.timing;

import org.allocsim.simulator.device.cost.ComputeProfile;
import org.allocsim.simulator.trace.Work.Collective;
import org.allocsim.simulator.trace.Work.Collective.Pattern;

/**
 * How long messages among GPUs take, by the model with which NCCL chooses its algorithms
 * (src/graph/tuning.cc of NCCL 2.19, latencies of its protocol "simple"): a start, a latency for
 * each step of a ring, and the bytes that each rank sends. Several hosts have a network adapter for
 * each GPU, so that as many rings as a host has GPUs cross the network; their sums may take a tree.
 */
final class Links {
  /** GPUs of a host (NVIDIA HGX boards). */
  private static final int GPUS_OF_HOST = 8;

  /**
   * Part of a link's rate that messages reach: an all-reduce of 1 GiB between two H100 (SXM) sent
   * 329 of 450 GB/s (PyTorch 2.11, without NVLink's multicast).
   */
  private static final double RATE_SHARE = 0.73;

  private static final double START_NANOS = 8_400;
  private static final double NVLINK_STEP_NANOS = 3_400;
  private static final double PCIE_STEP_NANOS = 5_700;
  private static final double NETWORK_STEP_NANOS = 14_000;
  private static final double TREE_STEP_NANOS = 28_000;

  /** Part of a ring's rate that a tree reaches. */
  private static final double TREE_SHARE = 0.92;

  private static final double NANOS_PER_SECOND = 1e9;

  private Links() {}

  /** Time of a message on the links of a GPU; none where there is nobody else. */
  static long nanos(Collective message, ComputeProfile compute) {
    int ranks = message.ranks();
    if (ranks == 1) {
      return 0;
    }
    int hosts = (ranks + GPUS_OF_HOST - 1) / GPUS_OF_HOST;
    double link = compute.linkBytesPerSecond() * RATE_SHARE;
    double network = compute.networkBytesPerSecond() * RATE_SHARE;
    double ring = hosts == 1 ? link : Math.min(link, GPUS_OF_HOST * network);
    double bytes = message.bytes() * NANOS_PER_SECOND;
    double others = (ranks - 1) / (double) ranks;
    return Math.round(
        switch (message.pattern()) {
          case ALL_REDUCE ->
              Math.min(
                  2 * (steps(compute, ranks, hosts) + bytes * others / ring) + START_NANOS,
                  tree(ranks, hosts) + 2 * bytes / (ring * TREE_SHARE));
          case ALL_GATHER, REDUCE_SCATTER ->
              START_NANOS + steps(compute, ranks, hosts) + bytes * others / ring;
          case BROADCAST -> START_NANOS + steps(compute, ranks, hosts) + bytes / ring;
          case ALL_TO_ALL ->
              START_NANOS
                  + step(compute, hosts)
                  + Math.max(
                      bytes * others / link,
                      bytes * (ranks - Math.min(ranks, GPUS_OF_HOST)) / ranks / network);
          case SEND -> START_NANOS + step(compute, 1) + bytes / link;
        });
  }

  /** Latency of once around a ring. */
  private static double steps(ComputeProfile compute, int ranks, int hosts) {
    return (ranks - hosts) * step(compute, 1) + (hosts - 1) * NETWORK_STEP_NANOS;
  }

  /** Latency of a tree of hosts, up and down, each with a chain of its GPUs; of one host none. */
  private static double tree(int ranks, int hosts) {
    if (hosts == 1) {
      return Double.POSITIVE_INFINITY;
    }
    int levels = Integer.SIZE - 1 - Integer.numberOfLeadingZeros(hosts);
    return 2 * (ranks / hosts - 1 + levels) * TREE_STEP_NANOS;
  }

  private static double step(ComputeProfile compute, int hosts) {
    if (hosts > 1) {
      return NETWORK_STEP_NANOS;
    }
    // What is faster than copies to the host does not go by PCIe.
    return compute.linkBytesPerSecond() > 2 * compute.pinnedCopyBytesPerSecond()
        ? NVLINK_STEP_NANOS
        : PCIE_STEP_NANOS;
  }
}
