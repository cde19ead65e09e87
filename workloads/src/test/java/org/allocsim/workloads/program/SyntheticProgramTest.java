package org.allocsim.workloads.program;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.EnumSet;
import java.util.Set;
import java.util.TreeSet;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.RequestKind;
import org.junit.jupiter.api.Test;

class SyntheticProgramTest {
  private static final int PROGRAMS = 200;

  /** A few requests of up to 256 MiB times 3 may follow the one that passes the bound. */
  private static final long MAX_BYTES = (2L << 30) + (3L << 30);

  @Test
  void aSeedAlwaysMakesTheSameProgramAndAnotherSeedAnother() {
    for (long seed = 1; seed <= 40; seed++) {
      SyntheticProgram first = SyntheticProgram.of(seed);
      SyntheticProgram again = SyntheticProgram.of(seed);
      assertEquals(text(first), text(again));
      assertNotEquals(text(first), text(SyntheticProgram.of(seed + 1)));
    }
  }

  @Test
  void everyKindOfRequestAndOfProgramComesUp() {
    Set<RequestKind> kinds = EnumSet.noneOf(RequestKind.class);
    Set<String> programs = new TreeSet<>();
    int limited = 0;
    int streams = 0;
    for (long seed = 1; seed <= PROGRAMS; seed++) {
      SyntheticProgram program = SyntheticProgram.of(seed);
      AllocationTrace trace = program.trace();
      for (int event = 0; event < trace.eventCount(); event++) {
        kinds.add(trace.kind(event));
      }
      programs.add(program.name().replaceAll("-[0-9]+$", ""));
      limited += program.limitBytes() >= 0 ? 1 : 0;
      streams = Math.max(streams, trace.streamCount());
    }
    assertTrue(
        kinds.containsAll(
            EnumSet.of(
                RequestKind.ALLOCATE,
                RequestKind.FREE,
                RequestKind.USE_STREAM,
                RequestKind.USE_COMPLETE,
                RequestKind.SYNCHRONIZE,
                RequestKind.EMPTY_CACHE,
                RequestKind.RELEASE_POOL,
                RequestKind.EMPTY_POOL,
                RequestKind.SNAPSHOT)),
        kinds::toString);
    assertEquals(Set.of("perturbed-training", "random", "serving", "training"), programs);
    assertTrue(limited > PROGRAMS / 3 && limited < PROGRAMS * 2 / 3, () -> "limits");
    assertEquals(4, streams);
  }

  @Test
  void aProgramFitsOnAGpuThatOthersUseAsWell() {
    for (long seed = 1; seed <= PROGRAMS; seed++) {
      AllocationTrace trace = SyntheticProgram.of(seed).trace();
      long[] bytes = new long[trace.allocationCount()];
      long live = 0;
      for (int event = 0; event < trace.eventCount(); event++) {
        if (trace.kind(event) == RequestKind.ALLOCATE) {
          bytes[trace.allocation(event)] = trace.bytes(event);
          live += trace.bytes(event);
        } else if (trace.kind(event) == RequestKind.FREE) {
          live -= bytes[trace.allocation(event)];
        }
        assertTrue(live <= MAX_BYTES, "seed " + seed);
      }
    }
  }

  private static String text(SyntheticProgram program) {
    AllocationTrace trace = program.trace();
    StringBuilder text = new StringBuilder(program.name().replaceAll("-[0-9]+$", ""));
    text.append(' ').append(program.limitBytes());
    for (int event = 0; event < trace.eventCount(); event++) {
      text.append(trace.kind(event))
          .append(trace.allocation(event))
          .append(' ')
          .append(trace.bytes(event))
          .append(' ')
          .append(trace.stream(event))
          .append(' ')
          .append(trace.pool(event));
    }
    return text.toString();
  }
}
