package org.allocsim.simulator.timing;

import org.allocsim.simulator.device.cost.ComputeProfile;
import org.allocsim.simulator.trace.Work.Collective;

/**
 * How long messages among GPUs take, by the model with which NCCL chooses its algorithms
 * (src/graph/tuning.cc of NCCL 2.19, latencies of its protocol "simple"): a start, a latency for
 * each step of a ring, and the bytes that each rank sends. Several hosts have a network adapter for
 * each GPU, so that as many rings as a host has GPUs cross the network; their sums may take a tree.
 * The parts of a link's rate that messages reach were measured between two H200 (SXM, 450 GB/s one
 * way), with PyTorch 2.11 and NCCL 2.28.9 without NVLink's multicast: the rates at which times grow
 * from 64 MiB to 1 GiB.
 */
final class Links {
  /** GPUs of a host (NVIDIA HGX boards). */
  private static final int GPUS_OF_HOST = 8;

  /** Part of a link's rate in a sum for everyone: 329 GB/s. */
  private static final double SUM_SHARE = 0.73;

  /** Part where each gives or gets a part: 271 and 277 GB/s. */
  private static final double PART_SHARE = 0.61;

  /** Part where bytes go one way: 373 GB/s. */
  private static final double ONE_WAY_SHARE = 0.83;

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
    double link = compute.linkBytesPerSecond();
    double network = compute.networkBytesPerSecond();
    double ring = hosts == 1 ? link : Math.min(link, GPUS_OF_HOST * network);
    double bytes = message.bytes() * NANOS_PER_SECOND;
    double others = (ranks - 1) / (double) ranks;
    double around = steps(compute, ranks, hosts);
    return Math.round(
        switch (message.pattern()) {
          case ALL_REDUCE ->
              Math.min(
                  START_NANOS + 2 * (around + bytes * others / (ring * SUM_SHARE)),
                  tree(ranks, hosts) + 2 * bytes / (ring * SUM_SHARE * TREE_SHARE));
          case ALL_GATHER, REDUCE_SCATTER ->
              START_NANOS + around + bytes * others / (ring * PART_SHARE);
          case BROADCAST -> START_NANOS + around + bytes / (ring * ONE_WAY_SHARE);
          case ALL_TO_ALL ->
              START_NANOS
                  + step(compute, hosts)
                  + Math.max(
                      bytes * others / (link * PART_SHARE),
                      bytes * Math.max(0, ranks - GPUS_OF_HOST) / ranks / (network * PART_SHARE));
          case SEND, RECEIVE -> START_NANOS + step(compute, 1) + bytes / (link * ONE_WAY_SHARE);
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
    return compute.hasNvLink() ? NVLINK_STEP_NANOS : PCIE_STEP_NANOS;
  }
}
