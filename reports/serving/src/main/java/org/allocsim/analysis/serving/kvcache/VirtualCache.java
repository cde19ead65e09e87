package org.allocsim.analysis.serving.kvcache;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.allocsim.workloads.model.LayerGroup;

/**
 * vAttention's cache: each sequence is contiguous in a reserved range of addresses of its own, to
 * which physical pages are mapped as it grows.
 *
 * <p><b>Rules.</b> There is a slot of addresses for each sequence that may run, in a tensor for the
 * keys and one for the values of each layer, and all physical pages are made at the start. A
 * sequence that needs a page gets one in each tensor. At its end the pages stay mapped to its slot
 * (deferred reclamation); a new sequence takes the free slot that has just enough of them, else the
 * first. Where pages run out, those that slots have beyond their sequences' tokens are unmapped,
 * from the highest slot down. What a prompt needs is mapped while its step waits; what the next
 * token needs is mapped by a thread while the GPU computes.
 *
 * <p><b>Source.</b> microsoft/vattention, {@code vattention/vattention.cu} and {@code utils.h}
 * ef3fff2; Prabhu et al., ASPLOS 2025 (arXiv 2405.04437).
 *
 * <p><b>Deviations.</b> The thread maps for the next token only, not up to ten tokens ahead. Where
 * nothing can be reclaimed the product aborts; here the call finds no room, and the scheduler
 * throws a sequence out. Pages below 2 MiB, which need the authors' driver, take the time of a page
 * of 2 MiB. No prefix is shared: pages are too large.
 *
 * <p><b>Cost.</b> A sequence's beginning is linear in the slots.
 */
public final class VirtualCache implements KvCache {
  private static final int NONE = -1;

  private final long pageBytes;
  private final long capacityBytes;
  private final long tokenBytes;
  private final long pages;

  /** Tensors of each group, and tokens that one page of a tensor holds. */
  private final int[] tensors;

  private final int[] pageTokens;

  private final SequenceTokens tokens;

  private final DriverWork driver;

  /** Bytes of addresses of a slot in a tensor. */
  private final long slotBytes;

  /** The slot of each running sequence. */
  private int[] slotOf = new int[16];

  /**
   * By slot: pages mapped in each tensor of each group, tokens that its sequence needs, tokens
   * mapped.
   */
  private final int[][] mapped;

  private final int[] slotTokens;
  private final int[] roomTokens;

  /** By slot: tokens up to which its sequence needs no more pages. */
  private final int[] pageEnd;

  private final boolean[] isActive;

  private long freePages;
  private long neededPages;
  private long storedTokens;

  /**
   * A cache in which nothing is mapped.
   *
   * @param groups the model's layers
   * @param capacityBytes memory that it may take
   * @param pageBytes bytes of a physical page
   * @param slots sequences that may run together
   * @param driver counts its calls of the driver
   * @throws IllegalArgumentException where the memory has no page for each tensor, or a page has no
   *     room for a token
   */
  public VirtualCache(
      List<LayerGroup> groups, long capacityBytes, long pageBytes, int slots, DriverWork driver) {
    this.capacityBytes = capacityBytes;
    this.pageBytes = pageBytes;
    tokenBytes = LayerGroup.bytesPerToken(groups);
    tensors = groups.stream().mapToInt(group -> 2 * group.layers()).toArray();
    pageTokens =
        groups.stream().mapToInt(group -> (int) (pageBytes / (group.tokenBytes() / 2))).toArray();
    if (Arrays.stream(pageTokens).anyMatch(each -> each < 1)) {
      throw new IllegalArgumentException(
          "a page of " + pageBytes + " bytes is too small for one layer's keys of a token");
    }
    pages = CacheSize.pages(capacityBytes, pageBytes, Arrays.stream(tensors).sum(), "pages");
    freePages = pages;
    tokens = new SequenceTokens(groups);
    this.driver = driver;
    slotBytes = longestSlotBytes();
    mapped = new int[slots][groups.size()];
    slotTokens = new int[slots];
    roomTokens = new int[slots];
    pageEnd = new int[slots];
    isActive = new boolean[slots];
  }

  /** Tokens that one page of a layer's keys holds: vAttention's block. */
  public int pageTokens() {
    return Arrays.stream(pageTokens).min().orElseThrow();
  }

  /** Bytes that a sequence takes more when it needs a page in every tensor. */
  public long growthBytes() {
    return Arrays.stream(tensors).sum() * pageBytes;
  }

  @Override
  public int storedTokens(PrefixHashes prefix, int mostTokens) {
    return 0;
  }

  @Override
  public boolean mayStore(PrefixHashes prefix, int block) {
    return false;
  }

  @Override
  public boolean begin(int sequence, SequenceStart start) {
    int count = start.tokens();
    int room = start.room();
    int slot = chooseSlot(room);
    if (slot == NONE || !mapFor(slot, room, true)) {
      return false;
    }
    isActive[slot] = true;
    if (sequence >= slotOf.length) {
      slotOf = Arrays.copyOf(slotOf, Math.max(sequence + 1, slotOf.length * 2));
    }
    slotOf[sequence] = slot;
    tokens.begin(sequence, 0, 0);
    store(sequence, slot, count, room);
    return true;
  }

  /** The product's best fit: of the free slots the first, unless a later one fits with less. */
  private int chooseSlot(int count) {
    int chosen = NONE;
    for (int slot = 0; slot < isActive.length; slot++) {
      if (isActive[slot]) {
        continue;
      }
      if (chosen == NONE || roomTokens[slot] >= count && pagesOf(slot) < pagesOf(chosen)) {
        chosen = slot;
      }
    }
    return chosen;
  }

  private long pagesOf(int slot) {
    long count = 0;
    for (int group = 0; group < tensors.length; group++) {
      count += (long) tensors[group] * mapped[slot][group];
    }
    return count;
  }

  @Override
  public boolean grow(int sequence, int count, int room) {
    int slot = slotOf[sequence];
    if (room > roomTokens[slot] && !mapFor(slot, room, count - tokens.of(sequence) > 1)) {
      return false;
    }
    store(sequence, slot, count, room);
    return true;
  }

  private void store(int sequence, int slot, int count, int room) {
    if (room < slotTokens[slot] || room > pageEnd[slot]) {
      neededPages += needed(room) - needed(slotTokens[slot]);
      pageEnd[slot] = pageEnd(room);
    }
    storedTokens += count - tokens.of(sequence);
    slotTokens[slot] = room;
    tokens.set(sequence, count);
  }

  private int pages(int group, int count) {
    return (count + pageTokens[group] - 1) / pageTokens[group];
  }

  private long needed(int count) {
    long all = 0;
    for (int group = 0; group < tensors.length; group++) {
      all += (long) tensors[group] * pages(group, count);
    }
    return all;
  }

  /** Tokens up to which a sequence needs as many pages as with so many. */
  private int pageEnd(int count) {
    long end = Integer.MAX_VALUE;
    for (int group = 0; group < tensors.length; group++) {
      end = Math.min(end, (long) pages(group, count) * pageTokens[group]);
    }
    return (int) end;
  }

  /** Where the page after a slot's last one begins in each of a group's tensors. */
  private long offset(int slot, int group) {
    return slot * slotBytes + mapped[slot][group] * pageBytes;
  }

  /** Room for the longest sequence that all pages together can hold. */
  private long longestSlotBytes() {
    int longest = mostTokens(Integer.MAX_VALUE);
    long most = 0;
    for (int group = 0; group < tensors.length; group++) {
      most = Math.max(most, pages(group, longest));
    }
    return most * pageBytes;
  }

  @Override
  public CacheLayout layout() {
    long tensorBytes = mapped.length * slotBytes;
    return new CacheLayout(
        Collections.nCopies(Arrays.stream(tensors).sum(), tensorBytes),
        pageBytes,
        Math.toIntExact(pages));
  }

  /** Maps what a slot lacks for so many tokens; all or nothing. */
  private boolean mapFor(int slot, int count, boolean isWaitedFor) {
    long missing = 0;
    for (int group = 0; group < tensors.length; group++) {
      missing += (long) tensors[group] * Math.max(0, pages(group, count) - mapped[slot][group]);
    }
    if (missing > freePages && !reclaim(slot, missing, isWaitedFor)) {
      return false;
    }
    int room = Integer.MAX_VALUE;
    int tensor = 0;
    for (int group = 0; group < tensors.length; group++) {
      for (; mapped[slot][group] < pages(group, count); mapped[slot][group]++) {
        driver.map(tensor, tensors[group], offset(slot, group), pageBytes, isWaitedFor);
      }
      tensor += tensors[group];
      room = (int) Math.min(room, (long) mapped[slot][group] * pageTokens[group]);
    }
    roomTokens[slot] = room;
    freePages -= missing;
    return true;
  }

  /** Unmaps what other slots have beyond their tokens, one page of each tensor at a time. */
  private boolean reclaim(int exempt, long wanted, boolean isWaitedFor) {
    long spare = pages - freePages - neededPages;
    // What the slot itself has beyond its tokens will be needed, and is not for others.
    spare -= pagesOf(exempt) - needed(slotTokens[exempt]);
    if (freePages + spare < wanted) {
      return false;
    }
    for (int slot = mapped.length - 1; slot >= 0 && freePages < wanted; slot--) {
      if (slot == exempt) {
        continue;
      }
      int room = Integer.MAX_VALUE;
      int tensor = 0;
      for (int group = 0; group < tensors.length; group++) {
        int kept = pages(group, slotTokens[slot]);
        while (mapped[slot][group] > kept && freePages < wanted) {
          mapped[slot][group]--;
          freePages += tensors[group];
          driver.unmap(tensor, tensors[group], offset(slot, group), pageBytes, isWaitedFor);
        }
        tensor += tensors[group];
        room = (int) Math.min(room, (long) mapped[slot][group] * pageTokens[group]);
      }
      roomTokens[slot] = room;
    }
    return true;
  }

  @Override
  public void end(int sequence, boolean comesBack) {
    int slot = slotOf[sequence];
    store(sequence, slot, 0, 0);
    tokens.end(sequence);
    isActive[slot] = false;
  }

  @Override
  public int mostTokens(int stepTokens) {
    int low = 0;
    int high = 1 << 30;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (needed(middle) <= pages) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  @Override
  public long capacityBytes() {
    return capacityBytes;
  }

  @Override
  public long mappedBytes() {
    return pages * pageBytes;
  }

  @Override
  public long heldBytes() {
    return neededPages * pageBytes;
  }

  @Override
  public long wastedBytes() {
    return neededPages * pageBytes - storedTokens * tokenBytes + tokens.outlivedBytes();
  }

  @Override
  public long strandedBytes() {
    return capacityBytes - pages * pageBytes;
  }

  @Override
  public long keptPrefixBytes() {
    return 0;
  }

  @Override
  public DriverWork driverWork() {
    return driver;
  }

  /** Bytes that slots have mapped beyond the tokens of their sequences. */
  public long spareBytes() {
    return (pages - freePages - neededPages) * pageBytes;
  }
}
