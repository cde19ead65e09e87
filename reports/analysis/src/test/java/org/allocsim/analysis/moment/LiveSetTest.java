package org.allocsim.analysis.moment;

import static org.allocsim.analysis.moment.TestPrograms.MIB;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import org.allocsim.analysis.moment.LiveSet.By;
import org.allocsim.analysis.moment.LiveSet.Group;
import org.allocsim.analysis.moment.MomentQuery.Kind;
import org.allocsim.analysis.program.Program;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.StackTable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class LiveSetTest {
  private static final String STACKS = "pytorch-models/gpt_fixed_accum_amp.stacks";

  private static LiveSet live(Landmarks landmarks, Kind kind, By by) {
    return LiveSet.of(
        TestPrograms.at(landmarks, kind),
        Origins.of(landmarks.program().input().trace(), 0),
        by,
        3);
  }

  /** Two stacks of which PyTorch's own frames differ, a block without one, phases in phases. */
  private static Program program() throws Exception {
    StackTable.Builder stacks = new StackTable.Builder();
    String torch = "/env/lib/python3.12/site-packages/torch/nn/modules/module.py";
    int user = stacks.frame("/home/me/project/model.py", 12, "forward");
    int one = stacks.stack(stacks.frame(torch, 1, "_call_impl"), user);
    int two = stacks.stack(stacks.frame(torch, 2, "_wrapped_call_impl"), user);
    AllocationTrace.Builder trace = new AllocationTrace.Builder();
    trace.at(0, 0, one);
    trace.allocate(1000, 0, PoolId.DEFAULT);
    trace.markerBegin("step");
    trace.at(0, 1, two);
    trace.allocate(3000, 0, PoolId.DEFAULT);
    trace.markerBegin("backward");
    trace.at(0, 2, StackTable.NONE);
    trace.allocate(30 * MIB, 0, PoolId.DEFAULT);
    trace.markerEnd("step");
    trace.at(0, 3, one);
    trace.allocate(5, 0, PoolId.DEFAULT);
    return TestPrograms.modelled(trace, stacks.build(), "", 200 * MIB);
  }

  @Test
  void stacksAreShortenedToTheProgramsFrames() throws Exception {
    LiveSet live = live(TestPrograms.survey(program()), Kind.END, By.STACK);
    assertEquals(
        List.of(new Group("project/model.py:12 forward", 3, 4005, 1024 + 3072 + 512)),
        live.groups());
    assertEquals(new Group("no stack recorded", 1, 30 * MIB, 30 * MIB), live.unknown());
  }

  @Test
  void phasesNestAndAnEndClosesWhatIsOpenInside() throws Exception {
    LiveSet live = live(TestPrograms.survey(program()), Kind.END, By.PHASE);
    assertEquals(
        List.of(
            new Group("step > backward", 1, 30 * MIB, 30 * MIB),
            new Group("step", 1, 3000, 3072),
            new Group("outside every phase", 2, 1005, 1536)),
        live.groups());
  }

  @Test
  void sizesAreClassesOfPowersOfTwo() throws Exception {
    LiveSet live = live(TestPrograms.survey(program()), Kind.END, By.SIZE);
    assertEquals(
        List.of("16 MiB to 32 MiB", "2 KiB to 4 KiB", "512 B to 1 KiB", "4 B to 8 B"),
        live.groups().stream().map(Group::label).toList());
  }

  @Test
  void theLargestSizeHasAClass() {
    assertEquals("4 EiB to 8 EiB", LiveSet.sizeClass(Long.MAX_VALUE));
    assertEquals("1 B to 2 B", LiveSet.sizeClass(0));
  }

  @Test
  void aBlockThatAwaitsItsFreeIsInNoGroup() throws Exception {
    AllocationTrace.Builder trace = new AllocationTrace.Builder();
    int shared = trace.allocate(3 * MIB + 1, 0, PoolId.DEFAULT);
    trace.useUnknownStream(shared, 0);
    trace.free(shared);
    trace.allocate(5 * MIB, 0, PoolId.DEFAULT);
    Landmarks landmarks =
        TestPrograms.survey(TestPrograms.modelled(trace, StackTable.empty(), "", 200 * MIB));
    MemoryMoment moment = TestPrograms.at(landmarks, Kind.END);
    LiveSet live = live(landmarks, Kind.END, By.SIZE);
    assertEquals(5 * MIB, live.allocated().blockBytes());
    assertEquals(3 * MIB + 1, live.awaiting().requestedBytes());
    assertEquals(live.awaiting().blockBytes(), moment.slack().awaitingBytes());
    assertEquals(3 * MIB + 1, moment.bytes().awaitingRequestedBytes());
  }

  @ParameterizedTest
  @EnumSource(By.class)
  void groupsAddUpToTheByte(By by) throws Exception {
    for (String name : List.of("cuda_graph", "prefetch_streams", "device_oom")) {
      Landmarks landmarks = TestPrograms.survey(TestPrograms.recorded(TestPrograms.shipped(name)));
      for (Kind kind : List.of(Kind.PEAK_RESERVED, Kind.PEAK_ALLOCATED, Kind.PEAK_REQUESTED)) {
        assertSums(TestPrograms.at(landmarks, kind), live(landmarks, kind, by));
      }
    }
  }

  private static void assertSums(MemoryMoment moment, LiveSet live) {
    assertEquals(moment.bytes().allocatedBytes(), live.allocated().blockBytes());
    assertEquals(moment.bytes().requestedBytes(), live.allocated().requestedBytes());
    assertEquals(moment.slack().awaitingBytes(), live.awaiting().blockBytes());
  }

  /** Adam keeps two values for every parameter, from its first step on. */
  @Test
  void theOptimizersStateIsTwiceTheParameters() throws Exception {
    Path file = TestPrograms.shared(STACKS);
    Landmarks landmarks = TestPrograms.survey(TestPrograms.recorded(file));
    LiveSet phases = live(landmarks, Kind.PEAK_ALLOCATED, By.PHASE);
    LiveSet stacks = live(landmarks, Kind.PEAK_ALLOCATED, By.STACK);
    Group parameters =
        stacks.groups().stream()
            .filter(group -> group.label().startsWith("transformers/modeling_utils.py:3706 to"))
            .findFirst()
            .orElseThrow();
    Group state =
        phases.groups().stream()
            .filter(group -> group.label().equals("Optimizer.step#AdamW.step"))
            .findFirst()
            .orElseThrow();
    assertEquals(2 * parameters.requestedBytes(), state.requestedBytes());
    assertEquals(2 * parameters.blocks(), state.blocks());
    assertSums(TestPrograms.at(landmarks, Kind.PEAK_ALLOCATED), stacks);
    assertTrue(stacks.unknown().blocks() > 0, "backward runs in a thread without Python");
  }
}
