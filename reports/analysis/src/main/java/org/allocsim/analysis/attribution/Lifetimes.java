package org.allocsim.analysis.attribution;

import java.util.Arrays;
import org.allocsim.analysis.attribution.Site.Phase;
import org.allocsim.simulator.column.IntColumn;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.RequestKind;
import org.allocsim.simulator.trace.StackTable;

/**
 * When each allocation of a device is made and freed, in phases of training: which phase it was,
 * and how many phases, forward and backward passes and optimizer steps had begun by then. Phases
 * follow from stacks, and from PyTorch's marks around steps of an optimizer.
 */
final class Lifetimes {
  /** A row that does not exist. */
  static final int NEVER = -1;

  private static final String STEP = "Optimizer.step";
  private static final String ZERO_GRAD = "Optimizer.zero_grad";
  private static final Phase[] PHASES = Phase.values();

  private final Stretches stretches = new Stretches();
  private final AllocationTrace trace;
  private final Sites sites;
  private final Moments taken;
  private final Moments given;
  private final boolean freesHaveStacks;
  private int forwards;
  private int backwards;
  private int steps;
  private int runs;
  private int lastTakenRow = NEVER;
  private Phase last = Phase.SAME;

  /** Columns by allocation. */
  private static final class Moments {
    final int[] rows;
    final int[] stretches;

    Moments(int count) {
      rows = new int[count];
      Arrays.fill(rows, NEVER);
      stretches = new int[count];
    }
  }

  /**
   * Stretches of rows between which nothing changes that is counted; columns by stretch. The first
   * one is that of allocations that the trace does not show.
   */
  private static final class Stretches {
    final IntColumn phases = new IntColumn();
    final IntColumn runs = new IntColumn();
    final IntColumn forwards = new IntColumn();
    final IntColumn backwards = new IntColumn();
    final IntColumn steps = new IntColumn();

    Stretches() {
      add(0, 0, 0, 0, 0);
    }

    /** The stretch of these figures: the last one, or a new one where they differ from its. */
    int of(Phase phase, int run, int forward, int backward, int step) {
      int last = runs.count() - 1;
      if (last > 0
          && phases.get(last) == phase.ordinal()
          && runs.get(last) == run
          && forwards.get(last) == forward
          && backwards.get(last) == backward
          && steps.get(last) == step) {
        return last;
      }
      add(phase.ordinal(), run, forward, backward, step);
      return last + 1;
    }

    private void add(int phase, int run, int forward, int backward, int step) {
      phases.add(phase);
      runs.add(run);
      forwards.add(forward);
      backwards.add(backward);
      steps.add(step);
    }
  }

  /** The lifetimes of what a device allocates. */
  Lifetimes(AllocationTrace trace, int device, Sites sites) {
    this.trace = trace;
    this.sites = sites;
    taken = new Moments(trace.allocationCount());
    given = new Moments(trace.allocationCount());
    freesHaveStacks = freesHaveStacks(trace, device);
    walk(device);
  }

  /**
   * Whether frees have stacks of their own. PyTorch records a free with the stack of its allocation
   * where it was told to collect none for frees ({@code context="alloc"}; CUDACachingAllocator.cpp
   * of PyTorch 2.1 to 2.14), which says nothing of when it happens.
   */
  private static boolean freesHaveStacks(AllocationTrace trace, int device) {
    int[] takenAt = new int[trace.allocationCount()];
    boolean isAnyKnown = false;
    for (int row = 0; row < trace.eventCount(); row++) {
      if (trace.device(row) != device) {
        continue;
      }
      RequestKind kind = trace.kind(row);
      if (kind == RequestKind.ALLOCATE) {
        takenAt[trace.allocation(row)] = trace.stack(row);
      } else if (kind == RequestKind.FREE && takenAt[trace.allocation(row)] != 0) {
        if (trace.stack(row) != takenAt[trace.allocation(row)]) {
          return true;
        }
        isAnyKnown = true;
      }
    }
    return !isAnyKnown;
  }

  private void walk(int device) {
    int[] roots = roots(trace.stacks());
    int root = mainRoot(roots, sites);
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
      boolean showsPhase =
          row >= trace.prologueCount() && (freesHaveStacks || kind != RequestKind.FREE);
      Phase next = showsPhase ? phase(site, sites, marked) : Phase.SAME;
      if (next == Phase.PROGRAM && roots[stack] != root) {
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
      moments.stretches[allocation] =
          stretches.of(phase, run, forwardSeen ? forwards : -forwards, backwards, steps);
      if (kind != RequestKind.FREE) {
        lastTakenRow = row;
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
  private static int mainRoot(int[] roots, Sites sites) {
    for (int stack = 1; stack < roots.length; stack++) {
      if (sites.of(stack) == Site.MODULE) {
        return roots[stack];
      }
    }
    return -1;
  }

  /** The outermost frame of each stack. */
  private static int[] roots(StackTable table) {
    int[] roots = new int[table.stackCount()];
    for (int stack = 0; stack < roots.length; stack++) {
      int depth = table.depth(stack);
      roots[stack] = depth == 0 ? -1 : table.frame(stack, depth - 1).hashCode();
    }
    return roots;
  }

  /** Whether the trace shows an allocation of this device. */
  boolean isKnown(int allocation) {
    return taken.rows[allocation] != NEVER;
  }

  /** Whether it existed before the recording. */
  boolean isBefore(int allocation) {
    return taken.rows[allocation] < trace.prologueCount();
  }

  /** Stack of an allocation that is known. */
  int stack(int allocation) {
    return trace.stack(taken.rows[allocation]);
  }

  /** What an allocation that is known asked for. */
  long bytes(int allocation) {
    return trace.bytes(taken.rows[allocation]);
  }

  Phase takenIn(int allocation) {
    return PHASES[stretches.phases.get(taken.stretches[allocation])];
  }

  /** The phase that gave it back; {@link Phase#SAME} where none did. */
  Phase givenIn(int allocation) {
    return isGiven(allocation)
        ? PHASES[stretches.phases.get(given.stretches[allocation])]
        : Phase.SAME;
  }

  /** Where it was given back; {@link Site#NONE} where it was not. */
  Site givenAt(int allocation) {
    return isGiven(allocation) && freesHaveStacks
        ? sites.of(trace.stack(given.rows[allocation]))
        : Site.NONE;
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
    return isGiven(allocation)
        && stretches.runs.get(given.stretches[allocation])
            == stretches.runs.get(taken.stretches[allocation]);
  }

  /** Whether the phase that took it has ended while it is held. */
  boolean outlivesPhase(int allocation) {
    return (isGiven(allocation) ? stretches.runs.get(given.stretches[allocation]) : runs)
        > stretches.runs.get(taken.stretches[allocation]);
  }

  /** Whether the recording ends inside a backward pass. */
  boolean endsInBackward() {
    return last == Phase.BACKWARD;
  }

  /** How many backward passes begin while it is held; to the end where it is not given back. */
  int backwardsHeld(int allocation) {
    int end =
        isGiven(allocation) ? stretches.backwards.get(given.stretches[allocation]) : backwards;
    return end - stretches.backwards.get(taken.stretches[allocation]);
  }

  /** Whether it is taken after a step and before the next forward pass, and held into that. */
  boolean awaitsForward(int allocation) {
    int before = stretches.forwards.get(taken.stretches[allocation]);
    int end =
        isGiven(allocation)
            ? Math.abs(stretches.forwards.get(given.stretches[allocation]))
            : forwards;
    return before <= 0 && end > -before;
  }

  /** Steps of an optimizer that had begun. */
  int stepsTaken(int allocation) {
    return stretches.steps.get(taken.stretches[allocation]);
  }

  /** Steps of an optimizer that had begun when it is given back. */
  int stepsGiven(int allocation) {
    return isGiven(allocation) ? stretches.steps.get(given.stretches[allocation]) : steps;
  }

  int steps() {
    return steps;
  }

  int backwards() {
    return backwards;
  }

  int count() {
    return taken.rows.length;
  }
}
