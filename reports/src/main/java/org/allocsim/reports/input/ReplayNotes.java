package org.allocsim.reports.input;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.analysis.program.Program;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.simulator.policy.pytorch.MemoryLimit;
import org.allocsim.simulator.policy.pytorch.conf.ParsedConfig;
import org.allocsim.workloads.format.pytorch.DeviceHistory;
import org.jspecify.annotations.Nullable;

/** What the reader of a replay's results should know of how they came about. */
public final class ReplayNotes {
  private final Program program;
  private final List<String> notes = new ArrayList<>();

  /**
   * Starts with what the reader of the file and PyTorch's parser have to say.
   *
   * @param config settings of PyTorch's allocator; null for other allocators
   */
  public ReplayNotes(Program program, @Nullable ParsedConfig config) {
    this.program = program;
    notes.addAll(program.input().notes());
    if (config == null) {
      return;
    }
    notes.addAll(config.warnings());
    if (config.allocator().garbageCollectionThreshold() > 0 && isUnlimited()) {
      notes.add(
          "garbage_collection_threshold has no effect without a limit; give the program's limit"
              + " with --memory-fraction or --memory-limit");
    }
  }

  private boolean isUnlimited() {
    return program.recordedConditions().limitBytes() == MemoryLimit.NONE;
  }

  public void add(String note) {
    notes.add(note);
  }

  /** What limits the worth of a replay that the recorded program never saw. */
  public void addForModelled(boolean failed) {
    if (failed) {
      notes.add(
          "after a failed request the replay continues as recorded, as if only that allocation had"
              + " been skipped; the real program might have stopped");
    }
  }

  /** Histories of other devices, which nobody chose to leave out. */
  public void addOtherDevices() {
    List<DeviceHistory> devices =
        program.input().recording().map(each -> each.snapshot().devices()).orElse(List.of());
    for (int device = 0; device < devices.size(); device++) {
      int events = devices.get(device).effects().count();
      if (device != program.input().device() && events > 0) {
        notes.add(
            "not replayed: %s of device %s; --device-index %s selects them"
                .formatted(Numbers.count(events, "event"), device, device));
      }
    }
  }

  /** The notes in order. */
  public List<String> toList() {
    return List.copyOf(notes);
  }
}
