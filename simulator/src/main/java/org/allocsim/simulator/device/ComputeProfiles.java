package org.allocsim.simulator.device;

/**
 * Speed of the cards of the built-in profiles. Rates of arithmetic (dense) and of memory are those
 * that NVIDIA publishes for the card at its boost clock. Rates of copies are what the card's PCIe
 * generation carries in practice with large copies; launch and kernel times are typical ones of an
 * idle stream.
 */
final class ComputeProfiles {
  private static final long TERA = 1_000_000_000_000L;
  private static final long GIGA = 1_000_000_000L;
  private static final String PRACTICE =
      "; copies as typical of its PCIe generation, launch, kernel and pinning times as typical of"
          + " CUDA 12 and 13; none measured";

  static final ComputeProfile H100 =
      card("NVIDIA H100 data sheet (SXM5)", 67 * TERA, 495 * TERA, 989 * TERA, 3350 * GIGA, 5);

  static final ComputeProfile H200 =
      card("NVIDIA H200 data sheet (SXM)", 67 * TERA, 495 * TERA, 989 * TERA, 4800 * GIGA, 5);

  static final ComputeProfile A100_80GB =
      card(
          "NVIDIA A100 data sheet (80 GB SXM)",
          19_500 * GIGA,
          156 * TERA,
          312 * TERA,
          2039 * GIGA,
          4);

  static final ComputeProfile A100_40GB =
      card(
          "NVIDIA A100 data sheet (40 GB SXM)",
          19_500 * GIGA,
          156 * TERA,
          312 * TERA,
          1555 * GIGA,
          4);

  /** Volta and Turing know neither TF32 nor BF16. */
  static final ComputeProfile V100 =
      card(
          "NVIDIA V100 data sheet (SXM2)",
          15_700 * GIGA,
          15_700 * GIGA,
          125 * TERA,
          15_700 * GIGA,
          900 * GIGA,
          3);

  static final ComputeProfile RTX_4090 =
      card(
          "NVIDIA Ada GPU architecture white paper",
          82_600 * GIGA,
          82_600 * GIGA,
          165_200 * GIGA,
          1008 * GIGA,
          4);

  static final ComputeProfile RTX_3090 =
      card(
          "NVIDIA Ampere GA102 GPU architecture white paper",
          35_600 * GIGA,
          35_600 * GIGA,
          71_000 * GIGA,
          936 * GIGA,
          4);

  /** Its matrix products are not published: those of GA102 in proportion to fp32. */
  static final ComputeProfile RTX_3060 =
      card(
          "NVIDIA GeForce RTX 3060 specification, matrix products in the proportions of GA102",
          12_740 * GIGA,
          12_740 * GIGA,
          25_480 * GIGA,
          360 * GIGA,
          4);

  static final ComputeProfile L4 =
      card("NVIDIA L4 data sheet", 30_300 * GIGA, 60 * TERA, 121 * TERA, 300 * GIGA, 4);

  static final ComputeProfile T4 =
      card(
          "NVIDIA T4 data sheet",
          8_100 * GIGA,
          8_100 * GIGA,
          65 * TERA,
          8_100 * GIGA,
          320 * GIGA,
          3);

  private ComputeProfiles() {}

  private static ComputeProfile card(
      String source, long fp32, long tf32, long half, long memoryBytes, int pcie) {
    return card(source, fp32, tf32, half, half, memoryBytes, pcie);
  }

  /** Pinned copies reach some 85 % of a link's rate, and 16 lanes are assumed. */
  private static ComputeProfile card(
      String source, long fp32, long tf32, long fp16, long bf16, long memoryBytes, int pcie) {
    long pinned =
        switch (pcie) {
          case 3 -> 12_500_000_000L;
          case 4 -> 25_000_000_000L;
          default -> 54_000_000_000L;
        };
    return new ComputeProfile(
        source + PRACTICE,
        fp32,
        tf32,
        fp16,
        bf16,
        memoryBytes,
        4_000,
        2_000,
        pinned,
        Math.min(pinned / 2, 10_000_000_000L),
        8_000,
        20_000,
        350_000);
  }
}
