package org.allocsim.workloads.program.catalog;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.allocsim.workloads.program.ProgramOption;
import org.allocsim.workloads.program.ProgramValues;
import org.allocsim.workloads.program.torch.memory.Device;

/** What programs have in common. */
final class Options {
  private static final String HOST_NANOS = "host-nanos-per-kernel";

  private Options() {}

  /** A program's own options and those that all have. */
  static List<ProgramOption> with(ProgramOption... own) {
    List<ProgramOption> all = new ArrayList<>(Arrays.asList(own));
    all.add(
        new ProgramOption(
            HOST_NANOS,
            Long.toString(Device.HOST_NANOS_PER_KERNEL),
            "host time of PyTorch per kernel, in addition to its launch, in ns; 0: none"));
    return List.copyOf(all);
  }

  /** The options of a training: where batches come from and when it is evaluated. */
  static List<ProgramOption> ofTraining(ProgramOption... own) {
    List<ProgramOption> all = new ArrayList<>(Arrays.asList(own));
    all.addAll(Batches.options());
    all.addAll(Evaluation.options());
    return with(all.toArray(new ProgramOption[0]));
  }

  /** The device on which a program runs. */
  static Device device(ProgramValues values) {
    return new Device(values.number(HOST_NANOS, 0));
  }
}
