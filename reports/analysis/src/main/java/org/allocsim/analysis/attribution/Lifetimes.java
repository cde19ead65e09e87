package org.allocsim.analysis.attribution;

import java.util.Arrays;
import org.allocsim.analysis.attribution.Site.Phase;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.RequestKind;
import org.allocsim.simulator.trace.StackTable;

/**
 * When each allocation of a device is taken and given back, in phases of training: which one that
 * was, how many phases, forward and backward passes and steps of an optimizer had begun by then.
 * Phases follow from stacks, and from PyTorch's marks around steps of an optimizer.
 */
final class Lifetimes {
  /** A row that does not exist. */
  static final int NEVER = -1;

  private static final String STEP = "Optimizer.step";
  private static final String ZERO_GRAD = "Optimizer.zero_grad";
  private static final Phase[] PHASES = Phase.values();

  private final Moments taken;
  private final Moments given;
  private final int[] stacks;
  private final long[] bytes;
  private final int prologueCount;
  private int forwards;
  private int backwards;
  private int steps;
  private int runs;
  private int lastTakenRow = NEVER;
  private Phase last = Phase.SAME;

  /** Columns by allocation. */
  private static final class Moments {
    final int[] rows;
    final byte[] phases;
    final byte[] sites;
    final int[] runs;
    final int[] forwards;
    final int[] backwards;
    final int[] steps;

    Moments(int count) {
      rows = new int[count];
      Arrays.fill(rows, NEVER);
      phases = new byte[count];
      sites = new byte[count];
      runs = new int[count];
      forwards = new int[count];
      backwards = new int[count];
      steps = new int[count];
    }
  }

  /** The lifetimes of what a device allocates. */
  Lifetimes(AllocationTrace trace, int device, Sites sites) {
    int count = trace.allocationCount();
    taken = new Moments(count);
    given = new Moments(count);
    stacks = new int[count];
    bytes = new long[count];
    prologueCount = trace.prologueCount();
    walk(trace, device, sites);
  }

  private void walk(AllocationTrace trace, int device, Sites sites) {
    int root = mainRoot(trace.stacks(), sites);
    Phase phase = Phase.PROGRAM;
    Phase marked = Phase.SAME;
    int run = 0;
    boolean forwardSeen = false;
    for (int row = 0; row < trace.eventCount(); row++) {
      if (trace.device(row) != device) {
        continue;
      }
      RequestKind kind = trace.kind(row);
      if (kind == RequestKind.MARKER_BEGIN || kind == RequestKind.MARKER_END) {
        Phase named = named(trace.markerNameOf(row));
        if (named != Phase.SAME) {
          boolean begins = kind == RequestKind.MARKER_BEGIN;
          steps += begins && named == Phase.OPTIMIZER ? 1 : 0;
          marked = begins ? named : Phase.SAME;
          phase = begins ? named : Phase.PROGRAM;
          run++;
        }
        continue;
      }
      if (kind != RequestKind.ALLOCATE
          && kind != RequestKind.FREE
          && kind != RequestKind.RESTORE_BLOCK) {
        continue;
      }
      int stack = trace.stack(row);
      Site site = sites.of(stack);
      Phase next = row < prologueCount ? Phase.SAME : phase(site, sites, marked);
      if (next == Phase.PROGRAM && root(trace.stacks(), stack) != root) {
        next = Phase.SAME; // a hook that another thread runs
      }
      if (next != Phase.SAME && next != phase) {
        run++;
        backwards += next == Phase.BACKWARD ? 1 : 0;
        phase = next;
      }
      if (phase == Phase.BACKWARD || phase == Phase.OPTIMIZER) {
        forwardSeen = false;
      } else if (phase == Phase.FORWARD && !forwardSeen && kind == RequestKind.ALLOCATE) {
        forwardSeen = true;
        forwards++;
      }
      int allocation = trace.allocation(row);
      Moments moments = kind == RequestKind.FREE ? given : taken;
      moments.rows[allocation] = row;
      moments.phases[allocation] = (byte) phase.ordinal();
      moments.sites[allocation] = (byte) site.ordinal();
      moments.runs[allocation] = run;
      moments.forwards[allocation] = forwardSeen ? forwards : -forwards;
      moments.backwards[allocation] = backwards;
      moments.steps[allocation] = steps;
      if (kind != RequestKind.FREE) {
        lastTakenRow = row;
        stacks[allocation] = stack;
        bytes[allocation] = trace.bytes(row);
      }
    }
    runs = run;
    last = phase;
  }

  private static Phase phase(Site site, Sites sites, Phase marked) {
    if (site != Site.NONE) {
      return site.phase();
    }
    return marked != Phase.SAME ? marked : sites.haveModules() ? Phase.BACKWARD : Phase.SAME;
  }

  private static Phase named(String marker) {
    return marker.startsWith(STEP)
        ? Phase.OPTIMIZER
        : marker.startsWith(ZERO_GRAD) ? Phase.ZERO_GRAD : Phase.SAME;
  }

  /** The outermost frame of the thread that calls modules; −1 where no stack shows it. */
  private static int mainRoot(StackTable table, Sites sites) {
    for (int stack = 1; stack < table.stackCount(); stack++) {
      if (sites.of(stack) == Site.MODULE) {
        return root(table, stack);
      }
    }
    return -1;
  }

  private static int root(StackTable table, int stack) {
    int depth = table.depth(stack);
    return depth == 0 ? -1 : table.frame(stack, depth - 1).hashCode();
  }

  /** Whether the trace shows an allocation of this device. */
  boolean isKnown(int allocation) {
    return taken.rows[allocation] != NEVER;
  }

  /** Whether it existed before the recording. */
  boolean isBefore(int allocation) {
    return taken.rows[allocation] < prologueCount;
  }

  int stack(int allocation) {
    return stacks[allocation];
  }

  long bytes(int allocation) {
    return bytes[allocation];
  }

  Phase takenIn(int allocation) {
    return PHASES[taken.phases[allocation]];
  }

  /** The phase that gave it back; {@link Phase#SAME} where none did. */
  Phase givenIn(int allocation) {
    return isGiven(allocation) ? PHASES[given.phases[allocation]] : Phase.SAME;
  }

  Site givenAt(int allocation) {
    return Site.values()[given.sites[allocation]];
  }

  boolean isGiven(int allocation) {
    return given.rows[allocation] != NEVER;
  }

  /** Whether it is held until nothing more is asked for. */
  boolean isKept(int allocation) {
    return !isGiven(allocation) || given.rows[allocation] > lastTakenRow;
  }

  int takenRow(int allocation) {
    return taken.rows[allocation];
  }

  int givenRow(int allocation) {
    return given.rows[allocation];
  }

  /** Whether it is given back in the phase that took it. */
  boolean staysInPhase(int allocation) {
    return isGiven(allocation) && given.runs[allocation] == taken.runs[allocation];
  }

  /** Whether the phase that took it has ended while it is held. */
  boolean outlivesPhase(int allocation) {
    return (isGiven(allocation) ? given.runs[allocation] : runs) > taken.runs[allocation];
  }

  /** Whether the recording ends inside a backward pass. */
  boolean endsInBackward() {
    return last == Phase.BACKWARD;
  }

  /** How many backward passes begin while it is held; to the end where it is not given back. */
  int backwardsHeld(int allocation) {
    int end = isGiven(allocation) ? given.backwards[allocation] : backwards;
    return end - taken.backwards[allocation];
  }

  /** Whether it is taken after a step and before the next forward pass, and held into that. */
  boolean awaitsForward(int allocation) {
    int before = taken.forwards[allocation];
    int end = isGiven(allocation) ? Math.abs(given.forwards[allocation]) : forwards;
    return before <= 0 && end > -before;
  }

  /** Steps of an optimizer that had begun. */
  int stepsTaken(int allocation) {
    return taken.steps[allocation];
  }

  /** Steps of an optimizer that had begun when it is given back. */
  int stepsGiven(int allocation) {
    return isGiven(allocation) ? given.steps[allocation] : steps;
  }

  int steps() {
    return steps;
  }

  int backwards() {
    return backwards;
  }

  int count() {
    return stacks.length;
  }
}
