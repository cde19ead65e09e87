package org.allocsim.reports.answer.part;

import java.util.LinkedHashMap;
import java.util.Map;
import org.allocsim.simulator.policy.pytorch.RoundupDivisions;
import org.allocsim.workloads.format.pytorch.Snapshot;
import org.allocsim.workloads.format.pytorch.metadata.SnapshotSettings;
import org.allocsim.workloads.source.OpenedTrace;

/** What a recording says, as JSON. */
public final class RecordingMaps {
  private RecordingMaps() {}

  /** The recorded settings under PyTorch's names; empty where the trace has none. */
  public static Map<String, Object> settings(OpenedTrace trace) {
    return trace.recording().map(recording -> settings(recording.snapshot())).orElse(Map.of());
  }

  /** The recorded settings under PyTorch's names; empty where the file has none. */
  public static Map<String, Object> settings(Snapshot snapshot) {
    SnapshotSettings settings = snapshot.settings();
    Map<String, Object> map = new LinkedHashMap<>();
    if (!settings.present()) {
      return map;
    }
    map.put("PYTORCH_CUDA_ALLOC_CONF", settings.conf());
    map.put("max_split_size", settings.maxSplitBytes());
    map.put("garbage_collection_threshold", settings.garbageCollectionThreshold());
    map.put("expandable_segments", settings.expandableSegments());
    map.put("pinned_num_register_threads", settings.pinnedNumRegisterThreads());
    map.put("release_lock_on_cudamalloc", settings.releaseLockOnCudamalloc());
    map.put("pinned_use_cuda_host_register", settings.pinnedUseCudaHostRegister());
    map.put("graph_capture_record_stream_reuse", settings.graphCaptureRecordStreamReuse());
    Map<String, Object> divisions = new LinkedHashMap<>();
    for (int slot = 0; slot < RoundupDivisions.SLOTS; slot++) {
      divisions.put(Integer.toString(1 << slot), settings.roundupDivisions().slot(slot));
    }
    map.put("roundup_power2_divisions", divisions);
    return map;
  }
}
