package example.exactcache;

import org.allocsim.simulator.policy.PolicyContract;

/** What every policy must do. */
class ExactCacheContractTest extends PolicyContract {
  ExactCacheContractTest() {
    super("exact-cache");
  }

  /** Blocks are never merged. */
  @Override
  protected boolean mergesFreeBlocks() {
    return false;
  }
}
