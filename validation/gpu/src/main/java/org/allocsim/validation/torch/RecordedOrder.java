package org.allocsim.validation.torch;

import java.util.HashMap;
import java.util.Map;
import java.util.function.IntSupplier;
import org.allocsim.simulator.effect.EffectKind;
import org.allocsim.simulator.effect.EffectLog;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.LayoutVisitor;
import org.allocsim.simulator.trace.PoolId;

/** Shows an allocator uses that ended at the same moment in the order of the recorded frees. */
final class RecordedOrder implements AllocatorPolicy {
  private final AllocatorPolicy allocator;
  private final EffectLog recorded;
  private final IntSupplier nextRow;
  private final Map<Integer, Long> addresses = new HashMap<>();

  /**
   * An allocator that keeps this order.
   *
   * @param nextRow the recorded row that comes next
   */
  RecordedOrder(AllocatorPolicy allocator, EffectLog recorded, IntSupplier nextRow) {
    this.allocator = allocator;
    this.recorded = recorded;
    this.nextRow = nextRow;
  }

  @Override
  public long allocate(int allocation, long requestedBytes, int stream, int pool) {
    long address = allocator.allocate(allocation, requestedBytes, stream, pool);
    addresses.put(allocation, address);
    return address;
  }

  @Override
  public void free(int allocation) {
    allocator.free(allocation);
  }

  @Override
  public void useStream(int allocation, int stream, long completionRank) {
    long address = addresses.getOrDefault(allocation, OUT_OF_MEMORY);
    int row = nextRow.getAsInt();
    while (row < recorded.count()
        && (recorded.kind(row) != EffectKind.FREE_COMPLETED || recorded.address(row) != address)) {
      row++;
    }
    allocator.useStream(allocation, stream, row);
  }

  @Override
  public void useComplete(int allocation, int stream) {
    allocator.useComplete(allocation, stream);
  }

  @Override
  public void synchronize() {
    allocator.synchronize();
  }

  @Override
  public void synchronizeStream(int stream) {
    allocator.synchronizeStream(stream);
  }

  @Override
  public void emptyCache() {
    allocator.emptyCache();
  }

  @Override
  public void releasePool(int pool, PoolId id) {
    allocator.releasePool(pool, id);
  }

  @Override
  public void emptyPool(int pool) {
    allocator.emptyPool(pool);
  }

  @Override
  public void describeLayout(LayoutVisitor visitor) {
    allocator.describeLayout(visitor);
  }
}
