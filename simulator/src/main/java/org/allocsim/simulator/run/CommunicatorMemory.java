package org.allocsim.simulator.run;

import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.IntStream;
import org.allocsim.simulator.device.cost.ComputeProfile;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.RequestKind;
import org.allocsim.simulator.trace.RowHead;
import org.allocsim.simulator.trace.Work;
import org.allocsim.simulator.trace.Work.Collective;

/**
 * Memory that NCCL takes on a rank's GPU, outside PyTorch's allocator. All ranks that a message
 * names are one communicator. Each allocation is a handle of virtual memory, so a few bytes take a
 * page:
 *
 * <ul>
 *   <li>A communicator has {@value #COMMUNICATOR_PAGES} pages and {@value #CHANNEL_PAGES} for each
 *       channel; the first loads NCCL's kernels ({@value #KERNEL_PAGES} pages).
 *   <li>The first sum, gather or broadcast connects the ring: in each channel a page for what is
 *       sent and the buffers of all three protocols for what arrives.
 *   <li>The first message to one rank takes a page in each of its channels, the first from it the
 *       buffers.
 *   <li>The local memory of the GPU's threads grows to what the largest kernel so far needs.
 *   <li>Where GPUs do not reach each other's memory, pages and buffers are the host's.
 * </ul>
 *
 * <p>Source: NCCL 2.28.9 logs each allocation ({@code NCCL_DEBUG_SUBSYS=ALLOC}); two and four H200,
 * PyTorch 2.11, 19 settings and orders of messages, agree within a page
 * (validation/jobs/communicators.jsonl.xz). Not measured: NVLink's multicast, ranks on several
 * hosts, which are taken to be on one, and other GPUs: with NVLink they are taken to be as H200,
 * without it as H200 that do not reach each other's memory.
 */
public final class CommunicatorMemory {
  /** A handle's least size (CUDA 13.0). */
  static final long PAGE_BYTES = 2L << 20;

  /** What the communicator and its ranks are (src/init.cc). */
  private static final int COMMUNICATOR_PAGES = 2;

  /** Peers on the device, pointers to them, and the order of the ring (src/channel.cc). */
  private static final int CHANNEL_PAGES = 3;

  private static final int KERNEL_PAGES = 85;

  /** Local memory of kernels for sums and gathers. */
  private static final int RING_LOCAL_PAGES = 93;

  private static final int BROADCAST_LOCAL_PAGES = 95;

  /** Local memory of the kernel for messages between two ranks, and from all to all. */
  private static final int PEER_LOCAL_PAGES = 124;

  /**
   * How NCCL is set up.
   *
   * @param channels rings among which a sum is divided
   * @param peerChannels channels of a message between two ranks
   * @param bufferBytes buffers of the protocols Simple, LL and LL128 together
   * @param isDirect whether GPUs reach each other's memory
   */
  record Layout(int channels, int peerChannels, long bufferBytes, boolean isDirect) {
    /** {@code NCCL_BUFFSIZE}, unless it is set. */
    static final long SIMPLE_BYTES = 4L << 20;

    /** Buffers of LL and LL128 (src/include/comm.h of NCCL 2.28). */
    static final long LOW_LATENCY_BYTES = (512L << 10) + 120 * 640 * 8 * 8;

    /** GPUs on NVLink's switches. */
    static final Layout NVLINK = new Layout(24, 32, SIMPLE_BYTES + LOW_LATENCY_BYTES, true);

    /** GPUs that do not reach each other's memory. */
    static final Layout HOST = new Layout(4, 2, SIMPLE_BYTES + LOW_LATENCY_BYTES, false);

    private int arrivingPages() {
      return (int) ((bufferBytes + PAGE_BYTES - 1) / PAGE_BYTES);
    }
  }

  /** What one communicator has connected. */
  private static final class Communicator {
    private boolean isRing;
    private final BitSet to = new BitSet();
    private final BitSet from = new BitSet();
  }

  private final Layout layout;
  private final Map<Integer, Communicator> communicators = new HashMap<>();
  private int localPages;
  private long pages;

  /** Nothing yet, on such a GPU. */
  public CommunicatorMemory(ComputeProfile compute) {
    this(compute.hasNvLink() ? Layout.NVLINK : Layout.HOST);
  }

  CommunicatorMemory(Layout layout) {
    this.layout = layout;
  }

  /** Whether ranks of a trace send each other messages. */
  static boolean isNeeded(AllocationTrace trace) {
    return IntStream.range(0, trace.workCount())
        .anyMatch(work -> trace.work(work) instanceof Collective);
  }

  /** What NCCL holds, in bytes. */
  public long bytes() {
    return pages * PAGE_BYTES;
  }

  /**
   * The program comes to a row.
   *
   * @return whether NCCL took memory for it
   */
  boolean send(AllocationTrace trace, int deviceKey, int row) {
    if (RowHead.kindOn(trace.head(row), deviceKey) != RequestKind.LAUNCH.ordinal()) {
      return false;
    }
    Work work = trace.workOf(row);
    return work instanceof Collective message && message.ranks() > 1 && send(message);
  }

  /** The communicator of so many ranks, which sends nothing yet if it is new. */
  private Communicator communicator(int ranks) {
    if (communicators.isEmpty()) {
      pages += KERNEL_PAGES;
    }
    return communicators.computeIfAbsent(
        ranks,
        _ -> {
          int channels = Math.max(layout.channels(), layout.peerChannels());
          pages += COMMUNICATOR_PAGES + (long) CHANNEL_PAGES * channels;
          return new Communicator();
        });
  }

  /** Sends a message; whether memory was taken for it. */
  boolean send(Collective message) {
    long before = pages;
    int ranks = message.ranks();
    Communicator communicator = communicator(ranks);
    switch (message.pattern()) {
      case ALL_REDUCE, ALL_GATHER, REDUCE_SCATTER -> connectRing(communicator, RING_LOCAL_PAGES);
      case BROADCAST -> connectRing(communicator, BROADCAST_LOCAL_PAGES);
      case SEND -> connect(communicator.to, message, 1);
      case RECEIVE -> connect(communicator.from, message, layout.arrivingPages());
      case ALL_TO_ALL -> {
        connectAll(communicator.to, ranks, 1);
        connectAll(communicator.from, ranks, layout.arrivingPages());
      }
    }
    return pages > before;
  }

  private void connectRing(Communicator communicator, int kernelPages) {
    growLocalMemory(kernelPages);
    if (!communicator.isRing && layout.isDirect()) {
      pages += (long) layout.channels() * (1 + layout.arrivingPages());
    }
    communicator.isRing = true;
  }

  /** A message that does not name its peer goes to the same one each time. */
  private void connect(BitSet connected, Collective message, int peerPages) {
    int peer = Math.max(0, message.peer());
    connectPeers(connected.get(peer) ? 0 : 1, peerPages);
    connected.set(peer);
  }

  private void connectAll(BitSet connected, int ranks, int peerPages) {
    connectPeers(Math.max(0, ranks - 1 - connected.cardinality()), peerPages);
    connected.set(0, ranks);
  }

  private void connectPeers(int count, int peerPages) {
    growLocalMemory(PEER_LOCAL_PAGES);
    if (layout.isDirect()) {
      pages += (long) count * layout.peerChannels() * peerPages;
    }
  }

  private void growLocalMemory(int kernelPages) {
    pages += Math.max(0, kernelPages - localPages);
    localPages = Math.max(localPages, kernelPages);
  }
}
