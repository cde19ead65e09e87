package org.allocsim.analysis.fleet;

import org.allocsim.analysis.fleet.sweep.SweepColumn;
import org.allocsim.analysis.fleet.sweep.SweepRow;
import org.allocsim.analysis.program.Program;

/**
 * An allocator under settings.
 *
 * @param policy its id
 * @param conf settings of policy pytorch
 * @param options other options
 */
public record FleetChoice(String policy, String conf, String options) {
  static FleetChoice of(SweepRow row) {
    return new FleetChoice(
        row.text(SweepColumn.POLICY), row.text(SweepColumn.CONF), row.text(SweepColumn.OPTIONS));
  }

  /** Whether it is a setting of PyTorch's allocator, which a program can be given. */
  public boolean isSetting() {
    return policy.equals(Program.PYTORCH);
  }

  /** As tables name it. */
  public String label() {
    if (isSetting()) {
      return (conf.isEmpty() ? "(default)" : conf) + (options.isEmpty() ? "" : ";" + options);
    }
    return options.isEmpty() ? policy : policy + "(" + options + ")";
  }
}
