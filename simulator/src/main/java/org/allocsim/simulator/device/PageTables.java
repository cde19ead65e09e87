package org.allocsim.simulator.device;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.simulator.order.AddressMap;

/**
 * Memory of the GPU's page tables. A table of 4 KiB describes 512 MiB of addresses in which
 * anything is mapped, and one more each 256 GiB that has such tables; it is gone when nothing is
 * mapped there any more. Tables lie in pages of 2 MiB, which are taken when no page has a place
 * left, and given back when they are empty. The context's own page has {@value #OWN_PLACES} places
 * left at first, so that few programs see any of it: it takes memory mapped at many distant
 * addresses.
 *
 * <p>Recorded with driver 580 on an H100: of 41,000 mappings and unmappings in random order, 2 MiB
 * to 64 GiB apart, all but four are as here. The sizes are those of NVIDIA's published page table
 * format since Pascal. Which of several pages gets a table could not be seen; here it is the oldest
 * with a place. What raw segments need is not counted.
 */
final class PageTables {
  private static final int PLACES = 512;
  private static final int OWN_PLACES = 453;
  private static final long PAGE_BYTES = 2L << 20;

  /** Bits of an address within what a table of either level describes. */
  private static final int LOW_BITS = 29;

  private static final int HIGH_BITS = 38;

  /** Mapped bytes by low table, and low tables by high table, under keys that differ. */
  private final AddressMap mapped = new AddressMap();

  /** Page of each table, by the same keys. */
  private final AddressMap pageOf = new AddressMap();

  /** Places left by page; the context's own is the first. */
  private final List<Integer> places = new ArrayList<>(List.of(OWN_PLACES));

  private int pagesTaken;

  /** Bytes that tables have taken of the device's free memory. */
  long takenBytes() {
    return pagesTaken * PAGE_BYTES;
  }

  /** A span is mapped. */
  void map(long address, long bytes) {
    for (long at = address; at < address + bytes; at = end(at)) {
      long low = at >>> LOW_BITS;
      if (count(low, Math.min(end(at), address + bytes) - at)) {
        long high = highKey(at);
        if (count(high, 1)) {
          add(high);
        }
        add(low);
      }
    }
  }

  /** A span that was mapped is unmapped. */
  void unmap(long address, long bytes) {
    for (long at = address; at < address + bytes; at = end(at)) {
      long low = at >>> LOW_BITS;
      if (discount(low, Math.min(end(at), address + bytes) - at)) {
        remove(low);
        long high = highKey(at);
        if (discount(high, 1)) {
          remove(high);
        }
      }
    }
  }

  private static long end(long address) {
    return ((address >>> LOW_BITS) + 1) << LOW_BITS;
  }

  /** Keys of high tables are negative. */
  private static long highKey(long address) {
    return ~(address >>> HIGH_BITS);
  }

  /** Adds to a count; whether it was none before. */
  private boolean count(long key, long more) {
    long before = mapped.get(key);
    mapped.put(key, before == AddressMap.NONE ? more : before + more);
    return before == AddressMap.NONE;
  }

  /** Takes from a count; whether none is left. */
  private boolean discount(long key, long less) {
    long left = mapped.get(key) - less;
    if (left > 0) {
      mapped.put(key, left);
      return false;
    }
    mapped.remove(key);
    return true;
  }

  private void add(long key) {
    int page = 0;
    int unused = places.size();
    while (page < places.size() && places.get(page) % PLACES == 0) {
      unused = places.get(page) == PLACES ? Math.min(unused, page) : unused;
      page++;
    }
    if (page == places.size()) {
      page = unused;
      if (unused == places.size()) {
        places.add(PLACES);
      }
      pagesTaken++;
    }
    places.set(page, places.get(page) - 1);
    pageOf.put(key, page);
  }

  private void remove(long key) {
    int page = (int) pageOf.remove(key);
    places.set(page, places.get(page) + 1);
    if (places.get(page) == PLACES) {
      pagesTaken--;
    }
  }
}
