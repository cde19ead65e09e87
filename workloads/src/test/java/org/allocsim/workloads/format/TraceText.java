package org.allocsim.workloads.format;

import java.util.HashMap;
import java.util.Map;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.RequestKind;
import org.allocsim.simulator.trace.StackTable;

/** The rows of one device of a trace as text that does not depend on how things are numbered. */
public final class TraceText {
  private TraceText() {}

  /** One line a row; allocation ids count up in order of the rows. */
  public static String of(AllocationTrace trace, int device) {
    StringBuilder text = new StringBuilder();
    Map<Integer, Integer> ids = new HashMap<>();
    for (int event = 0; event < trace.eventCount(); event++) {
      if (event == trace.prologueCount()) {
        text.append("--\n");
      }
      if (trace.device(event) == device) {
        text.append(row(trace, event, ids)).append('\n');
      }
    }
    return text.toString();
  }

  private static String row(AllocationTrace trace, int event, Map<Integer, Integer> ids) {
    RequestKind kind = trace.kind(event);
    String subject =
        switch (kind) {
          case MARKER_BEGIN, MARKER_END -> trace.markerNameOf(event);
          case CHANGE_SETTINGS -> trace.settings(event);
          case ALLOCATE, FREE, USE_STREAM, USE_COMPLETE, RESTORE_BLOCK ->
              "" + ids.computeIfAbsent(trace.allocation(event), _ -> ids.size());
          case LAUNCH -> trace.workOf(event).toString();
          case LOAD_BATCH -> trace.loader(trace.loaderNumber(event)).toString();
          default -> kind.isWork() ? "" + trace.allocation(event) : "";
        };
    boolean hasStream =
        switch (kind) {
          case ALLOCATE,
              FREE,
              USE_STREAM,
              USE_COMPLETE,
              RESTORE_BLOCK,
              SYNCHRONIZE_STREAM,
              LAUNCH,
              RECORD_EVENT,
              WAIT_EVENT,
              HOST_USE_STREAM ->
              true;
          default -> false;
        };
    String stream =
        !hasStream
            ? ""
            : trace.stream(event) < 0
                ? "?"
                : Long.toHexString(trace.streamHandle(trace.stream(event)));
    String anchor =
        kind == RequestKind.RESTORE_BLOCK
            ? " " + ids.get(trace.anchor(event)) + "+" + trace.anchorOffsetBytes(event)
            : "";
    StringBuilder stack = new StringBuilder();
    StackTable stacks = trace.stacks();
    for (int depth = 0; depth < stacks.depth(trace.stack(event)); depth++) {
      stack.append(' ').append(stacks.frame(trace.stack(event), depth));
    }
    return kind
        + " "
        + subject
        + " "
        + trace.bytes(event)
        + " "
        + stream
        + " "
        + trace.poolId(trace.pool(event))
        + " "
        + trace.timeNanos(event)
        + anchor
        + stack;
  }
}
