package org.allocsim.simulator.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.simulator.device.AddressHistory;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.device.simulated.AddressHistoryFinder;
import org.allocsim.simulator.device.simulated.SimulatedDevice;
import org.allocsim.simulator.effect.EffectKind;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.effect.EffectLog;
import org.allocsim.simulator.policy.PolicyChoice;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.StackTable;
import org.allocsim.simulator.trace.Work.Collective;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where segments lie is compared with that on a device on which the same is done by hand. */
class ProgramProcessTest {
  private static final long PAGE = DeviceProfile.PAGE_BYTES;
  private static final long WORKSPACE = 16 * PAGE;

  private final AllocationTrace.Builder program = new AllocationTrace.Builder();
  private AllocationTrace trace;
  private final DeviceProfile profile = DeviceProfiles.ofCapacity(1L << 36);
  private final SimulatedDevice device = new SimulatedDevice(profile);
  private final List<Long> expected = new ArrayList<>();

  private int allocate(long bytes, long stream) {
    expected.add(device.allocate(bytes));
    return program.allocate(bytes, stream, PoolId.DEFAULT);
  }

  private int allocate(long bytes) {
    return allocate(bytes, 0);
  }

  private void free(int allocation, long bytes) {
    device.free(expected.get(allocation), bytes);
    program.free(allocation);
  }

  /** Addresses that the driver gives a program without an allocator of its own. */
  private List<Long> addresses(DeviceProfile profile, long passes) {
    List<Long> addresses = new ArrayList<>();
    EffectListener listener =
        new EffectListener() {
          @Override
          public void segmentAllocated(long address, long bytes, int stream, boolean small) {
            addresses.add(address);
          }
        };
    if (trace == null) {
      trace = program.build(StackTable.empty());
    }
    RunSetup setup = new RunSetup(trace, 0, PolicyChoice.parse("direct"), -1, profile);
    Run.of(setup.repeated(passes), RunObserver.hearing(listener));
    return addresses;
  }

  private void assertAddresses() {
    assertEquals(expected, addresses(profile, 1));
  }

  private void takePages(int blocks, int pages) {
    for (int block = 0; block < blocks; block++) {
      device.takeHiddenPages(pages);
    }
  }

  private void firstKernels() {
    takePages(5, 1);
    device.runKernels();
  }

  private void handle(boolean first) {
    takePages(1, 32);
    takePages(1, 1);
    takePages(first ? 2 : 0, 16);
  }

  @Test
  void aProgramThatDoesNotRunOnPyTorchTakesNothingBesideItsRequests() {
    program.ofPyTorch(false);
    allocate(PAGE);
    free(allocate(PAGE, 0x5000), PAGE);
    allocate(WORKSPACE, 0x5000);
    allocate(PAGE);
    assertAddresses();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void messagesTakeMemoryWhateverFrameworkSendsThem(boolean ofPyTorch) {
    program.ofPyTorch(ofPyTorch);
    Collective message = new Collective(Collective.Pattern.ALL_REDUCE, PAGE, 4);
    program.allocate(PAGE, 0, PoolId.DEFAULT);
    program.launch(message, 0);
    AllocationTrace rows = program.build(StackTable.empty());
    ProgramProcess process = new ProgramProcess(rows, 0, device);
    for (int row = 0; row < rows.eventCount(); row++) {
      process.before(row, false);
    }
    CommunicatorMemory alone = new CommunicatorMemory(profile.compute());
    alone.send(message);
    assertEquals(alone.bytes(), device.collectivesBytes());
  }

  @Test
  void nothingIsKnownOfAProgramOfNobodyWithoutMessages() {
    program.ofPyTorch(false);
    program.allocate(PAGE, 0x5000, PoolId.DEFAULT);
    assertFalse(ProgramProcess.isKnown(program.build(StackTable.empty())));
  }

  @Test
  void streamsAreMadeWithTheFirstRequestOnAnotherThanTheDefaultStream() {
    allocate(PAGE);
    device.createStreams(32);
    allocate(PAGE, 0x5000);
    allocate(PAGE, 0x6000);
    allocate(3 * PAGE);
    assertAddresses();
  }

  @Test
  void theFirstFreeShowsThatKernelsRun() {
    int first = allocate(20 * PAGE);
    int second = allocate(PAGE);
    firstKernels();
    free(second, PAGE);
    allocate(3 * PAGE);
    free(first, 20 * PAGE);
    allocate(2 * PAGE);
    allocate(40 * PAGE);
    assertAddresses();
  }

  @Test
  void theFirstHandleOfCublasBringsBlocksOfTheLibrary() {
    allocate(PAGE);
    handle(true);
    allocate(WORKSPACE);
    allocate(PAGE);
    handle(false);
    allocate(WORKSPACE);
    allocate(PAGE);
    allocate(WORKSPACE - 512);
    allocate(PAGE);
    assertAddresses();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 5})
  void thePlaceOfTheLocalMemoryIsUsedUpWithThe256thRequestAfterTheFirstKernel(int before) {
    for (int request = 0; request < before; request++) {
      allocate(PAGE);
    }
    int first = allocate(PAGE);
    firstKernels();
    free(first, PAGE);
    for (int request = 1; request < 255; request++) {
      allocate(512);
    }
    allocate(40 * PAGE);
    device.fillLocalMemory();
    allocate(40 * PAGE);
    for (int request = 0; request < 260; request++) {
      allocate(PAGE);
    }
    assertAddresses();
  }

  @Test
  void whatHappensWithAPassHappensOnce() {
    int first = allocate(PAGE);
    firstKernels();
    free(first, PAGE);
    free(allocate(PAGE), PAGE);
    for (int again = 0; again < 2; again++) {
      long address = device.allocate(PAGE);
      expected.add(address);
      device.free(address, PAGE);
    }
    assertEquals(expected, addresses(profile, 2));
  }

  @Test
  void rowsOfAnotherDeviceChangeNothing() {
    allocate(PAGE);
    program.at(1, 0, 0);
    program.free(program.allocate(WORKSPACE, 0x5000, PoolId.DEFAULT));
    program.at(0, 0, 0);
    allocate(PAGE);
    assertAddresses();
  }

  /** Rows before which something happens; the last one is none of the trace. */
  private List<Integer> wakeRows(DeviceProfile profile) {
    AllocationTrace rows = program.build(StackTable.empty());
    ProgramProcess process = new ProgramProcess(rows, 0, new SimulatedDevice(profile));
    List<Integer> wakes = new ArrayList<>();
    for (int row = 0; row < rows.eventCount(); row = wakes.getLast()) {
      wakes.add(process.before(row, false));
    }
    return wakes;
  }

  @Test
  void onlyRowsBeforeWhichSomethingHappensAreNamed() {
    allocate(PAGE);
    free(allocate(PAGE), PAGE);
    free(allocate(PAGE), PAGE);
    program.emptyCache();
    allocate(PAGE, 0x5000);
    allocate(PAGE, 0x5000);
    allocate(WORKSPACE);
    int filled = program.eventCount();
    for (int request = 5; request <= 300; request++) {
      allocate(PAGE);
    }
    // The first free, the first stream, a workspace, and the 256th request after the first free.
    assertEquals(List.of(2, 6, 8, filled + 256 - 5, Integer.MAX_VALUE), wakeRows(profile));
  }

  @Test
  void ofAKnownProcessOnlyRequestsWithAChangeAreNamed() {
    AddressHistory history = AddressHistoryFinder.find(recordedProcess(), stream -> 0);
    allocate(PAGE);
    program.endPrologue();
    for (int request = 0; request < 6; request++) {
      free(allocate(WORKSPACE), WORKSPACE);
    }
    List<Integer> rows = new ArrayList<>();
    for (int change = 0; change < history.count(); change++) {
      rows.add(1 + 2 * (int) history.request(change));
    }
    rows.add(Integer.MAX_VALUE);
    assertEquals(
        rows.stream().distinct().toList(),
        wakeRows(DeviceProfiles.defaultProfile().withHistory(history)));
  }

  /** Segments of 32 MiB of a recorded process, in which one place is another's. */
  private static EffectLog recordedProcess() {
    SimulatedDevice recorded = new SimulatedDevice(DeviceProfiles.defaultProfile());
    EffectLog log = new EffectLog();
    for (int request = 0; request < 6; request++) {
      if (request == 3) {
        recorded.takeHiddenPages(16);
      }
      log.add(EffectKind.SEGMENT_ALLOC, recorded.allocate(WORKSPACE), WORKSPACE, 0);
      log.add(EffectKind.ALLOC, log.address(log.count() - 1), WORKSPACE, 0);
    }
    return log;
  }

  @Test
  void aRecordedProcessFollowsItsHistory() {
    EffectLog log = recordedProcess();
    AddressHistory history = AddressHistoryFinder.find(log, stream -> 0);
    assertEquals(true, history.isKnown());
    assertNotEquals(0, history.count());
    List<Long> recorded = new ArrayList<>();
    for (int row = 0; row < log.count(); row += 2) {
      recorded.add(log.address(row));
      int allocation = program.allocate(WORKSPACE, 0, PoolId.DEFAULT);
      program.useStream(allocation, 0, 0);
    }
    DeviceProfile known = DeviceProfiles.defaultProfile().withHistory(history);
    assertEquals(recorded, addresses(known, 1));
    assertNotEquals(recorded, addresses(DeviceProfiles.defaultProfile(), 1));
  }
}
