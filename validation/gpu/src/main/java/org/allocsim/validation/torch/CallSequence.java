package org.allocsim.validation.torch;

import java.util.List;

/**
 * Calls to an allocator on a device of its own.
 *
 * @param id distinguishes the sequence from others of the same run
 * @param kind what it tries, such as {@code expandable}
 * @param confs settings of the allocator: at the start, then those that calls change to
 * @param capacityBytes size of the device
 * @param fraction of the device that the allocator may use; NaN where none is set
 * @param ascendingEvery every n-th segment ascends on the device, 0 for none
 * @param streams number of streams, the default one included
 * @param calls in order
 */
record CallSequence(
    int id,
    String kind,
    List<String> confs,
    long capacityBytes,
    double fraction,
    int ascendingEvery,
    int streams,
    List<AllocatorCall> calls) {
  CallSequence {
    confs = List.copyOf(confs);
    calls = List.copyOf(calls);
  }

  /** The settings at the start. */
  String conf() {
    return confs.getFirst();
  }

  /** Writes the sequence as Python reads it. */
  void appendTo(StringBuilder out) {
    out.append(
        "sequence %d %d %s %d %d %d %s\n"
            .formatted(
                id,
                capacityBytes,
                Double.isNaN(fraction) ? "-" : Double.toString(fraction),
                ascendingEvery,
                streams,
                calls.size(),
                String.join("|", confs)));
    calls.forEach(call -> out.append(call.line()));
  }
}
