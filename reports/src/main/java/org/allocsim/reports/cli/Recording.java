package org.allocsim.reports.cli;

import java.util.List;
import java.util.Map;
import org.allocsim.simulator.effect.EffectLog;
import org.allocsim.simulator.policy.MemoryLayout;
import org.allocsim.simulator.trace.AllocationTrace;

/** A trace file after reading. */
interface Recording {
  String sha256();

  AllocationTrace trace();

  String conf();

  Map<String, Object> settings();

  EffectLog effects(int device);

  MemoryLayout start(int device);

  List<String> inferences(int device);

  List<String> notes();
}
