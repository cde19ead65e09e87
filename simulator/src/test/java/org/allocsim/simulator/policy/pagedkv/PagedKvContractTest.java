package org.allocsim.simulator.policy.pagedkv;

import java.util.Map;
import org.allocsim.simulator.policy.PolicyContract;
import org.allocsim.simulator.policy.PolicyTraits.InactiveSplits;

class PagedKvContractTest extends PolicyContract {
  PagedKvContractTest() {
    super("paged-kv");
  }

  /** 16 GiB in blocks of 16 MiB: by default the cache grows with the device. */
  @Override
  protected Map<String, String> options() {
    return Map.of("token-bytes", "1MiB", "num-blocks", "1024");
  }

  /** Blocks of the cache are shown one by one; they are units, never merged. */
  @Override
  protected boolean mergesFreeBlocks() {
    return false;
  }

  /** An allocation is spread over blocks. */
  @Override
  protected boolean spansBlocks() {
    return true;
  }

  /** The cache is obtained once and kept. */
  @Override
  protected long reservedBytesWhenEmptied(long peakReservedBytes) {
    return peakReservedBytes;
  }

  /** The empty parts of blocks in use count, once for each block. */
  @Override
  protected InactiveSplits inactiveSplits() {
    return InactiveSplits.OWN_NOTION;
  }
}
