package org.allocsim.simulator.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.lang.reflect.Constructor;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.device.simulated.SimulatedDevice;
import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.RequestKind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PoliciesTest {
  private static final PolicySettings DEFAULTS = new PolicySettings(-1, Map.of());

  @Test
  void everyPolicyDescribesItselfAndHasAnIdOfItsOwn() {
    List<PolicyProvider> all = Policies.all();
    assertTrue(all.stream().anyMatch(provider -> provider.spec().id().equals("pytorch")));
    assertEquals(all.size(), all.stream().map(provider -> provider.spec().id()).distinct().count());
    for (PolicyProvider provider : all) {
      PolicySpec spec = provider.spec();
      assertTrue(spec.id().matches("[a-z][a-z0-9-]*"), spec.id());
      assertFalse(spec.summary().isBlank(), spec.id());
      assertFalse(spec.source().isBlank(), spec.id());
      for (PolicySpec.Option option : spec.options()) {
        assertFalse(option.meaning().isBlank(), spec.id() + " " + option.name());
      }
    }
  }

  @Test
  void everyPolicySaysHowItsRulesAreKnown() {
    for (PolicyProvider provider : Policies.all()) {
      assertTrue(
          provider
              .spec()
              .source()
              .matches(".*(recorded|source read|published rules|a model|a definition).*"),
          provider.spec()::toString);
    }
  }

  @Test
  void everyPolicyServesAndTakesBackARequestWithItsDefaults() throws Exception {
    AllocationTrace.Builder trace = new AllocationTrace.Builder();
    trace.free(trace.allocate(1L << 20, 0, PoolId.DEFAULT));
    FutureRequests future = new FutureRequests(RandomTraces.build(trace), 0);
    for (PolicyProvider provider : Policies.all()) {
      AllocatorPolicy policy =
          provider.create(
              DEFAULTS,
              provider.spec().kind() == PolicySpec.Kind.OFFLINE ? future : FutureRequests.NONE,
              new SimulatedDevice(DeviceProfiles.ofCapacity(1L << 30)),
              EffectListeners.NONE);
      assertNotEquals(AllocatorPolicy.OUT_OF_MEMORY, policy.allocate(0, 1L << 20, 0, 0));
      policy.free(0);
      MemoryLayout layout = MemoryLayout.of(policy);
      for (int block = 0; block < layout.blockCount(); block++) {
        assertEquals(LayoutVisitor.BlockState.INACTIVE, layout.state(block), provider.spec().id());
      }
    }
  }

  @Test
  void policyWithoutTheNotionServesWhatIsToBeRestoredAsAnOrdinaryRequest() throws Exception {
    RequestScript script = new RequestScript("direct", Map.of());
    AllocatorPolicy direct = script.policy();
    assertEquals(RequestScript.BASE, direct.restoreBlock(0, 512, 0, 0, 1L << 30));
    direct.free(0, 0);
    assertEquals(1, script.returns().size());
  }

  @Test
  void whatIsNotKnownBeforehandChangesNoAllocator() {
    assertFalse(FutureRequests.NONE.isKnown());
    assertFalse(FutureRequests.NONE.changeAllocator());
    FutureRequests known = new FutureRequests(RandomTraces.of(1, 5, 1), 0);
    assertTrue(known.isKnown());
    assertFalse(known.changeAllocator());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4})
  void noPolicyReservesLessThanIsLive(int seed) {
    AllocationTrace trace = RandomTraces.of(seed, 500, seed % 3 + 1);
    assertEquals(maxLiveBytes(trace), run("max-live", trace).peakReservedBytes());
    for (PolicyProvider provider : Policies.all()) {
      String id = provider.spec().id();
      PolicyRun run = run(id, trace);
      // A policy that refuses some sizes is bound by what it served.
      long least = run.refusedRequests() == 0 ? maxLiveBytes(trace) : run.peakRequestedBytes();
      assertTrue(least > 0 && run.peakReservedBytes() >= least, id);
    }
  }

  private static PolicyRun run(String id, AllocationTrace trace) {
    Map<String, String> options =
        switch (id) {
          case "plan-search" -> Map.of("nodes", "2000");
          case "ggml-vmm" -> Map.of("frees", "deferred");
          default -> Map.of();
        };
    return PolicyRun.of(id, options, trace, 1L << 42, -1, PolicyTraits.ANY, false);
  }

  private static long maxLiveBytes(AllocationTrace trace) {
    long[] bytes = new long[trace.allocationCount()];
    long live = 0;
    long most = 0;
    for (int event = 0; event < trace.eventCount(); event++) {
      if (trace.kind(event) == RequestKind.ALLOCATE) {
        bytes[trace.allocation(event)] = trace.bytes(event);
        live += trace.bytes(event);
        most = Math.max(most, live);
      } else if (trace.kind(event) == RequestKind.FREE) {
        live -= bytes[trace.allocation(event)];
      }
    }
    return most;
  }

  @Test
  void everyPolicyHasItsContractTest() throws ReflectiveOperationException {
    Set<String> tested = new TreeSet<>();
    for (JavaClass test :
        new ClassFileImporter()
            .importPackages("org.allocsim.simulator.policy")
            .get(PolicyContract.class)
            .getAllSubclasses()) {
      Constructor<?> constructor = test.reflect().getDeclaredConstructor();
      constructor.setAccessible(true);
      tested.add(((PolicyContract) constructor.newInstance()).policyId());
    }
    Set<String> installed = new TreeSet<>();
    Policies.all().forEach(provider -> installed.add(provider.spec().id()));
    assertEquals(installed, tested);
  }

  @Test
  void optionsReachThePolicyAndBadOnesAreRefusedWithASentence() throws Exception {
    PolicyProvider pytorch = Policies.named("pytorch").orElseThrow();
    SimulatedDevice device = new SimulatedDevice(DeviceProfiles.ofCapacity(1L << 30));
    AllocatorPolicy policy =
        pytorch.create(
            new PolicySettings(-1, Map.of("conf", "expandable_segments:True")),
            FutureRequests.NONE,
            device,
            EffectListeners.NONE);
    policy.allocate(0, 1, 0, 0);
    assertTrue(MemoryLayout.of(policy).isExpandable(0));
    PolicyOptionException error =
        assertThrows(
            PolicyOptionException.class,
            () ->
                pytorch.create(
                    new PolicySettings(-1, Map.of("conf", "colour:blue")),
                    FutureRequests.NONE,
                    device,
                    EffectListeners.NONE));
    assertTrue(error.getMessage().contains("colour"), error.getMessage());
  }
}
