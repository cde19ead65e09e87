package org.allocsim.benchmarks.command;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.SplittableRandom;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.device.simulated.SimulatedDevice;
import org.allocsim.simulator.effect.EffectKind;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.effect.EffectRows;
import org.allocsim.simulator.engine.Replay;
import org.allocsim.simulator.policy.LayoutVisitor;
import org.allocsim.simulator.policy.MemoryLayout;
import org.allocsim.simulator.policy.pytorch.CachingAllocator;
import org.allocsim.simulator.policy.pytorch.ConfigException;
import org.allocsim.simulator.policy.pytorch.MemoryLimit;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.policy.pytorch.conf.ConfigParser;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.workloads.program.Programs;

/**
 * The snapshot that PyTorch would write of a long training: a GPT-2 with batches of drawn lengths
 * under default settings, on a card with room to spare, every entry with one of some two thousand
 * stacks. {@code verify} finds it exact.
 */
final class LongRecording extends EffectRows {
  /** Entries that the usual recording has; it is a file of some 160 MB. */
  static final int USUAL_ENTRIES = 2_000_000;

  /** The newest release whose entries do not name their pool. */
  static final PyTorchVersion RELEASE = PyTorchVersion.V2_11;

  private static final int STACKS = 2000;
  private static final int FRAMES = 600;
  private static final int FEWEST_FRAMES = 27;
  private static final int BATCH = 1000;
  private static final long FIRST_MICROS = 1_700_000_000_000_000L;

  /** Entries of a training step, fewer than any has. */
  private static final int STEP_ENTRIES = 1_500;

  private final PickleStream out;
  private final SplittableRandom random = new SplittableRandom(1);
  private final int[] stacks = new int[STACKS];
  private long micros = FIRST_MICROS;
  private int entries;
  private int requests;

  private LongRecording(PickleStream out) {
    this.out = out;
  }

  /**
   * Writes a snapshot; equal arguments give equal files.
   *
   * @param minEntries entries of the history; the last request may add a few
   * @return the entries of its history
   */
  static int write(Path file, int minEntries) throws IOException {
    int steps = minEntries / STEP_ENTRIES + 1;
    AllocationTrace trace = Programs.generate("gpt", Map.of("iterations", "" + steps), 1);
    try (OutputStream stream = Files.newOutputStream(file);
        PickleStream out = new PickleStream(stream)) {
      return new LongRecording(out).record(trace, minEntries);
    }
  }

  /** PyTorch shows the segments at the end before the history, so the program runs twice. */
  private int record(AllocationTrace trace, int minEntries) {
    EntryCount count = new EntryCount();
    CachingAllocator policy = allocator(count);
    new Replay(trace, 0, policy, EffectListeners.NONE, () -> 0)
        .run(_ -> count.entries < minEntries);
    out.beginDict();
    out.text("segments");
    segments(MemoryLayout.of(policy));
    out.text("device_traces");
    out.beginList();
    out.beginList();
    new Replay(trace, 0, allocator(this), EffectListeners.NONE, () -> 0)
        .run(_ -> {
          requests++;
          return entries < minEntries;
        });
    out.endList();
    out.endList();
    out.text("allocator_settings");
    out.beginDict();
    out.entry("PYTORCH_CUDA_ALLOC_CONF", "");
    out.endDict();
    out.emptyList("external_annotations");
    out.endDict();
    return entries;
  }

  private static final class EntryCount extends EffectRows {
    private int entries;

    @Override
    protected void row(EffectKind kind, long address, long bytes, int stream) {
      entries++;
    }
  }

  private static CachingAllocator allocator(EffectListener listener) {
    try {
      return new CachingAllocator(
          ConfigParser.parse("", RELEASE).allocator(),
          RELEASE,
          MemoryLimit.NONE,
          new SimulatedDevice(DeviceProfiles.defaultProfile()),
          listener);
    } catch (ConfigException e) {
      throw new IllegalStateException("default settings are valid", e);
    }
  }

  @Override
  protected void row(EffectKind kind, long address, long bytes, int stream) {
    if (entries > 0 && entries % BATCH == 0) {
      out.nextBatch();
    }
    entries++;
    micros += random.nextInt(20);
    out.beginDict();
    out.entry("action", kind.action());
    out.entry("addr", address);
    out.entry("size", bytes);
    out.entry("stream", 0);
    out.entry("time_us", micros);
    out.text("compile_context");
    out.freshText("N/A");
    out.entry("user_metadata", "");
    out.text("frames");
    stack(requests % STACKS);
    out.endDict();
  }

  /** A call site's stack: in full when it is first met, from then on a reference. */
  private void stack(int number) {
    if (stacks[number] > 0) {
      out.refer(stacks[number]);
      return;
    }
    stacks[number] = out.beginList();
    SplittableRandom frames = new SplittableRandom(number);
    for (int i = frames.nextInt(FEWEST_FRAMES, FEWEST_FRAMES + 11); i > 0; i--) {
      int frame = frames.nextInt(FRAMES);
      out.beginDict();
      out.entry("filename", "/opt/model/layer_" + frame / 20 + ".py");
      out.entry("line", 10 + frame);
      out.entry("name", "forward_" + frame % 37);
      out.endDict();
    }
    out.endList();
  }

  private void segments(MemoryLayout layout) {
    out.beginList();
    for (int index = 0; index < layout.segmentCount(); index++) {
      long allocated = 0;
      long requested = 0;
      for (int b = layout.firstBlock(index); b < layout.firstBlock(index + 1); b++) {
        boolean held = layout.state(b) == LayoutVisitor.BlockState.ACTIVE_ALLOCATED;
        allocated += held ? layout.blockBytes(b) : 0;
        requested += held ? layout.requestedBytes(b) : 0;
      }
      out.beginDict();
      out.entry("device", 0);
      out.entry("address", layout.segmentAddress(index));
      out.entry("total_size", layout.segmentBytes(index));
      out.entry("allocated_size", allocated);
      out.entry("active_size", allocated);
      out.entry("requested_size", requested);
      out.entry("stream", 0);
      out.entry("segment_type", layout.isSmall(index) ? "small" : "large");
      out.text("is_expandable");
      out.flag(layout.isExpandable(index));
      out.emptyList("frames");
      out.text("blocks");
      blocks(layout, index);
      out.endDict();
    }
    out.endList();
  }

  private void blocks(MemoryLayout layout, int segment) {
    out.beginList();
    for (int b = layout.firstBlock(segment); b < layout.firstBlock(segment + 1); b++) {
      out.beginDict();
      out.entry("address", layout.blockAddress(b));
      out.entry("size", layout.blockBytes(b));
      out.entry("requested_size", layout.requestedBytes(b));
      out.entry("state", layout.state(b).label());
      out.emptyList("frames");
      out.endDict();
    }
    out.endList();
  }
}
