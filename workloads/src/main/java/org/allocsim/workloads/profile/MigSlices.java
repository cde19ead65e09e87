package org.allocsim.workloads.profile;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.typed.SimilarName;

/**
 * Slices of GPUs that Multi-Instance GPU makes. A slice has memory of its own: programs on
 * different slices do not share any, those on one slice share it as they would a GPU.
 *
 * <p>Names and shares are those of NVIDIA's MIG user guide (r610, "Supported MIG profiles"): 1g,
 * 2g, 3g or 4g and 7g have an eighth, two, four eighths and all of the memory, the double 1g two
 * eighths; A30 has quarters. A slice has less than its share, as the driver keeps some; sizes are
 * those that {@code nvidia-smi mig -lgip} lists in public notes: of A100 40GB in its newer drivers
 * (older ones list up to 256 MiB more), A100 80GB, A30, H100 80GB, H100 NVL (OpenNebula's manual)
 * and three of H200. Others, B200's too, are computed: their share, which is up to 9 % too much
 * where small ones were seen; their profile says so. The context is taken to be the one of the
 * whole GPU; that of a small slice is smaller, as it has fewer multiprocessors.
 */
final class MigSlices {
  /** A slice's name, after that of its GPU; media extensions do not matter for memory. */
  private static final Pattern SLICE =
      Pattern.compile("(.+?)(?:[ :,/]+[Mm][Ii][Gg])?[ :,/]+([0-9]+g\\.[0-9]+gb)(?:\\+[a-z.]+)?");

  private static final long MIB = 1L << 20;
  private static final long EIGHTHS = 8;
  private static final long SHARE = -1;
  private static final String LISTED = "size as nvidia-smi mig -lgip lists it";
  private static final String COMPUTED =
      "size computed as a fraction of the GPU's memory, which is a few percent too large";

  /**
   * A slice.
   *
   * @param eighths its share of the memory
   * @param mib its size, or {@link #SHARE} where only the share is known
   */
  private record Slice(long eighths, long mib) {
    long bytes(DeviceProfile gpu) {
      long share = gpu.totalBytes() / EIGHTHS * eighths;
      return mib == SHARE ? share - share % gpu.pageBytes() : Math.min(mib * MIB, gpu.totalBytes());
    }

    static Slice ofShare(long eighths) {
      return new Slice(eighths, SHARE);
    }
  }

  private static final Map<String, Map<String, Slice>> SLICES =
      Map.of(
          "h100-80gb",
          Map.of(
              "1g.10gb", new Slice(1, 9_984),
              "1g.20gb", new Slice(2, 20_096),
              "2g.20gb", new Slice(2, 20_096),
              "3g.40gb", new Slice(4, 40_448),
              "4g.40gb", new Slice(4, 40_448),
              "7g.80gb", new Slice(8, 81_152)),
          "h100-nvl",
          Map.of(
              "1g.12gb", new Slice(1, 10_880),
              "1g.24gb", new Slice(2, 22_016),
              "2g.24gb", new Slice(2, 22_016),
              "3g.47gb", new Slice(4, 47_232),
              "4g.47gb", new Slice(4, 47_232),
              "7g.94gb", new Slice(8, 94_848)),
          "h200",
          Map.of(
              "1g.18gb", new Slice(1, 16_384),
              "1g.35gb", new Slice(2, 33_280),
              "2g.35gb", new Slice(2, 33_280),
              "3g.71gb", Slice.ofShare(4),
              "4g.71gb", Slice.ofShare(4),
              "7g.141gb", new Slice(8, 143_360)),
          "b200",
          Map.of(
              "1g.23gb", Slice.ofShare(1),
              "1g.45gb", Slice.ofShare(2),
              "2g.45gb", Slice.ofShare(2),
              "3g.90gb", Slice.ofShare(4),
              "4g.90gb", Slice.ofShare(4),
              "7g.180gb", Slice.ofShare(8)),
          "a100-80gb",
          Map.of(
              "1g.10gb", new Slice(1, 9_728),
              "1g.20gb", new Slice(2, 19_968),
              "2g.20gb", new Slice(2, 19_968),
              "3g.40gb", new Slice(4, 40_192),
              "4g.40gb", new Slice(4, 40_192),
              "7g.80gb", new Slice(8, 80_896)),
          "a100-40gb",
          Map.of(
              "1g.5gb", new Slice(1, 4_864),
              "1g.10gb", new Slice(2, 9_856),
              "2g.10gb", new Slice(2, 9_856),
              "3g.20gb", new Slice(4, 19_968),
              "4g.20gb", new Slice(4, 19_968),
              "7g.40gb", new Slice(8, 40_192)),
          "a30",
          Map.of(
              "1g.6gb", new Slice(2, 5_952),
              "2g.12gb", new Slice(4, 11_968),
              "4g.24gb", new Slice(8, 24_000)));

  private MigSlices() {}

  /**
   * A slice of a GPU, such as {@code h100-80gb 3g.40gb}.
   *
   * @return empty where the name is none of a slice
   * @throws IllegalArgumentException where the GPU is unknown or has no such slice
   */
  static Optional<DeviceProfile> named(String name) {
    Matcher parts = SLICE.matcher(name);
    if (!parts.matches()) {
      return Optional.empty();
    }
    DeviceProfile gpu = ShippedProfiles.named(parts.group(1));
    Map<String, Slice> slices = SLICES.get(gpu.name());
    if (slices == null) {
      throw new IllegalArgumentException(
          "%s has no known MIG slices; GPUs with slices: %s"
              .formatted(gpu.name(), String.join(", ", new TreeSet<>(SLICES.keySet()))));
    }
    String wanted = parts.group(2);
    Slice slice = slices.get(wanted);
    if (slice == null) {
      List<String> known = List.copyOf(new TreeSet<>(slices.keySet()));
      throw new IllegalArgumentException(
          "%s has no slice %s; %s"
              .formatted(
                  gpu.name(),
                  wanted,
                  SimilarName.remedy(wanted, known, "it has " + String.join(", ", known))));
    }
    return Optional.of(
        gpu.withTotal(slice.bytes(gpu))
            .withName(gpu.name() + " " + wanted)
            .withSource(slice.mib() == SHARE ? COMPUTED : LISTED));
  }
}
