package org.allocsim.simulator.policy.gmlake;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.effect.OutOfMemory;

/** What an allocator reports, in the words of {@link NaiveGmLake}. */
final class GmLakeEffects implements EffectListener {
  private List<String> lines = new ArrayList<>();

  List<String> take() {
    List<String> taken = lines;
    lines = new ArrayList<>();
    return taken;
  }

  private static String text(
      int allocation, long address, long requested, long bytes, int stream, boolean small) {
    return "%d at %x: %d in %d, stream %d, %s"
        .formatted(allocation, address, requested, bytes, stream, small);
  }

  @Override
  public void blockAllocated(
      int allocation, long address, long requested, long bytes, int stream, boolean small) {
    lines.add("block " + text(allocation, address, requested, bytes, stream, small));
  }

  @Override
  public void freeRequested(
      int allocation, long address, long requested, long bytes, int stream, boolean small) {
    lines.add("free " + text(allocation, address, requested, bytes, stream, small));
  }

  @Override
  public void freeCompleted(
      int allocation, long address, long requested, long bytes, int stream, boolean small) {
    lines.add("freed " + text(allocation, address, requested, bytes, stream, small));
  }

  @Override
  public void segmentAllocated(long address, long bytes, int stream, boolean small) {
    lines.add("segment at %x: %d, stream %d, %s".formatted(address, bytes, stream, small));
  }

  @Override
  public void segmentFreed(long address, long bytes, int stream, boolean small) {
    lines.add("segment at %x goes: %d, stream %d, %s".formatted(address, bytes, stream, small));
  }

  @Override
  public void streamsSynchronized() {
    lines.add("synchronized");
  }

  @Override
  public void allocationRetried() {
    lines.add("retry");
  }

  @Override
  public void outOfMemory(OutOfMemory failure) {
    lines.add(
        "failed %d: %d in %d of %d, stream %d"
            .formatted(
                failure.allocation(),
                failure.requestedBytes(),
                failure.roundedBytes(),
                failure.segmentBytes(),
                failure.stream()));
  }
}
