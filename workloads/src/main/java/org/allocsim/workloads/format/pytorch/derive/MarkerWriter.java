package org.allocsim.workloads.format.pytorch.derive;

import java.util.Comparator;
import java.util.List;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.StackTable;
import org.allocsim.workloads.format.pytorch.metadata.Annotation;

/** Writes a device's annotations as markers between its requests, by time. */
final class MarkerWriter {
  private final AllocationTrace.Builder trace;
  private final List<Annotation> annotations;
  private final int device;
  private int next;

  MarkerWriter(AllocationTrace.Builder trace, List<Annotation> annotations, int device) {
    this.trace = trace;
    this.device = device;
    this.annotations =
        annotations.stream()
            .filter(annotation -> annotation.device() == device)
            .sorted(Comparator.comparingLong(Annotation::timeNanos))
            .toList();
  }

  /** Writes the annotations up to a time. */
  void writeUpTo(long timeNanos) {
    while (next < annotations.size() && annotations.get(next).timeNanos() <= timeNanos) {
      write(annotations.get(next++));
    }
  }

  /** Writes the annotations that are left. */
  void writeRest() {
    writeUpTo(Long.MAX_VALUE);
  }

  private void write(Annotation annotation) {
    trace.at(device, annotation.timeNanos(), StackTable.NONE);
    if (annotation.stage() == Annotation.Stage.START) {
      trace.markerBegin(annotation.name());
    } else {
      trace.markerEnd(annotation.name());
    }
  }
}
