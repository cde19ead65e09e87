package org.allocsim.simulator.policy.bfc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.device.simulated.SimulatedDevice;
import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.FutureRequests;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.PolicySettings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Limits and habits by preset and option. */
class BfcProviderTest {
  /** The GPU of the recordings. */
  private static final long TOTAL = 85_017_493_504L;

  /** A GPU that lists what is asked of it. */
  private static final class Card implements DeviceMemory {
    final List<Long> asked = new ArrayList<>();
    private final SimulatedDevice device;
    private final long freeBytes;
    private final long totalBytes;

    Card(long freeBytes, long totalBytes) {
      device = new SimulatedDevice(DeviceProfiles.ofCapacity(1L << 40));
      this.freeBytes = freeBytes;
      this.totalBytes = totalBytes;
    }

    @Override
    public long allocate(long bytes) {
      asked.add(bytes);
      return device.allocate(bytes);
    }

    @Override
    public void free(long address, long bytes) {
      device.free(address, bytes);
    }

    @Override
    public long reserve(long bytes, long pageBytes, int stream) {
      throw new AssertionError();
    }

    @Override
    public void unreserve(long address, long bytes) {
      throw new AssertionError();
    }

    @Override
    public boolean map(long address, long bytes, long pageBytes) {
      throw new AssertionError();
    }

    @Override
    public void unmap(long address, long bytes, long pageBytes) {
      throw new AssertionError();
    }

    @Override
    public long freeBytes() {
      return freeBytes;
    }

    @Override
    public long totalBytes() {
      return totalBytes;
    }
  }

  private static AllocatorPolicy create(long limit, Map<String, String> options, DeviceMemory card)
      throws PolicyOptionException {
    return new BfcProvider()
        .create(
            new PolicySettings(limit, options), FutureRequests.NONE, card, EffectListeners.NONE);
  }

  private static List<Long> asked(long limit, Map<String, String> options, Card card)
      throws PolicyOptionException {
    create(limit, options, card).allocate(0, 1, 0, 0);
    return card.asked;
  }

  @ParameterizedTest
  @CsvSource({"0.05,4250927104", "0.02,1700790272", "0.75,63763906560", "1,85017493504"})
  void jaxTakesTheFractionOfTheCardRoundedUpToTwoMebibytes(String fraction, long bytes)
      throws PolicyOptionException {
    assertEquals(List.of(bytes), asked(-1, Map.of("fraction", fraction), new Card(TOTAL, TOTAL)));
  }

  @Test
  void jaxTakesThreeQuartersByDefault() throws PolicyOptionException {
    assertEquals(List.of(63_763_906_560L), asked(-1, Map.of(), new Card(TOTAL, TOTAL)));
  }

  @Test
  void aMemoryLimitHoldsAsItIs() throws PolicyOptionException {
    assertEquals(List.of(1_000_000L / 256 * 256), asked(1_000_000, Map.of(), card()));
  }

  @Test
  void aMemoryLimitOfNothingServesNothing() throws PolicyOptionException {
    Card card = card();
    AllocatorPolicy policy = create(0, Map.of(), card);
    assertEquals(AllocatorPolicy.OUT_OF_MEMORY, policy.allocate(0, 1, 0, 0));
    AllocatorPolicy arena = arena(0, Map.of(), card);
    assertEquals(AllocatorPolicy.OUT_OF_MEMORY, arena.allocate(0, 1, 0, 0));
    assertEquals(List.of(), card.asked);
  }

  @Test
  void withoutPreallocationRegionsBeginWithTwoMebibytes() throws PolicyOptionException {
    assertEquals(List.of(2L << 20), asked(-1, Map.of("preallocate", "false"), card()));
    assertEquals(List.of(2L << 20), asked(-1, Map.of("preset", "jax-host"), card()));
  }

  @Test
  void pinnedHostMemoryIsLimitedTo64Gibibytes() throws PolicyOptionException {
    Map<String, String> options = Map.of("preset", "jax-host", "preallocate", "true");
    assertEquals(List.of(64L << 30), asked(-1, options, card()));
  }

  @ParameterizedTest
  @CsvSource({"6,500", "7,1050", "8,1536", "9,1800", "10,1800"})
  void tensorFlowLeavesAReserveThatGrowsWithTheCapability(String capability, long mebibytes)
      throws PolicyOptionException {
    long free = 80L << 30;
    Map<String, String> options = Map.of("preset", "tensorflow", "compute-capability", capability);
    assertEquals(List.of(free - (mebibytes << 20)), asked(-1, options, new Card(free, TOTAL)));
  }

  @Test
  void tensorFlowLeavesLittleOnASmallCardAndNothingOnATinyOne() throws PolicyOptionException {
    Map<String, String> options = Map.of("preset", "tensorflow");
    long small = 1L << 30;
    assertEquals(List.of(small - (225L << 20)), asked(-1, options, new Card(small, small)));
    for (long tiny : new long[] {100L << 20, 225L << 20}) {
      assertEquals(List.of(tiny), asked(-1, options, new Card(tiny, tiny)));
    }
    long notSmall = 2L << 30;
    Map<String, String> older = Map.of("preset", "tensorflow", "compute-capability", "6");
    assertEquals(List.of(notSmall - (500L << 20)), asked(-1, older, new Card(notSmall, notSmall)));
  }

  @Test
  void tensorFlowsFractionIsOfTheWholeCard() throws PolicyOptionException {
    Map<String, String> options = Map.of("preset", "tensorflow", "fraction", "0.5");
    assertEquals(List.of(42_508_746_752L), asked(-1, options, card()));
  }

  @Test
  void tensorFlowCollectsGarbageAndJaxDoesNot() throws PolicyOptionException {
    assertEquals(3, regionsAskedAfterFrees("tensorflow"));
    assertEquals(2, regionsAskedAfterFrees("jax"));
  }

  /** Two regions fill the limit and are freed; then a request is larger than either. */
  private static int regionsAskedAfterFrees(String preset) throws PolicyOptionException {
    Card card = card();
    AllocatorPolicy policy =
        create(6L << 20, Map.of("preset", preset, "preallocate", "false"), card);
    policy.allocate(0, 2L << 20, 0, 0);
    policy.allocate(1, 4L << 20, 0, 0);
    policy.free(0);
    policy.free(1);
    policy.allocate(2, 5L << 20, 0, 0);
    return card.asked.size();
  }

  @Test
  void aShareOfTheLimitIsTheMostThatARequestWastes() throws PolicyOptionException {
    Card card = card();
    AllocatorPolicy policy = create(1000 << 20, Map.of("fragmentation-fraction", "0.01"), card);
    long first = policy.allocate(0, 985L << 20, 0, 0);
    assertEquals(first + (985L << 20), policy.allocate(1, 15L << 20, 0, 0));
    policy.free(0);
    policy.allocate(2, 980L << 20, 0, 0);
    assertEquals(AllocatorPolicy.OUT_OF_MEMORY, policy.allocate(3, 5L << 20, 0, 0));
  }

  @Test
  void onACardOfUnknownSizeOnlyGrowthIsPossible() throws PolicyOptionException {
    PolicyOptionException error =
        assertThrows(PolicyOptionException.class, () -> create(-1, Map.of(), new Card(0, -1)));
    assertTrue(error.getMessage().contains("give a memory limit"), error.getMessage());
    assertEquals(
        List.of(2L << 20), asked(-1, Map.of("preallocate", "false"), new Card(1L << 40, -1)));
  }

  @ParameterizedTest
  @CsvSource({
    "preset,torch",
    "fraction,1.5",
    "fraction,-1",
    "preallocate,maybe",
    "colour,blue",
    "compute-capability,ampere",
    "fragmentation-fraction,2"
  })
  void whatDoesNotReadIsRefusedByName(String option, String value) {
    Map<String, String> options =
        option.equals("compute-capability")
            ? Map.of("preset", "tensorflow", option, value)
            : Map.of(option, value);
    PolicyOptionException error =
        assertThrows(PolicyOptionException.class, () -> create(-1, options, card()));
    assertTrue(error.getMessage().contains(option), error.getMessage());
  }

  @Test
  void mergingRegionsAndGarbageCollectionExcludeEachOther() {
    Map<String, String> options = Map.of("preset", "tensorflow", "merge-regions", "true");
    assertThrows(PolicyOptionException.class, () -> create(-1, options, card()));
  }

  @ParameterizedTest
  @CsvSource({
    "arena-extend-strategy,kTwice",
    "initial-chunk-size-bytes,0",
    "max-dead-bytes-per-chunk,1MB",
    "max-power-of-two-extend-bytes,4PiB4",
    "streams,2"
  })
  void theArenaRefusesWhatDoesNotRead(String option, String value) {
    PolicyOptionException error =
        assertThrows(PolicyOptionException.class, () -> arena(-1, Map.of(option, value), card()));
    assertTrue(error.getMessage().contains(option), error.getMessage());
  }

  @Test
  void sizesOfTheArenaAreFromOneByteTo2To61() throws PolicyOptionException {
    String option = "max-power-of-two-extend-bytes";
    arena(-1, Map.of(option, "" + (1L << 61)), card());
    assertThrows(
        PolicyOptionException.class,
        () -> arena(-1, Map.of(option, "" + ((1L << 61) + 1)), card()));
    for (int zero = 0; zero < 4; zero++) {
      long[] sizes = {1, 1, 1, 1};
      sizes[zero] = 0;
      assertThrows(
          IllegalArgumentException.class,
          () ->
              new OrtSettings(
                  1,
                  OrtSettings.Strategy.SAME_AS_REQUESTED,
                  sizes[0],
                  sizes[1],
                  sizes[2],
                  sizes[3],
                  false,
                  false));
    }
  }

  private static AllocatorPolicy arena(long limit, Map<String, String> options, DeviceMemory card)
      throws PolicyOptionException {
    return new OrtArenaProvider()
        .create(
            new PolicySettings(limit, options), FutureRequests.NONE, card, EffectListeners.NONE);
  }

  private static Card card() {
    return new Card(TOTAL, TOTAL);
  }
}
