package org.allocsim.simulator.device.span;

import org.allocsim.simulator.order.AddressOrder;
import org.allocsim.simulator.order.BlockRows;
import org.allocsim.simulator.order.SizeOrderedRows;

/** Spans in trees: every operation takes time logarithmic in their number. */
public final class ManySpans extends BlockRows implements SpanStore {
  private final AddressOrder byAddress = new AddressOrder();
  private final SizeOrderedRows bySize = new SizeOrderedRows(this);

  @Override
  public int count() {
    return byAddress.size();
  }

  @Override
  public long start(int span) {
    return address(span);
  }

  @Override
  public long end(int span) {
    return address(span) + bytes(span);
  }

  @Override
  public int floor(long address) {
    return byAddress.floor(address);
  }

  @Override
  public int above(int span) {
    return span == SpanStore.NONE
        ? byAddress.lowest(Long.MIN_VALUE)
        : byAddress.lowestFrom(address(span) + 1, Long.MIN_VALUE);
  }

  @Override
  public int bestFit(long bytes) {
    return bySize.ceiling(bytes, 0);
  }

  @Override
  public int firstFit(long bytes) {
    return byAddress.lowest(bytes);
  }

  @Override
  public long largestBytes() {
    return bytes(bySize.last());
  }

  @Override
  public void add(long start, long end) {
    int span = newRow();
    place(span, start, end - start);
    byAddress.add(span, start, end - start);
    bySize.add(span);
  }

  @Override
  public void change(int span, long start, long end) {
    bySize.remove(span);
    place(span, start, end - start);
    bySize.add(span);
    byAddress.resize(span, start, end - start);
  }

  @Override
  public void remove(int span) {
    bySize.remove(span);
    byAddress.remove(span);
    recycle(span);
  }

  @Override
  public void clear() {
    while (count() > 0) {
      remove(bySize.last());
    }
  }
}
