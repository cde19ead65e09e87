package org.allocsim.simulator.policy.classic;

import java.util.List;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.OptionsProvider;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.PolicyOptions;
import org.allocsim.simulator.policy.PolicySpec;
import org.allocsim.simulator.policy.block.BlockHeap;

/** Makes the classic allocators, which serve requests as they come. */
public abstract class ClassicProvider extends OptionsProvider {
  private static final String KNUTH = "published rules (Knuth, vol. 1, 2.5); growth is a model";

  private static final List<PolicySpec.Option> HEAP_OPTIONS =
      List.of(
          HeapOptions.UNIT_OPTION,
          HeapOptions.STEP_OPTION,
          HeapOptions.ARENA_OPTION,
          HeapOptions.TRIM_OPTION);

  private ClassicProvider(PolicySpec spec) {
    super(spec);
  }

  /** First, best, next and worst fit and TLSF. */
  abstract static class Fit extends ClassicProvider {
    private final long unitDivisor;

    Fit(String id, String summary, String source, long unitDivisor) {
      super(new PolicySpec(id, summary, source, HEAP_OPTIONS).ofTextbook());
      this.unitDivisor = unitDivisor;
    }

    abstract FreeBlocks freeBlocks(BlockHeap heap);

    @Override
    protected final AllocatorPolicy create(
        PolicyOptions options, long limitBytes, DeviceMemory device, EffectListener listener)
        throws PolicyOptionException {
      HeapOptions heap = HeapOptions.of(options, unitDivisor, limitBytes);
      return new FitAllocator(heap, this::freeBlocks, device, listener);
    }
  }

  /** Provider of {@code first-fit}. */
  public static final class FirstFit extends Fit {
    /** A provider; the service loader makes it. */
    public FirstFit() {
      super("first-fit", "one heap; the fitting free block at the lowest address", KNUTH, 1);
    }

    @Override
    FreeBlocks freeBlocks(BlockHeap heap) {
      return new AddressFit(heap, false);
    }
  }

  /** Provider of {@code next-fit}. */
  public static final class NextFit extends Fit {
    /** A provider; the service loader makes it. */
    public NextFit() {
      super(
          "next-fit", "one heap; the next fitting free block after the last allocation", KNUTH, 1);
    }

    @Override
    FreeBlocks freeBlocks(BlockHeap heap) {
      return new AddressFit(heap, true);
    }
  }

  /** Provider of {@code best-fit}. */
  public static final class BestFit extends Fit {
    /** A provider; the service loader makes it. */
    public BestFit() {
      super("best-fit", "one heap; the smallest free block that fits", KNUTH, 1);
    }

    @Override
    FreeBlocks freeBlocks(BlockHeap heap) {
      return new SizeFit(heap, false);
    }
  }

  /** Provider of {@code worst-fit}. */
  public static final class WorstFit extends Fit {
    /** A provider; the service loader makes it. */
    public WorstFit() {
      super("worst-fit", "one heap; the largest free block", KNUTH, 1);
    }

    @Override
    FreeBlocks freeBlocks(BlockHeap heap) {
      return new SizeFit(heap, true);
    }
  }

  /** Provider of {@code tlsf}. */
  public static final class Tlsf extends Fit {
    /** A provider; the service loader makes it. */
    public Tlsf() {
      super(
          "tlsf",
          "one heap; two-level segregated fit, a good fit in constant time",
          "mattconte/tlsf, tlsf.c (deff9ab, 2020), without headers; source read, growth is a model",
          8);
    }

    @Override
    FreeBlocks freeBlocks(BlockHeap heap) {
      return new TlsfFit(heap);
    }
  }

  /** Provider of {@code buddy}. */
  public static final class Buddy extends ClassicProvider {
    private static final String MIN_BLOCK = "min-block";

    /** A provider; the service loader makes it. */
    public Buddy() {
      super(
          new PolicySpec(
                  "buddy",
                  "one heap; blocks are powers of two and merge with their buddies",
                  KNUTH,
                  List.of(
                      new PolicySpec.Option(
                          MIN_BLOCK, "256", "bytes", "smallest block, a power of two"),
                      HeapOptions.STEP_OPTION,
                      HeapOptions.ARENA_OPTION))
              .ofTextbook());
    }

    @Override
    protected AllocatorPolicy create(
        PolicyOptions options, long limitBytes, DeviceMemory device, EffectListener listener)
        throws PolicyOptionException {
      HeapOptions heap = HeapOptions.ofBuddies(options, MIN_BLOCK, limitBytes);
      return new BuddyAllocator(heap, device, listener);
    }
  }

  /** Provider of {@code slab}. */
  public static final class Slab extends ClassicProvider {
    private static final String CLASSES = "classes-per-doubling";
    private static final int MAX_CLASSES = 64;

    /** A provider; the service loader makes it. */
    public Slab() {
      super(
          new PolicySpec(
                  "slab",
                  "slots of equal size in slabs of 2 MiB or more; large requests get their own",
                  "a model of segregated slabs",
                  List.of(
                      new PolicySpec.Option(
                          CLASSES, "4", "", "size classes between powers of two, a power of two")))
              .ofTextbook());
    }

    @Override
    protected AllocatorPolicy create(
        PolicyOptions options, long limitBytes, DeviceMemory device, EffectListener listener)
        throws PolicyOptionException {
      long classes = options.integer(CLASSES, 1, MAX_CLASSES);
      if (Long.bitCount(classes) != 1) {
        throw options.wrong(CLASSES, "a power of two up to " + MAX_CLASSES);
      }
      int log = Long.numberOfTrailingZeros(classes);
      return new SlabAllocator(log, limitBytes, device, listener);
    }
  }
}
