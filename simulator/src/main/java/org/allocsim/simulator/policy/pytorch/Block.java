package org.allocsim.simulator.policy.pytorch;

import org.allocsim.simulator.order.SizedBlock;

/**
 * A piece of a segment. The fields are those of PyTorch 2.11's {@code Block}; free blocks are in
 * the {@link FreeList} that they belong to.
 */
@SuppressWarnings("NullAway.Init") // a block is given its list and neighbours before it is used
final class Block extends SizedBlock {
  /** Expandable segment of a block that lies in none. */
  static final int NO_EXPANDABLE = -1;

  /** Allocation of a block that nobody holds. */
  static final int NO_ALLOCATION = -1;

  private static final int FREE = 0;
  private static final int ALLOCATED = 1;
  private static final int PENDING = 2;
  private static final int UNMAPPED = 3;
  private static final int DESTROYED = 4;
  private static final int EDGE = 5;
  private static final int ALLOCATED_AND_WATCHED = 6;

  /**
   * What its position is above its address: the same for all blocks of a segment, and 0 where
   * addresses decide between blocks of one size.
   */
  private long shift;

  /** Number of the block in its {@link BlockTable}. */
  final int number;

  /** Bytes of the last request that this block served; kept while it is free. */
  long requestedBytes;

  /** The pool's lookup counter when the block last became free. */
  long lookupsWhenFreed;

  /** Where the block is when it is free. */
  FreeList list;

  /** Neighbour at the lower address in the same segment, or the edge. */
  Block previous;

  /** Neighbour at the higher address, or the edge; of destroyed blocks the next. */
  Block next;

  /** Row of the expandable segment that the block lies in, or {@link #NO_EXPANDABLE}. */
  int expandable;

  /** Allocation id while handed out or awaiting free; then kept while it is free. */
  private int allocation;

  private int state = DESTROYED;

  Block(int number) {
    super(number);
    this.number = number;
  }

  /**
   * The neighbour of all blocks that have none on that side: no block, but where there always is a
   * neighbour that has a state, nothing has to be distinguished from null.
   */
  static Block edge() {
    Block edge = new Block(-1);
    edge.state = EDGE;
    return edge;
  }

  /** Whether this is the neighbour of blocks that have none. */
  boolean isEdge() {
    return state == EDGE;
  }

  /** Makes this a mapped free block between two edges that is in no set. */
  void create(
      long address, long bytes, long newShift, FreeList ofList, int inExpandable, Block edge) {
    shift = newShift;
    placeAt(address, bytes);
    requestedBytes = 0;
    lookupsWhenFreed = 0;
    list = ofList;
    previous = edge;
    next = edge;
    expandable = inExpandable;
    state = FREE;
  }

  /** Where the block begins. */
  long address() {
    return position() - shift;
  }

  /** What positions in its segment are above addresses. */
  long shift() {
    return shift;
  }

  /** Gives a block, which is in no order, its place in its segment. */
  void placeAt(long address, long bytes) {
    place(address + shift, bytes);
  }

  /** Whether this is part of a segment, and not to be used for another one. */
  boolean exists() {
    return state != DESTROYED;
  }

  void setDestroyed() {
    state = DESTROYED;
  }

  boolean isExpandable() {
    return expandable != NO_EXPANDABLE;
  }

  /** Handed out to the program. */
  boolean isAllocated() {
    return state == ALLOCATED || state == ALLOCATED_AND_WATCHED;
  }

  /** Handed out to the program, and its free needs no more than most do. */
  boolean isAllocatedPlainly() {
    return state == ALLOCATED;
  }

  /** Allocation id while handed out or awaiting free, else {@link #NO_ALLOCATION}. */
  int allocation() {
    return isAllocated() || isPending() ? allocation : NO_ALLOCATION;
  }

  /** Given back by the program, not yet reusable. */
  boolean isPending() {
    return state == PENDING;
  }

  /** Backed by physical memory. */
  boolean isMapped() {
    return state != UNMAPPED;
  }

  /** Whether the block is free, and waits for no other stream. */
  boolean isAllocatable() {
    return state == FREE || state == UNMAPPED;
  }

  void setAllocated(int newAllocation, long newRequestedBytes) {
    state = ALLOCATED;
    allocation = newAllocation;
    requestedBytes = newRequestedBytes;
  }

  /** The free of this block, if it is handed out, is to be looked at closely. */
  void watch() {
    if (state == ALLOCATED) {
      state = ALLOCATED_AND_WATCHED;
    }
  }

  void setPending() {
    state = PENDING;
  }

  void setFree() {
    state = FREE;
  }

  void setMapped(boolean mapped) {
    state = mapped ? FREE : UNMAPPED;
  }

  /** Whether the block shares its segment with other blocks. */
  boolean isSplit() {
    return !previous.isEdge() || !next.isEdge();
  }

  /** Whether the block is free, and backed by physical memory or not. */
  boolean isFree(boolean mapped) {
    return state == (mapped ? FREE : UNMAPPED);
  }

  /** Puts a new block between this one and its right neighbour. */
  void linkBehind(Block block) {
    block.previous = this;
    block.next = next;
    next.previous = block;
    next = block;
  }

  /** Puts a new block between this one and its left neighbour. */
  void linkBefore(Block block) {
    Block left = previous;
    block.previous = left;
    block.next = this;
    left.next = block;
    previous = block;
  }

  /** Makes this the first bytes of a block, which keeps the rest; to be handed out at once. */
  void splitFrom(Block rest, long frontBytes) {
    long position = rest.position();
    place(position, frontBytes);
    shift = rest.shift;
    list = rest.list;
    expandable = rest.expandable;
    rest.linkBefore(this);
    rest.place(position + frontBytes, rest.bytes() - frontBytes);
  }
}
