package org.allocsim.analysis.attribution;

import java.util.Optional;
import org.allocsim.analysis.attribution.StackRules.Finding;
import org.allocsim.simulator.policy.MemoryLayout;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.workloads.source.DeviceTrace;

/**
 * What each allocation of a device is for. What a recorder named comes first, then the user's own
 * rules, then what stacks show, then what follows from when memory is allocated and freed. What is
 * still held when the recording ends is taken for what the same stack allocated before, where that
 * is clear. Everything else is unknown.
 */
public final class Attribution {
  /** Share of the bytes of a stack that one category must have to decide for what is left open. */
  private static final double CLEAR = 0.75;

  private static final Category[] CATEGORIES = Category.values();
  private static final Certainty[] CERTAINTIES = Certainty.values();

  private final byte[] categories;
  private final byte[] certainties;

  private Attribution(int count) {
    categories = new byte[count];
    certainties = new byte[count];
  }

  /**
   * Attributes what a device allocates, by what its recorder named too.
   *
   * @param rules the user's own
   */
  public static Attribution of(DeviceTrace input, CategoryRules rules) {
    return of(input.trace(), input.device(), rules, RecordedCategories.of(input));
  }

  /**
   * Attributes what a device allocates.
   *
   * @param rules the user's own
   * @param recorded what a recorder named
   */
  static Attribution of(
      AllocationTrace trace, int device, CategoryRules rules, RecordedCategories recorded) {
    Sites sites = new Sites(trace.stacks());
    Lifetimes lives = new Lifetimes(trace, device, sites);
    Attribution all = new Attribution(trace.allocationCount());
    Work work = new Work(trace, sites, lives, rules, recorded);
    for (int allocation = 0; allocation < lives.count(); allocation++) {
      all.set(allocation, lives.isKnown(allocation) ? work.finding(allocation) : Finding.UNKNOWN);
    }
    all.completeByPeers(lives, trace.stacks().stackCount());
    return all;
  }

  /** Nothing is known about the blocks of a layout. */
  public static Attribution unknown(MemoryLayout layout) {
    int count = 0;
    for (int block = 0; block < layout.blockCount(); block++) {
      count = Math.max(count, layout.allocation(block) + 1);
    }
    Attribution all = new Attribution(count);
    for (int allocation = 0; allocation < count; allocation++) {
      all.set(allocation, Finding.UNKNOWN);
    }
    return all;
  }

  /** What an allocation is for. */
  public Category category(int allocation) {
    return CATEGORIES[categories[allocation]];
  }

  /** How that is known. */
  public Certainty certainty(int allocation) {
    return CERTAINTIES[certainties[allocation]];
  }

  private void set(int allocation, Finding finding) {
    categories[allocation] = (byte) finding.category().ordinal();
    certainties[allocation] = (byte) finding.certainty().ordinal();
  }

  private void completeByPeers(Lifetimes lives, int stackCount) {
    long[][] peers = new long[stackCount][];
    for (int allocation = 0; allocation < lives.count(); allocation++) {
      int stack = lives.isKnown(allocation) ? lives.stack(allocation) : 0;
      if (stack != 0) {
        if (peers[stack] == null) {
          peers[stack] = new long[CATEGORIES.length];
        }
        peers[stack][categories[allocation]] += lives.bytes(allocation);
      }
    }
    for (int allocation = 0; allocation < lives.count(); allocation++) {
      if (category(allocation) == Category.UNKNOWN
          && lives.isKnown(allocation)
          && !lives.isGiven(allocation)
          && lives.backwardsHeld(allocation) <= 1) {
        long[] bytes = peers[lives.stack(allocation)];
        if (bytes != null) {
          set(allocation, clear(bytes));
        }
      }
    }
  }

  private static Finding clear(long[] bytes) {
    long known = 0;
    int most = 0;
    for (int category = 0; category < Category.UNKNOWN.ordinal(); category++) {
      known += bytes[category];
      most = bytes[category] > bytes[most] ? category : most;
    }
    return known > 0 && bytes[most] >= CLEAR * known
        ? Finding.inferred(CATEGORIES[most])
        : Finding.UNKNOWN;
  }

  /** What decides about one allocation. */
  private static final class Work {
    private final Sites sites;
    private final Lifetimes lives;
    private final RecordedCategories recorded;
    private final StackRules byStack;
    private final Optional<MarkRules> byMarks;

    /** Category of each stack by the user's own rules, −1 where none matches. */
    private final byte[] own;

    Work(
        AllocationTrace trace,
        Sites sites,
        Lifetimes lives,
        CategoryRules rules,
        RecordedCategories recorded) {
      this.sites = sites;
      this.lives = lives;
      this.recorded = recorded;
      byStack = new StackRules(lives);
      byMarks = sites.haveModules() ? Optional.empty() : Optional.of(new MarkRules(lives));
      own = new byte[trace.stacks().stackCount()];
      for (int stack = 0; stack < own.length; stack++) {
        own[stack] =
            rules.category(trace.stacks(), stack).map(c -> (byte) c.ordinal()).orElse((byte) -1);
      }
    }

    Finding finding(int allocation) {
      Optional<Category> named = recorded.of(allocation);
      if (named.isPresent()) {
        return new Finding(named.get(), Certainty.RECORDED);
      }
      int stack = lives.stack(allocation);
      if (own[stack] >= 0) {
        return Finding.stack(CATEGORIES[own[stack]]);
      }
      Site site = sites.of(stack);
      boolean isOpen = site == Site.NONE || site == Site.PROGRAM || site == Site.MODULE;
      return byMarks.isPresent() && isOpen
          ? byMarks.get().of(allocation)
          : byStack.of(allocation, site);
    }
  }
}
