package org.allocsim.workloads.program.parallel;

import org.allocsim.workloads.program.model.Block;

/** A block that is split among ranks. */
interface SplitBlock extends Block {
  /** {@code parallelize_module}: each rank gets its part of each weight; the whole ones go. */
  void split();
}
