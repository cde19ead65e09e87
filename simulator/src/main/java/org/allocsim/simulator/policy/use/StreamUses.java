package org.allocsim.simulator.policy.use;

import java.util.Arrays;
import java.util.function.IntConsumer;
import org.allocsim.simulator.trace.AllocationTrace;

/**
 * Uses of blocks on streams other than their own. From the use to the free they only mark the
 * block; at the free each becomes an outstanding event, and the block is reusable when all its
 * events have been seen. Whatever is used is called the owner of its uses, and is known by a
 * number.
 *
 * <p>PyTorch asks the streams in the order of a hash map, each for its oldest event. Here the order
 * is that of the completion ranks, which a recording determines, then that of the frees; for an
 * event after others of the same stream these are seen first (head of line). A use on an unknown
 * stream waits for no other.
 */
public final class StreamUses {
  /** No owner. */
  public static final int NONE = -1;

  /** The events of all groups. */
  public static final int ALL_GROUPS = -1;

  private static final int FIRST_CAPACITY = 16;

  /** A use that is not an event yet. */
  private static final long NO_ORDER = -1;

  /** The one list of {@link #unfinished} and of {@link #events}. */
  private static final int ALL = 0;

  // Columns of uses.
  private int[] owner = new int[FIRST_CAPACITY];
  private int[] stream = new int[FIRST_CAPACITY];
  private long[] rank = new long[FIRST_CAPACITY];
  private long[] order = new long[FIRST_CAPACITY];
  private boolean[] complete = new boolean[FIRST_CAPACITY];
  private int[] group = new int[FIRST_CAPACITY];
  private final SpareRows spare = new SpareRows();

  private final UseIndex index = new UseIndex();

  /** The uses of each owner by age, and those of them that have not finished. */
  private final RowLists usesOfOwner = new RowLists();

  private final RowLists unfinishedOfOwner = new RowLists();
  private final RowLists unfinished = new RowLists();

  /** Outstanding events by age: all, of each group of owners, of each known stream. */
  private final RowLists events = new RowLists();

  private final RowLists eventsOfGroup = new RowLists();
  private final RowLists eventsOfStream = new RowLists();

  /** By stream: its oldest event that has not finished, or {@link #NONE}. */
  private int[] firstUnfinished = new int[0];

  /** Finished events that are behind no unfinished one of their stream. */
  private final RankedRows ready = new RankedRows();

  private final RankedRows waitedFor = new RankedRows();
  private long nextOrder;
  private int completeEvents;

  /** No uses. */
  public StreamUses() {}

  /**
   * Marks an owner as used on a stream; a stream that is already marked is marked anew.
   *
   * @param itsOwner number of the owner, at least 0
   * @param itsGroup group of the owner, at least 0
   * @param isFreed whether the owner was given back already: the use is an outstanding event at
   *     once
   * @param usingStream number of the stream, or {@link AllocationTrace#UNKNOWN_STREAM}
   * @param itsRank place among all uses in the order in which they finish
   */
  public void add(int itsOwner, int itsGroup, boolean isFreed, int usingStream, long itsRank) {
    int use = index.find(itsOwner, usingStream);
    if (use == UseIndex.NONE) {
      use = newUse(itsOwner, itsGroup, usingStream);
    } else if (order[use] != NO_ORDER) {
      removeEvent(use);
    }
    rank[use] = itsRank;
    setUnfinished(use);
    if (isFreed) {
      addEvent(use);
    }
  }

  /** Whether an owner has uses that were not seen. */
  public boolean has(int itsOwner) {
    return usesOfOwner.first(itsOwner) != NONE;
  }

  /** Turns the marks of an owner that is given back into outstanding events. */
  public void free(int itsOwner) {
    for (int use = usesOfOwner.first(itsOwner); use != NONE; use = usesOfOwner.after(use)) {
      addEvent(use);
    }
  }

  /** Rank of an owner's newest use, or {@link Long#MAX_VALUE} where it has none. */
  long rank(int itsOwner) {
    long newest = Long.MAX_VALUE;
    for (int use = usesOfOwner.first(itsOwner); use != NONE; use = usesOfOwner.after(use)) {
      newest = rank[use];
    }
    return newest;
  }

  /** Forgets a use of an owner that is not given back. */
  void forget(int itsOwner, int usingStream) {
    int use = index.find(itsOwner, usingStream);
    if (use != UseIndex.NONE) {
      removeUse(use);
    }
  }

  /** Forgets an owner, its uses and its events. */
  public void forget(int itsOwner) {
    for (int use = usesOfOwner.first(itsOwner); use != NONE; use = usesOfOwner.first(itsOwner)) {
      if (order[use] != NO_ORDER) {
        removeEvent(use);
      }
      removeUse(use);
    }
  }

  /**
   * The device has finished an owner's use on a stream, or all its uses on {@link
   * AllocationTrace#ANY_STREAM}.
   */
  public void complete(int itsOwner, int usingStream) {
    if (usingStream != AllocationTrace.ANY_STREAM) {
      int use = index.find(itsOwner, usingStream);
      if (use != UseIndex.NONE && !complete[use]) {
        setFinished(use);
      }
      return;
    }
    for (int use = unfinishedOfOwner.first(itsOwner);
        use != NONE;
        use = unfinishedOfOwner.first(itsOwner)) {
      setFinished(use);
    }
  }

  /** The device has finished all uses. */
  public void completeAll() {
    for (int use = unfinished.first(ALL); use != NONE; use = unfinished.first(ALL)) {
      setFinished(use);
    }
  }

  /** Whether any outstanding event has finished. */
  public boolean anyFinished() {
    return completeEvents > 0;
  }

  /**
   * Sees finished events until one is the last of its owner.
   *
   * @return the owner, which became reusable, or {@link #NONE}
   */
  public int pollFinished() {
    while (!ready.isEmpty()) {
      int best = ready.lowest();
      int known = stream[best];
      int head = known == AllocationTrace.UNKNOWN_STREAM ? best : eventsOfStream.first(known);
      int reusable = see(head);
      if (reusable != NONE) {
        return reusable;
      }
    }
    return NONE;
  }

  /**
   * Waits for outstanding events in the order of their ranks.
   *
   * @param ofGroup whose events, or {@link #ALL_GROUPS}
   * @param whenReusable is given each owner that became reusable; it adds and frees nothing here
   */
  public void synchronize(int ofGroup, IntConsumer whenReusable) {
    RowLists lists = ofGroup == ALL_GROUPS ? events : eventsOfGroup;
    int list = ofGroup == ALL_GROUPS ? ALL : ofGroup;
    for (int use = lists.first(list); use != NONE; use = lists.after(use)) {
      waitedFor.add(use, rank[use], order[use]);
    }
    while (!waitedFor.isEmpty()) {
      int use = waitedFor.lowest();
      waitedFor.remove(use);
      int reusable = see(use);
      if (reusable != NONE) {
        whenReusable.accept(reusable);
      }
    }
  }

  /**
   * Takes an event away; returns its owner if that was the owner's last use, else {@link #NONE}.
   */
  private int see(int use) {
    int itsOwner = owner[use];
    removeEvent(use);
    removeUse(use);
    return has(itsOwner) ? NONE : itsOwner;
  }

  private void addEvent(int use) {
    order[use] = nextOrder++;
    events.append(ALL, use);
    eventsOfGroup.append(group[use], use);
    if (complete[use]) {
      completeEvents++;
    }
    int known = stream[use];
    if (known == AllocationTrace.UNKNOWN_STREAM) {
      if (complete[use]) {
        ready.add(use, rank[use], order[use]);
      }
      return;
    }
    eventsOfStream.append(known, use);
    if (known >= firstUnfinished.length) {
      int streams = firstUnfinished.length;
      firstUnfinished =
          Arrays.copyOf(
              firstUnfinished, Math.max(known + 1, Math.max(FIRST_CAPACITY, 2 * streams)));
      Arrays.fill(firstUnfinished, streams, firstUnfinished.length, NONE);
    }
    if (firstUnfinished[known] == NONE) {
      firstUnfinished[known] = use;
      makeReadyFrom(known);
    }
  }

  private void removeEvent(int use) {
    if (complete[use]) {
      completeEvents--;
    }
    if (ready.contains(use)) {
      ready.remove(use);
    }
    events.remove(ALL, use);
    eventsOfGroup.remove(group[use], use);
    int known = stream[use];
    if (known != AllocationTrace.UNKNOWN_STREAM) {
      boolean wasFirst = firstUnfinished[known] == use;
      if (wasFirst) {
        firstUnfinished[known] = eventsOfStream.after(use);
      }
      eventsOfStream.remove(known, use);
      if (wasFirst) {
        makeReadyFrom(known);
      }
    }
    order[use] = NO_ORDER;
  }

  /** Makes ready what has finished from the first event on that was not. */
  private void makeReadyFrom(int known) {
    int use = firstUnfinished[known];
    while (use != NONE && complete[use]) {
      ready.add(use, rank[use], order[use]);
      use = eventsOfStream.after(use);
    }
    firstUnfinished[known] = use;
  }

  private void setUnfinished(int use) {
    if (complete[use]) {
      complete[use] = false;
      unfinishedOfOwner.append(owner[use], use);
      unfinished.append(ALL, use);
    }
  }

  private void setFinished(int use) {
    complete[use] = true;
    unfinishedOfOwner.remove(owner[use], use);
    unfinished.remove(ALL, use);
    if (order[use] == NO_ORDER) {
      return;
    }
    completeEvents++;
    int known = stream[use];
    if (known == AllocationTrace.UNKNOWN_STREAM) {
      ready.add(use, rank[use], order[use]);
    } else if (firstUnfinished[known] == use) {
      makeReadyFrom(known);
    }
  }

  private int newUse(int itsOwner, int itsGroup, int usingStream) {
    int use = spare.take();
    if (use == owner.length) {
      owner = Arrays.copyOf(owner, 2 * use);
      stream = Arrays.copyOf(stream, 2 * use);
      rank = Arrays.copyOf(rank, 2 * use);
      order = Arrays.copyOf(order, 2 * use);
      complete = Arrays.copyOf(complete, 2 * use);
      group = Arrays.copyOf(group, 2 * use);
    }
    owner[use] = itsOwner;
    group[use] = itsGroup;
    stream[use] = usingStream;
    order[use] = NO_ORDER;
    complete[use] = true;
    usesOfOwner.append(itsOwner, use);
    index.add(itsOwner, usingStream, use);
    return use;
  }

  private void removeUse(int use) {
    if (!complete[use]) {
      unfinishedOfOwner.remove(owner[use], use);
      unfinished.remove(ALL, use);
    }
    usesOfOwner.remove(owner[use], use);
    index.remove(owner[use], stream[use]);
    spare.recycle(use);
  }
}
