package org.allocsim.validation.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.allocsim.analysis.serving.kvcache.CacheCallLog;
import org.allocsim.analysis.serving.kvcache.CacheLayout;
import org.allocsim.analysis.serving.kvcache.DriverWork;
import org.allocsim.analysis.serving.kvcache.ElasticCache;
import org.allocsim.analysis.serving.kvcache.JengaCache;
import org.allocsim.analysis.serving.kvcache.KvCache;
import org.allocsim.analysis.serving.kvcache.PagedCache;
import org.allocsim.analysis.serving.kvcache.PrefixHashes;
import org.allocsim.analysis.serving.kvcache.VirtualCache;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.cost.DriverCall;
import org.allocsim.simulator.device.cost.DriverCosts;
import org.allocsim.simulator.policy.Policies;
import org.allocsim.simulator.policy.PolicySettings;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.StackTable;
import org.allocsim.validation.gpu.cuda.CudaDevice;
import org.allocsim.validation.gpu.cuda.FakeCuda;
import org.allocsim.validation.gpu.cuda.GpuBounds;
import org.allocsim.validation.gpu.summary.QuantitySummary;
import org.allocsim.validation.gpu.summary.Share;
import org.allocsim.validation.gpu.summary.ValidationSummary;
import org.allocsim.workloads.model.LayerGroup;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GpuValidationTest {
  private static final long MIB = 1L << 20;
  private static final int SLOTS = 6;
  private static final DeviceProfile CARD =
      GpuValidation.profile(
          new CudaDevice.Identity("fake", 13_000, 2500 * MIB, 2048 * MIB), 2048 * MIB);

  private final List<FakeCuda> opened = new ArrayList<>();

  /** Requests and frees of all sizes on two streams. */
  private static AllocationTrace trace() {
    AllocationTrace.Builder builder = new AllocationTrace.Builder();
    Random random = new Random(7);
    List<Integer> live = new ArrayList<>();
    for (int step = 0; step < 600; step++) {
      builder.at(0, step, 0);
      if (live.size() > 20 || !live.isEmpty() && random.nextInt(3) == 0) {
        builder.free(live.remove(/* index */ random.nextInt(live.size())));
      } else {
        long bytes = 1 + (long) Math.exp(random.nextDouble() * Math.log(100.0 * MIB));
        live.add(builder.allocate(bytes, random.nextInt(4) == 0 ? 0x55 : 0, PoolId.DEFAULT));
      }
      if (step % 97 == 0) {
        builder.synchronize();
      }
    }
    return builder.build(new StackTable.Builder().build());
  }

  private GpuCase of(String policy, Map<String, String> options, long capacityBytes) {
    return new GpuCase(
        trace(),
        0,
        Policies.named(policy).orElseThrow(),
        new PolicySettings(-1, options),
        capacityBytes,
        false);
  }

  private GpuValidation on(DeviceProfile card, int failingAllocation) {
    return new GpuValidation(
        (bounds, listener) -> {
          FakeCuda cuda = new FakeCuda(card);
          cuda.failingAllocation = failingAllocation;
          opened.add(cuda);
          return new CudaDevice(cuda, bounds, listener);
        },
        GpuBounds.NONE);
  }

  @ParameterizedTest
  @CsvSource({"direct,", "cuda-async,", "pytorch,", "pytorch,expandable_segments:True"})
  void aDriverThatFollowsTheModelIsPredictedExactly(String policy, String conf) throws Exception {
    GpuCase run = of(policy, conf == null ? Map.of() : Map.of("conf", conf), -1);
    CaseResult result = on(CARD, -1).run(run);
    assertNull(result.firstDifference());
    assertTrue(result.freeBytes().compared() > 0 && result.freeBytes().isExact());
    assertTrue(result.poolReserved().isExact() && result.poolUsed().isExact());
    assertEquals(result.addresses().compared(), result.addresses().equalRelative());
    assertEquals(0, result.addresses().displacedAnchors());
    assertEquals(1, result.addresses().rankAgreement(), 1e-12);
    assertTrue(result.time().hasSameCalls());
    assertFalse(result.learned());
    assertFalse(result.isUnderEstimated());
    assertTrue(opened.getFirst().isClosed);
  }

  @Test
  void theHostIsTimedBeforeAndAfterCasesWhoseTimeCounts() throws Exception {
    HostSlowness slowness = on(CARD, -1).run(of("direct", Map.of(), -1)).time().hostSlowness();
    assertTrue(slowness.blocks() != 1 && slowness.handles() != 1 && slowness.pool() != 1);
    assertEquals(3, opened.size());
    opened.clear();
    CaseResult full = on(CARD, -1).run(of("direct", Map.of(), 1024 * MIB));
    assertEquals(HostSlowness.OF_PROFILE, full.time().hostSlowness());
    assertEquals(1, opened.size());
  }

  @Test
  void memoryThatIsMappedAtSeveralAddressesIsPredictedExactly() throws Exception {
    CaseResult result = on(CARD, -1).run(of("gmlake", Map.of("frag-limit", "2MiB"), -1));
    assertNull(result.firstDifference());
    assertTrue(result.freeBytes().isExact());
    assertEquals(result.addresses().compared(), result.addresses().equalRelative());
    Map<DriverCall, Long> calls = new EnumMap<>(DriverCall.class);
    result.time().calls().forEach(kind -> calls.put(kind.call(), kind.measuredCalls()));
    assertTrue(calls.get(DriverCall.MAP) > calls.get(DriverCall.CREATE), calls.toString());
    assertTrue(result.time().hasSameCalls());
  }

  /** Sequences that begin, grow and end, in a small cache also for want of room. */
  private static void serve(KvCache cache) {
    Random random = new Random(3);
    PrefixHashes unlike = block -> random.nextLong();
    int[] tokens = new int[SLOTS];
    for (int step = 0; step < 2000; step++) {
      int slot = random.nextInt(SLOTS);
      if (tokens[slot] == 0) {
        int count = 1 + random.nextInt(6000);
        tokens[slot] = cache.begin(slot, unlike, 0, count) ? count : 0;
      } else if (random.nextInt(8) == 0 || !cache.grow(slot, tokens[slot] + 200)) {
        cache.end(slot);
        tokens[slot] = 0;
      } else {
        tokens[slot] += 200;
      }
    }
  }

  @Test
  void whatCachesAskOfTheDriverIsPredictedExactly() {
    List<LayerGroup> layers = List.of(new LayerGroup(3, 4096, 0), new LayerGroup(2, 2048, 512));
    CacheCallLog virtual = new CacheCallLog();
    CacheCallLog elastic = new CacheCallLog();
    KvCache[] caches = {
      new VirtualCache(
          layers, 512 * MIB, 2 * MIB, SLOTS, new DriverWork(DriverCosts.NONE, virtual)),
      new ElasticCache(layers, 1500 * MIB, 16, new DriverWork(DriverCosts.NONE, elastic)),
      new PagedCache(layers, 256 * MIB, 16, 0),
      new JengaCache(layers, 256 * MIB, 16)
    };
    CacheCallLog[] calls = {virtual, elastic, new CacheCallLog(), new CacheCallLog()};
    for (int i = 0; i < caches.length; i++) {
      serve(caches[i]);
      CacheCallLog log = calls[i];
      CacheLayout layout = caches[i].layout();
      CaseResult result = on(CARD, -1).run(log.count(), memory -> log.replay(layout, memory));
      assertNull(result.firstDifference());
      assertTrue(result.freeBytes().compared() > 0 && result.freeBytes().isExact());
      assertEquals(OomComparison.Verdict.NEITHER, result.failures().verdict());
      Map<DriverCall, Long> made = new EnumMap<>(DriverCall.class);
      result.time().calls().forEach(kind -> made.put(kind.call(), kind.measuredCalls()));
      DriverWork work = caches[i].driverWork();
      assertEquals(work.mapCalls(), made.getOrDefault(DriverCall.MAP, 0L));
      assertEquals(work.unmapCalls(), made.getOrDefault(DriverCall.UNMAP, 0L));
      assertEquals(i < 2, work.unmapCalls() > 0, caches[i].getClass().getSimpleName());
    }
  }

  @Test
  void aCacheThatTheGpuHasNoRoomForIsRefused() {
    CacheLayout layout =
        new PagedCache(List.of(new LayerGroup(3, 4096, 0)), 4096 * MIB, 16, 0).layout();
    CaseResult result = on(CARD, -1).run(0, memory -> new CacheCallLog().replay(layout, memory));
    assertNull(result.firstDifference());
    assertEquals(1, result.refusedCalls());
  }

  @ParameterizedTest
  @CsvSource({"direct", "pytorch"})
  void theAddressesOfAProcessAreLearnedFromItsFirstSegments(String policy) throws Exception {
    DeviceProfile moved =
        CARD.withAddresses(
            CARD.arenaAddress() + 3 * CARD.reservationBytes(),
            CARD.topAddress() - 5 * CARD.reservationBytes());
    CaseResult result = on(moved, -1).run(of(policy, Map.of(), -1));
    assertTrue(result.learned());
    assertEquals(0, result.addresses().displacedAnchors());
    assertEquals(result.addresses().compared(), result.addresses().equalRelative());
    assertNull(result.firstDifference());
  }

  /** In a process with a Java heap the driver puts ranges elsewhere than in others. */
  @Test
  void theBaseOfRangesIsLearnedToo() throws Exception {
    DeviceProfile moved = CARD.withRangeAddress(0x9_0200_0000L);
    CaseResult result = on(moved, -1).run(of("gmlake", Map.of("frag-limit", "2MiB"), -1));
    assertTrue(result.learned());
    assertTrue(result.addresses().compared() > 0);
    assertEquals(0, result.addresses().displacedAnchors());
    assertEquals(result.addresses().compared(), result.addresses().equalRelative());
  }

  @Test
  void aRefusalThatWasNotPredictedIsTheFirstDifference() throws Exception {
    CaseResult result = on(CARD, 40).run(of("direct", Map.of(), -1));
    assertTrue(result.firstDifference().contains("ALLOCATE"), result.firstDifference());
    assertTrue(result.firstDifference().contains("refused"), result.firstDifference());
    assertEquals(OomComparison.Verdict.MEASURED_ONLY, result.failures().verdict());
    assertEquals(40, result.failures().measuredFirst());
    assertFalse(result.time().hasSameCalls());
    assertTrue(result.equalCalls() < result.measuredCalls());
  }

  @Test
  void withMemoryHeldBackTheSameRequestsFail() throws Exception {
    GpuCase free = of("direct", Map.of(), -1);
    GpuValidation validation = on(CARD, -1);
    NearLimits limits =
        new NearLimits(free, validation.identify(), validation.identify().freeBytesAtStart());
    List<GpuCase> cases = limits.cases();
    assertEquals(4, cases.size());
    for (int i = 0; i < cases.size(); i++) {
      CaseResult result = validation.run(cases.get(i));
      assertEquals(
          i % 2 == 0 ? OomComparison.Verdict.NEITHER : OomComparison.Verdict.SAME_REQUEST,
          result.failures().verdict());
      assertTrue(result.failures().same());
      assertTrue(result.freeBytes().isExact());
    }
    assertEquals(cases.get(0).capacityBytes(), validation.run(cases.get(0)).capacityBytes());
    assertTrue(opened.stream().allMatch(cuda -> cuda.isClosed));
  }

  @Test
  void theSummaryCountsEveryCaseOnce() throws Exception {
    CaseResult right = on(CARD, -1).run(of("direct", Map.of(), -1));
    CaseResult wrong = on(CARD, 40).run(of("direct", Map.of(), -1));
    ValidationSummary summary = ValidationSummary.of(List.of(right, right, wrong));
    assertEquals(3, summary.cases());
    assertEquals(2, summary.sameCalls());
    assertEquals(2, summary.sameFailures());
    assertEquals(2, summary.confusion().get(OomComparison.Verdict.NEITHER));
    assertEquals(1, summary.confusion().get(OomComparison.Verdict.MEASURED_ONLY));
    assertEquals(
        2 * right.addresses().compared() + wrong.addresses().compared(),
        summary.addressesCompared());
    assertTrue(summary.lowTimeRatio() <= summary.timeRatio());
    assertEquals(2, summary.failures(false, false));
    assertEquals(1, summary.failures(false, true));
    assertEquals(0, summary.failures(true, false) + summary.failures(true, true));
    QuantitySummary peak = summary.quantities().get(ValidationSummary.Quantity.PEAK_BYTES);
    assertEquals(3, peak.compared());
    assertEquals(new Share(peak.exact(), 3), peak.cases());
    assertEquals(Math.abs(wrong.predictedPeakBytes() - wrong.measuredPeakBytes()), peak.maxError());
    assertTrue(summary.lowMeanTimeError() <= summary.meanTimeError());
    assertTrue(summary.meanTimeError() <= summary.maxTimeError());
    assertEquals(1, summary.minRankAgreement(), 1e-12);
  }

  @ParameterizedTest
  @CsvSource({
    "NVIDIA H100 80GB HBM3,h100-80gb",
    "NVIDIA H200,h200",
    "NVIDIA L4,l4",
    "NVIDIA GeForce RTX 4090,rtx-4090",
    "something else,h100-80gb"
  })
  void theNameOfTheGpuTellsItsProfile(String gpu, String profile) {
    CudaDevice.Identity identity = new CudaDevice.Identity(gpu, 13_000, 16L << 30, 15L << 30);
    DeviceProfile found = GpuValidation.profile(identity, 14L << 30);
    assertEquals(profile, found.name());
    assertEquals(14L << 30, found.capacityBytes());
    assertNotEquals(0, found.costs().allocateNanos());
  }
}
