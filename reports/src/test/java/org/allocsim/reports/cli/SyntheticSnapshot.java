package org.allocsim.reports.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.device.simulated.SimulatedDevice;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.engine.Replay;
import org.allocsim.simulator.policy.LayoutVisitor.BlockState;
import org.allocsim.simulator.policy.MemoryLayout;
import org.allocsim.simulator.policy.pytorch.CachingAllocator;
import org.allocsim.simulator.policy.pytorch.ConfigException;
import org.allocsim.simulator.policy.pytorch.MemoryLimit;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.policy.pytorch.conf.ConfigParser;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.RequestKind;

/** The snapshot that PyTorch would have written of a program, on a GPU with room to spare. */
final class SyntheticSnapshot implements EffectListener {
  private static final int MICROS_PER_EVENT = 10;

  private final List<Object> history = new ArrayList<>();
  private final List<Object> annotations = new ArrayList<>();
  private long timeMicros = 1_000_000;

  private SyntheticSnapshot() {}

  /** Records a program of device 0 under PyTorch's default settings and writes its snapshot. */
  static Path write(AllocationTrace trace, Path file) throws IOException {
    return write(trace, "", file);
  }

  /** Records a program of device 0 and writes its snapshot. */
  static Path write(AllocationTrace trace, String conf, Path file) throws IOException {
    SyntheticSnapshot recorder = new SyntheticSnapshot();
    CachingAllocator policy;
    try {
      policy =
          new CachingAllocator(
              ConfigParser.parse(conf, PyTorchVersion.DEFAULT).allocator(),
              PyTorchVersion.DEFAULT,
              MemoryLimit.NONE,
              new SimulatedDevice(DeviceProfiles.defaultProfile()),
              recorder);
    } catch (ConfigException e) {
      throw new AssertionError(e);
    }
    new Replay(trace, 0, policy, recorder, () -> 0)
        .run(event -> {
          recorder.annotate(trace, event);
          return true;
        });
    Map<String, Object> snapshot = new LinkedHashMap<>();
    snapshot.put("segments", segments(MemoryLayout.of(policy)));
    snapshot.put("device_traces", List.of(recorder.history));
    snapshot.put("allocator_settings", Map.of("PYTORCH_CUDA_ALLOC_CONF", conf));
    snapshot.put("external_annotations", recorder.annotations);
    return Files.write(file, PickleBytes.of(snapshot));
  }

  private void annotate(AllocationTrace trace, int event) {
    RequestKind kind = trace.kind(event);
    if (kind == RequestKind.MARKER_BEGIN || kind == RequestKind.MARKER_END) {
      timeMicros += MICROS_PER_EVENT;
      Map<String, Object> annotation = new LinkedHashMap<>();
      annotation.put("stage", kind == RequestKind.MARKER_BEGIN ? "START" : "END");
      annotation.put("name", trace.markerNameOf(event));
      annotation.put("device", 0);
      annotation.put("time_us", timeMicros);
      annotations.add(annotation);
    }
  }

  private void event(String action, long address, long bytes, int stream) {
    timeMicros += MICROS_PER_EVENT;
    Map<String, Object> entry = new LinkedHashMap<>();
    entry.put("action", action);
    entry.put("addr", address);
    entry.put("size", bytes);
    entry.put("stream", stream);
    entry.put("time_us", timeMicros);
    history.add(entry);
  }

  private static List<Object> segments(MemoryLayout layout) {
    List<Object> segments = new ArrayList<>();
    for (int index = 0; index < layout.segmentCount(); index++) {
      long allocated = 0;
      long requested = 0;
      List<Object> blocks = new ArrayList<>();
      for (int b = layout.firstBlock(index); b < layout.firstBlock(index + 1); b++) {
        boolean held = layout.state(b) == BlockState.ACTIVE_ALLOCATED;
        allocated += held ? layout.blockBytes(b) : 0;
        requested += held ? layout.requestedBytes(b) : 0;
        Map<String, Object> block = new LinkedHashMap<>();
        block.put("address", layout.blockAddress(b));
        block.put("size", layout.blockBytes(b));
        block.put("requested_size", layout.requestedBytes(b));
        block.put("state", held ? "active_allocated" : "inactive");
        block.put("frames", List.of());
        blocks.add(block);
      }
      Map<String, Object> segment = new LinkedHashMap<>();
      segment.put("device", 0);
      segment.put("address", layout.segmentAddress(index));
      segment.put("total_size", layout.segmentBytes(index));
      segment.put("allocated_size", allocated);
      segment.put("active_size", allocated);
      segment.put("requested_size", requested);
      segment.put("stream", 0);
      segment.put("segment_type", layout.isSmall(index) ? "small" : "large");
      segment.put("is_expandable", layout.isExpandable(index));
      segment.put("frames", List.of());
      segment.put("blocks", blocks);
      segments.add(segment);
    }
    return segments;
  }

  @Override
  public void blockAllocated(
      int allocation, long address, long requested, long bytes, int stream, boolean small) {
    event("alloc", address, requested, stream);
  }

  @Override
  public void freeRequested(
      int allocation, long address, long requested, long bytes, int stream, boolean small) {
    event("free_requested", address, requested, stream);
  }

  @Override
  public void freeCompleted(
      int allocation, long address, long requested, long bytes, int stream, boolean small) {
    event("free_completed", address, requested, stream);
  }

  @Override
  public void segmentAllocated(long address, long bytes, int stream, boolean small) {
    event("segment_alloc", address, bytes, stream);
  }

  @Override
  public void segmentFreed(long address, long bytes, int stream, boolean small) {
    event("segment_free", address, bytes, stream);
  }

  @Override
  public void segmentMapped(long address, long bytes, int stream, boolean small) {
    event("segment_map", address, bytes, stream);
  }

  @Override
  public void segmentUnmapped(long address, long bytes, int stream, boolean small) {
    event("segment_unmap", address, bytes, stream);
  }
}
