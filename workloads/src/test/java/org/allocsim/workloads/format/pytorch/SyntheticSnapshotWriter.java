package org.allocsim.workloads.format.pytorch;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.allocsim.workloads.format.pytorch.PickleWriter.Tuple;
import org.allocsim.workloads.format.pytorch.pickle.Opcode;

/**
 * Makes snapshots of any length in Python's style, about 200 bytes an entry with its stack, whose
 * history PyTorch's allocator (default settings, PyTorch 2.11) would have produced:
 *
 * <ul>
 *   <li>large blocks of distinct sizes from 12 MiB on, each filling a segment of its own, freed and
 *       requested again: the exact fit is always the best fit;
 *   <li>small blocks, freed in the reverse order of their requests: they stand one after the other
 *       in one segment, whose rest is the only free block.
 * </ul>
 *
 * Equal arguments give equal files. Run with: FILE EVENTS [SEED].
 */
public final class SyntheticSnapshotWriter {
  private static final long MIB = 1L << 20;
  private static final long SMALL_BASE = 0x7f00_0000_0000L;
  private static final long SMALL_SEGMENT = 2 * MIB;
  private static final long LARGE_BASE = 0x7e00_0000_0000L;
  private static final int LARGE_BLOCKS = 8;
  private static final int MAX_SMALL = 64;
  private static final int STACKS = 1500;
  private static final int FRAMES = 600;

  private final PickleWriter out;
  private final SplittableRandom random;
  private final long events;
  private final List<Map<String, Object>> frames = new ArrayList<>();
  private final int[][] stacks = new int[STACKS][];
  private final boolean[] largeLive = new boolean[LARGE_BLOCKS];
  private final boolean[] largeSegment = new boolean[LARGE_BLOCKS];
  private final long[] smallRequests = new long[MAX_SMALL];
  private final long[] smallAddresses = new long[MAX_SMALL];
  private int small;
  private boolean smallSegment;
  private long tailRequested;
  private long written;
  private long timeMicros = 1_700_000_000_000_000L;

  private SyntheticSnapshotWriter(PickleWriter out, long events, long seed) {
    this.out = out;
    this.events = events;
    random = new SplittableRandom(seed);
    for (int i = 0; i < FRAMES; i++) {
      Map<String, Object> frame = new LinkedHashMap<>();
      frame.put("filename", "/opt/model/layer_" + i / 20 + ".py");
      frame.put("line", 10 + i);
      frame.put("name", "forward_" + i % 37);
      frames.add(frame);
    }
    for (int i = 0; i < STACKS; i++) {
      stacks[i] = random.ints(27 + i % 11, 0, FRAMES).toArray();
    }
  }

  /** Writes FILE with EVENTS entries. */
  public static void main(String[] args) throws IOException {
    if (args.length < 2 || args.length > 3) {
      throw new IllegalArgumentException("usage: FILE EVENTS [SEED]");
    }
    try (OutputStream file =
        new BufferedOutputStream(Files.newOutputStream(Path.of(args[0])), 1 << 20)) {
      write(file, Long.parseLong(args[1]), args.length > 2 ? Long.parseLong(args[2]) : 1);
    }
  }

  /** Writes a snapshot with this many entries, at least 1; the stream stays open. */
  public static void write(OutputStream stream, long events, long seed) {
    try (PickleWriter out = PickleWriter.python(stream, 4)) {
      new SyntheticSnapshotWriter(out, events, seed).snapshot();
    }
  }

  private void snapshot() {
    out.opcode(Opcode.EMPTY_DICT);
    out.memoize();
    out.opcode(Opcode.MARK);
    out.text("device_traces");
    out.opcode(Opcode.EMPTY_LIST);
    out.memoize();
    out.opcode(Opcode.EMPTY_LIST);
    out.memoize();
    // All at once: a cached larger block would else serve the first request of a smaller one.
    for (int i = 0; i < LARGE_BLOCKS && events - written >= 2; i++) {
      event("segment_alloc", largeAddress(i), largeBytes(i), i);
      event("alloc", largeAddress(i), largeBytes(i), i);
      largeSegment[i] = true;
      largeLive[i] = true;
    }
    while (written < events) {
      step();
    }
    out.opcode(Opcode.APPENDS);
    out.opcode(Opcode.APPEND);
    out.text("segments");
    out.value(segments());
    out.text("allocator_settings");
    out.value(settings());
    out.text("external_annotations");
    out.value(List.of());
    out.opcode(Opcode.SETITEMS);
  }

  /** One request; the choice leaves room for all its entries. */
  private void step() {
    long room = events - written;
    int large = random.nextInt(LARGE_BLOCKS * 6);
    if (large < LARGE_BLOCKS && largeSegment[large] && room >= 2) {
      if (largeLive[large]) {
        free(largeAddress(large), largeBytes(large));
        largeLive[large] = false;
      } else {
        event("alloc", largeAddress(large), largeBytes(large), large);
        largeLive[large] = true;
      }
    } else if (small > 0 && room >= 2 && (small == MAX_SMALL || random.nextInt(2) == 0)) {
      small--;
      free(smallAddresses[small], smallRequests[small]);
      tailRequested = smallRequests[small];
    } else if (room >= 2 || (smallSegment && small < MAX_SMALL)) {
      allocateSmall();
    } else {
      // One entry is left and nothing fits but a segment's or a snapshot's entry.
      event("snapshot", 0, activeBytes(), 0);
    }
  }

  private void allocateSmall() {
    if (!smallSegment) {
      smallSegment = true;
      event("segment_alloc", SMALL_BASE, SMALL_SEGMENT, 0);
    }
    smallAddresses[small] =
        small == 0 ? SMALL_BASE : smallAddresses[small - 1] + rounded(smallRequests[small - 1]);
    smallRequests[small] = 1L + random.nextInt(16 << 10);
    event("alloc", smallAddresses[small], smallRequests[small], random.nextInt(STACKS));
    small++;
  }

  private void free(long address, long bytes) {
    int stack = random.nextInt(STACKS);
    event("free_requested", address, bytes, stack);
    event("free_completed", address, bytes, stack);
  }

  private static long largeBytes(int index) {
    return (12 + 2L * index) * MIB;
  }

  private static long largeAddress(int index) {
    return LARGE_BASE + index * (64 * MIB);
  }

  private static long rounded(long bytes) {
    return (bytes + 511) / 512 * 512;
  }

  private void event(String action, long address, long bytes, int stack) {
    if (written % 1000 == 0) {
      if (written > 0) {
        out.opcode(Opcode.APPENDS);
      }
      out.opcode(Opcode.MARK);
    }
    written++;
    timeMicros += random.nextInt(20);
    out.opcode(Opcode.EMPTY_DICT);
    out.memoize();
    out.opcode(Opcode.MARK);
    out.text("action");
    out.text(action);
    out.text("addr");
    out.whole(address);
    out.text("size");
    out.whole(bytes);
    out.text("stream");
    out.whole(0);
    out.text("time_us");
    out.whole(timeMicros);
    out.text("compile_context");
    out.freshText("N/A");
    out.text("user_metadata");
    out.text("");
    out.text("frames");
    out.opcode(Opcode.EMPTY_LIST);
    out.memoize();
    out.opcode(Opcode.MARK);
    for (int frame : stacks[stack]) {
      out.value(frames.get(frame));
    }
    out.opcode(Opcode.APPENDS);
    out.opcode(Opcode.SETITEMS);
  }

  private long activeBytes() {
    long bytes = 0;
    for (int i = 0; i < small; i++) {
      bytes += rounded(smallRequests[i]);
    }
    for (int i = 0; i < LARGE_BLOCKS; i++) {
      bytes += largeLive[i] ? largeBytes(i) : 0;
    }
    return bytes;
  }

  private List<Object> segments() {
    List<Object> segments = new ArrayList<>();
    for (int i = 0; i < LARGE_BLOCKS; i++) {
      if (largeSegment[i]) {
        boolean live = largeLive[i];
        segments.add(
            segment(
                largeAddress(i),
                largeBytes(i),
                "large",
                List.of(block(largeAddress(i), largeBytes(i), largeBytes(i), live))));
      }
    }
    if (smallSegment) {
      List<Map<String, Object>> blocks = new ArrayList<>();
      long end = SMALL_BASE;
      for (int i = 0; i < small; i++) {
        blocks.add(block(end, rounded(smallRequests[i]), smallRequests[i], true));
        end += rounded(smallRequests[i]);
      }
      // Free blocks keep the last request of the block object that they come from.
      blocks.add(block(end, SMALL_BASE + SMALL_SEGMENT - end, tailRequested, false));
      segments.add(segment(SMALL_BASE, SMALL_SEGMENT, "small", blocks));
    }
    return segments;
  }

  private static Map<String, Object> block(
      long address, long bytes, long requestedBytes, boolean live) {
    Map<String, Object> block = new LinkedHashMap<>();
    block.put("address", address);
    block.put("size", bytes);
    block.put("requested_size", requestedBytes);
    block.put("state", live ? "active_allocated" : "inactive");
    block.put("frames", new ArrayList<>());
    return block;
  }

  private static Map<String, Object> segment(
      long address, long bytes, String type, List<Map<String, Object>> blocks) {
    long active = 0;
    long requested = 0;
    for (Map<String, Object> block : blocks) {
      if (block.get("state").equals("active_allocated")) {
        active += (Long) block.get("size");
        requested += (Long) block.get("requested_size");
      }
    }
    Map<String, Object> segment = new LinkedHashMap<>();
    segment.put("device", 0);
    segment.put("address", address);
    segment.put("total_size", bytes);
    segment.put("allocated_size", active);
    segment.put("active_size", active);
    segment.put("requested_size", requested);
    segment.put("stream", 0);
    segment.put("segment_type", type);
    segment.put("segment_pool_id", new Tuple(0, 0));
    segment.put("is_expandable", false);
    segment.put("frames", new ArrayList<>());
    segment.put("blocks", blocks);
    return segment;
  }

  /** The settings of a program that sets none (PyTorch 2.11). */
  static Map<String, Object> settings() {
    Map<String, Object> divisions = new LinkedHashMap<>();
    for (int slot = 0; slot < 16; slot++) {
      divisions.put(Integer.toString(1 << slot), 0);
    }
    Map<String, Object> settings = new LinkedHashMap<>();
    settings.put("PYTORCH_CUDA_ALLOC_CONF", "");
    settings.put("max_split_size", -1);
    settings.put("garbage_collection_threshold", 0.0);
    settings.put("expandable_segments", false);
    settings.put("pinned_num_register_threads", 1);
    settings.put("release_lock_on_cudamalloc", false);
    settings.put("pinned_use_cuda_host_register", false);
    settings.put("graph_capture_record_stream_reuse", false);
    settings.put("roundup_power2_divisions", divisions);
    return settings;
  }
}
