package org.allocsim.workloads.format.pytorch.derive;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.allocsim.simulator.effect.EffectKind;
import org.allocsim.simulator.effect.EffectLog;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.workloads.format.pytorch.metadata.RecordedFacts;

/**
 * Calls that leave no entry in a history, where {@code allocsim record} took them down, and the
 * rows before which they came. A call is placed by the counts of entries between it and the end of
 * the history, which hold for what was lost at the start, too. Rows that nobody counts, such as
 * releases, come after a call: they are its own, or of the request that came next.
 */
final class RecordedCalls {
  /** Nothing was taken down. */
  static final RecordedCalls UNKNOWN = new RecordedCalls(false);

  private final boolean known;
  private final List<RecordedFacts.Call> calls = new ArrayList<>();
  private final List<Integer> rows = new ArrayList<>();

  /** By first row, the pool that requests go to from there. */
  private final NavigableMap<Integer, PoolId> poolFrom = new TreeMap<>();

  private RecordedCalls(boolean known) {
    this.known = known;
  }

  /** The calls of a device in its history. */
  static RecordedCalls of(RecordedFacts.Device facts, EffectLog effects) {
    RecordedCalls recorded = new RecordedCalls(true);
    Cursor cursor = new Cursor(effects);
    for (RecordedFacts.Call call : facts.calls().reversed()) {
      boolean isIn = cursor.goTo(facts.end(), call.position());
      // What changed before the first entry that is left holds there.
      if (isIn || call.changesAllocator()) {
        recorded.calls.addFirst(call);
        recorded.rows.addFirst(cursor.row);
      }
    }
    recorded.findPools();
    return recorded;
  }

  /** Goes backwards through a history and counts. */
  private static final class Cursor {
    private final EffectLog effects;
    private final long[] after = new long[4];
    private int row;

    Cursor(EffectLog effects) {
      this.effects = effects;
      row = effects.count();
    }

    /** Goes to the first row after a position; false where the history has no such place. */
    boolean goTo(RecordedFacts.Position end, RecordedFacts.Position position) {
      long[] wanted = {
        end.allocations() - position.allocations(),
        end.frees() - position.frees(),
        end.completions() - position.completions(),
        end.failures() - position.failures()
      };
      while (row > 0 && (isShort(wanted) || counted(row - 1) < 0)) {
        row--;
        int kind = counted(row);
        if (kind >= 0) {
          after[kind]++;
        }
      }
      return Arrays.equals(after, wanted);
    }

    private boolean isShort(long[] wanted) {
      for (int kind = 0; kind < after.length; kind++) {
        if (after[kind] < wanted[kind]) {
          return true;
        }
      }
      return false;
    }

    /** Which count a row belongs to; −1 where none. */
    private int counted(int row) {
      return switch (effects.kind(row)) {
        case ALLOC -> 0;
        case FREE_REQUESTED -> 1;
        case FREE_COMPLETED -> 2;
        case OOM -> 3;
        case SEGMENT_ALLOC, SEGMENT_FREE, SEGMENT_MAP, SEGMENT_UNMAP, SNAPSHOT -> -1;
      };
    }
  }

  private void findPools() {
    List<PoolId> open = new ArrayList<>();
    for (int i = 0; i < calls.size(); i++) {
      RecordedFacts.Call call = calls.get(i);
      switch (call.kind()) {
        case BEGIN_POOL -> open.addLast(call.pool());
        case END_POOL -> open.remove(call.pool());
        case EMPTY_CACHE, EMPTY_POOL, RELEASE_POOL, CHANGE_SETTINGS, CHANGE_LIMIT -> {
          continue;
        }
      }
      poolFrom.put(rows.get(i), open.isEmpty() ? PoolId.DEFAULT : open.getLast());
    }
  }

  /** Whether calls were recorded, so that none need be inferred. */
  boolean areKnown() {
    return known;
  }

  /** Whether some change settings or limit. */
  boolean changeAllocator() {
    return calls.stream().anyMatch(RecordedFacts.Call::changesAllocator);
  }

  /** How many calls there are. */
  int count() {
    return calls.size();
  }

  /** The i-th call. */
  RecordedFacts.Call call(int i) {
    return calls.get(i);
  }

  /** The row before which the i-th call came; the number of rows where it came after all. */
  int row(int i) {
    return rows.get(i);
  }

  /** The pool that requests went to at a row, on the thread or stream that had begun to use it. */
  PoolId poolAt(int row) {
    Map.Entry<Integer, PoolId> entry = poolFrom.floorEntry(row);
    return entry == null ? PoolId.DEFAULT : entry.getValue();
  }

  /**
   * The private pools of segments, by the rows that obtained them: a segment belongs to the pool
   * that its first request went to.
   *
   * @param pages names segments of several rows
   */
  Map<Integer, PoolId> poolsOfSegments(EffectLog effects, PageRanges pages) {
    Map<Integer, PoolId> found = new HashMap<>();
    if (poolFrom.isEmpty()) {
      return found;
    }
    NavigableMap<Long, Integer> unused = new TreeMap<>(Long::compareUnsigned);
    for (int row = 0; row < effects.count(); row++) {
      long address = effects.address(row);
      EffectKind kind = effects.kind(row);
      if (kind == EffectKind.SEGMENT_ALLOC) {
        unused.put(address, row);
      } else if (kind == EffectKind.SEGMENT_MAP && pages.segmentOf(row) == row) {
        unused.put(address, row);
      } else if (kind == EffectKind.ALLOC && !unused.isEmpty()) {
        // What was obtained right before a request was obtained for it.
        Map.Entry<Long, Integer> segment = unused.floorEntry(address);
        PoolId pool = poolAt(row);
        if (segment != null && !pool.isDefault()) {
          found.put(segment.getValue(), pool);
        }
        unused.clear();
      }
    }
    return found;
  }
}
