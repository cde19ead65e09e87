package org.allocsim.simulator.policy.bfc;

import java.util.List;
import java.util.Locale;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.OptionsProvider;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.PolicyOptions;
import org.allocsim.simulator.policy.PolicySpec;
import org.jspecify.annotations.Nullable;

/**
 * Makes {@link BfcAllocator}s as JAX and TensorFlow set them up.
 *
 * <p>A limit given for the policy holds as it is; else the limit is a share of the device: JAX's is
 * the fraction of the whole device, rounded up to 2 MiB (0.11.2, recorded); TensorFlow's (2.x,
 * {@code gpu_device.cc}) the fraction, or without one what is free less what it leaves to the
 * system.
 */
public final class BfcProvider extends OptionsProvider {
  private static final String PRESET = "preset";
  private static final String FRACTION = "fraction";
  private static final String PREALLOCATE = "preallocate";
  private static final String GARBAGE_COLLECTION = "garbage-collection";
  private static final String FRAGMENTATION_FRACTION = "fragmentation-fraction";
  private static final String COMPUTE_CAPABILITY = "compute-capability";
  private static final String MERGE_REGIONS = "merge-regions";
  private static final String TIMESTAMPS = "timestamps";
  private static final String PARTITION = "partition";
  private static final String GROWTH_CAP = "growth-cap";
  private static final String BY_PRESET = "preset";

  private static final long PAGE_BYTES = 2L << 20;
  private static final double JAX_FRACTION = 0.75;

  /** XLA_PJRT_GPU_HOST_MEMORY_LIMIT_GB where it is not set. */
  private static final long HOST_LIMIT_BYTES = 64L << 30;

  /** A program that sets the allocator up. */
  private enum Preset {
    JAX(true, false, "none", 0),
    JAX_HOST(false, false, "none", 0),
    /** JAX of late 2026: 75 % at first, then all ({@code 0.75+}). */
    JAX_GROWING(true, false, "collective-low", 1),
    TENSORFLOW(true, true, "none", 0);

    private final boolean preallocates;
    private final boolean collectsGarbage;
    private final String partition;
    private final double growthCap;

    Preset(boolean preallocates, boolean collectsGarbage, String partition, double growthCap) {
      this.preallocates = preallocates;
      this.collectsGarbage = collectsGarbage;
      this.partition = partition;
      this.growthCap = growthCap;
    }
  }

  private static final PolicySpec SPEC =
      new PolicySpec(
          "bfc",
          "BFC, the allocator of JAX, XLA and TensorFlow: one preallocated pool, or regions of"
              + " doubling size",
          "openxla/xla, xla/tsl/framework/bfc_allocator.cc, 00df9ee (2026); JAX 0.11.2;"
              + " TensorFlow 2.x; JAX 0.11.2 recorded on an H100, partition collective-high driven"
              + " in November 2026, other options read",
          List.of(
              new PolicySpec.Option(
                  PRESET,
                  "jax",
                  "",
                  "framework whose defaults apply: jax, jax-growing (since September 2026: 75 % of"
                      + " the device at first, later all of it), jax-host (its pinned host memory)"
                      + " or tensorflow"),
              new PolicySpec.Option(
                  FRACTION,
                  BY_PRESET,
                  "",
                  "fraction of the device used as the limit if no memory limit is given"
                      + " (XLA_PYTHON_CLIENT_MEM_FRACTION, per_process_gpu_memory_fraction); jax"
                      + " 0.75, tensorflow all free memory except a reserve, jax-host 64 GiB"),
              new PolicySpec.Option(
                  PREALLOCATE,
                  BY_PRESET,
                  "",
                  "whether the first request reserves the whole limit; otherwise regions grow"
                      + " from 2 MiB (XLA_PYTHON_CLIENT_PREALLOCATE, TF_FORCE_GPU_ALLOW_GROWTH);"
                      + " true, for jax-host false"),
              new PolicySpec.Option(
                  GARBAGE_COLLECTION,
                  BY_PRESET,
                  "",
                  "whether free regions are released to the device before a request fails"
                      + " (TF_ENABLE_GPU_GARBAGE_COLLECTION); tensorflow true, otherwise false"),
              new PolicySpec.Option(
                  FRAGMENTATION_FRACTION,
                  "0",
                  "",
                  "how much larger than its request a block may be, as a fraction of the limit;"
                      + " 0 means 128 MiB"),
              new PolicySpec.Option(
                  COMPUTE_CAPABILITY,
                  "9",
                  "",
                  "major compute capability, from which tensorflow chooses its reserve"),
              new PolicySpec.Option(
                  MERGE_REGIONS,
                  "false",
                  "",
                  "whether adjacent regions are merged; not with garbage collection"),
              new PolicySpec.Option(
                  TIMESTAMPS,
                  "false",
                  "",
                  "whether freed chunks merge only once the host has waited for the device"),
              new PolicySpec.Option(
                  PARTITION,
                  BY_PRESET,
                  "",
                  "where collective buffers (requests of private pools) lie in the preallocated"
                      + " pool: none (anywhere), collective-high (XLA of June 2026) or"
                      + " collective-low (September 2026); jax-growing collective-low, otherwise"
                      + " none"),
              new PolicySpec.Option(
                  GROWTH_CAP,
                  BY_PRESET,
                  "",
                  "fraction of the device to which a partitioned pool grows, 0 for none"
                      + " (xla_gpu_memory_fraction_policy); jax-growing 1, otherwise 0")));

  /** A provider; the service loader makes it. */
  public BfcProvider() {
    super(SPEC);
  }

  @Override
  protected AllocatorPolicy create(
      PolicyOptions options, long limitBytes, DeviceMemory device, EffectListener listener)
      throws PolicyOptionException {
    Preset preset = preset(options);
    boolean preallocates = flag(options, PREALLOCATE, preset.preallocates);
    boolean collectsGarbage = flag(options, GARBAGE_COLLECTION, preset.collectsGarbage);
    boolean mergesRegions = options.flag(MERGE_REGIONS);
    if (mergesRegions && collectsGarbage) {
      throw options.wrong(
          MERGE_REGIONS,
          "possible with garbage collection, which releases regions as they were obtained; set "
              + GARBAGE_COLLECTION
              + " to false");
    }
    long known = limitBytes >= 0 ? limitBytes : limitBytes(options, preset, device);
    if (known < 0 && preallocates) {
      throw options.wrong(
          PREALLOCATE,
          "possible on a device of unknown size; give a memory limit, or set it to false");
    }
    long limit = known < 0 ? ChunkHeap.MAX_BYTES : known;
    double wasteShare = options.fraction(FRAGMENTATION_FRACTION, 0, 1);
    long wasteBytes = wasteShare > 0 ? (long) (wasteShare * limit) : BfcSettings.MAX_WASTE_BYTES;
    Partition partition = partition(options, preset);
    double growthCap = growthCap(options, preset, partition);
    if (partition != null) {
      if (!preallocates || collectsGarbage || mergesRegions || options.flag(TIMESTAMPS)) {
        throw options.wrong(
            PARTITION,
            "none without "
                + PREALLOCATE
                + ", or with "
                + String.join(", ", GARBAGE_COLLECTION, MERGE_REGIONS, TIMESTAMPS));
      }
      long firstBytes = limit;
      long capBytes = limit;
      if (growthCap > 0 && device.totalBytes() >= 0) {
        firstBytes = Math.min(limit, limitBytes(options, preset, device));
        long shareBytes = (long) (device.totalBytes() * growthCap) / PAGE_BYTES * PAGE_BYTES;
        capBytes = limitBytes >= 0 ? Math.min(limitBytes, shareBytes) : shareBytes;
      }
      return new PartitionedBfcAllocator(
          partition, firstBytes, Math.max(firstBytes, capBytes), wasteBytes, device, listener);
    }
    BfcSettings growth =
        preallocates ? BfcSettings.preallocating(limit) : BfcSettings.growing(limit);
    return new BfcAllocator(
        growth
            .withGarbageCollection(collectsGarbage)
            .withMergedRegions(mergesRegions)
            .withTimestamps(options.flag(TIMESTAMPS))
            .withMostWaste(wasteBytes),
        device,
        listener);
  }

  private static Preset preset(PolicyOptions options) throws PolicyOptionException {
    for (Preset preset : Preset.values()) {
      if (preset.name().toLowerCase(Locale.ROOT).replace('_', '-').equals(options.text(PRESET))) {
        return preset;
      }
    }
    throw options.wrong(PRESET, "one of jax, jax-growing, jax-host, tensorflow");
  }

  private static @Nullable Partition partition(PolicyOptions options, Preset preset)
      throws PolicyOptionException {
    String text = options.text(PARTITION);
    return switch (text.equals(BY_PRESET) ? preset.partition : text) {
      case "none" -> null;
      case "collective-high" -> Partition.COLLECTIVE_HIGH;
      case "collective-low" -> Partition.COLLECTIVE_LOW;
      default -> throw options.wrong(PARTITION, "one of none, collective-high, collective-low");
    };
  }

  private static double growthCap(
      PolicyOptions options, Preset preset, @Nullable Partition partition)
      throws PolicyOptionException {
    if (options.text(GROWTH_CAP).equals(BY_PRESET)) {
      return preset.growthCap;
    }
    double cap = options.fraction(GROWTH_CAP, 0, 1);
    if (cap > 0 && (partition == null || !partition.collectiveIsLow())) {
      throw options.wrong(GROWTH_CAP, "0 unless " + PARTITION + " is collective-low");
    }
    return cap;
  }

  private static boolean flag(PolicyOptions options, String name, boolean byPreset)
      throws PolicyOptionException {
    return options.text(name).equals(BY_PRESET) ? byPreset : options.flag(name);
  }

  /** The limit that the program sets itself; −1 where the size of the device is not known. */
  private static long limitBytes(PolicyOptions options, Preset preset, DeviceMemory device)
      throws PolicyOptionException {
    boolean chosen = !options.text(FRACTION).equals(BY_PRESET);
    if (preset == Preset.JAX_HOST && !chosen) {
      return HOST_LIMIT_BYTES;
    }
    double fraction = chosen ? options.fraction(FRACTION, 0, 1) : JAX_FRACTION;
    if (device.totalBytes() < 0) {
      return -1;
    }
    if (preset == Preset.TENSORFLOW) {
      return chosen
          ? (long) (device.totalBytes() * fraction)
          : freeButReserve(
              device.freeBytes(), options.integer(COMPUTE_CAPABILITY, 1, Integer.MAX_VALUE));
    }
    long pages = (long) Math.ceil(device.totalBytes() * fraction / PAGE_BYTES);
    return Math.min(pages * PAGE_BYTES, device.totalBytes());
  }

  private static long freeButReserve(long freeBytes, long computeCapability) {
    long reserveMebibytes;
    if (freeBytes < 1L << 31) {
      reserveMebibytes = 225;
    } else if (computeCapability <= 6) {
      reserveMebibytes = 500;
    } else if (computeCapability == 7) {
      reserveMebibytes = 1050;
    } else {
      reserveMebibytes = computeCapability == 8 ? 1536 : 1800;
    }
    long reserveBytes = reserveMebibytes << 20;
    return reserveBytes < freeBytes ? freeBytes - reserveBytes : freeBytes;
  }
}
