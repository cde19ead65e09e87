package org.allocsim.analysis.idle.profile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.allocsim.analysis.idle.IdleAnalysis;
import org.allocsim.analysis.idle.replay.WhatIf;
import org.allocsim.analysis.idle.timeline.Cause;
import org.allocsim.workloads.format.Progress;
import org.allocsim.workloads.format.TraceFormatException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Exports of Nsight Systems give the same graph of work as traces of Kineto. */
class NsysProfileTest {
  @TempDir private Path folder;

  private Path file(String name) throws Exception {
    try (InputStream stream = NsysProfileTest.class.getResourceAsStream(name)) {
      assertNotNull(stream, name);
      return Files.write(folder.resolve(name), stream.readAllBytes());
    }
  }

  /**
   * Four steps of the program loader_sleep (validation/idle) on an H200, which reads its loss each
   * step and empties the cache in the third; Nsight Systems 2025.3. The sums are those that SQLite
   * makes of the tables.
   */
  @Test
  void aRecordedProgramHasItsKernelsCopiesAndCauses() throws Exception {
    IdleAnalysis analysis = IdleAnalysis.read(file("loader.sqlite.xz"), Progress.NONE);
    TimeProfile profile = analysis.timeline().profile();
    assertEquals("NVIDIA H200", profile.source().gpuName());
    int[] counts = new int[RowKind.values().length];
    long kernelNanos = 0;
    for (int row = 0; row < profile.count(); row++) {
      counts[profile.kind(row).ordinal()]++;
      kernelNanos += profile.kind(row) == RowKind.KERNEL ? profile.durationNanos(row) : 0;
    }
    assertEquals(588, counts[RowKind.KERNEL.ordinal()]);
    assertEquals(KERNEL_NANOS, kernelNanos);
    assertEquals(12, counts[RowKind.COPY.ordinal()]);
    assertEquals(4, counts[RowKind.MEMSET.ordinal()]);
    assertEquals(1_161, counts[RowKind.CALL.ordinal()]);
    assertEquals(201, counts[RowKind.SYSTEM.ordinal()]);
    for (int work = 0; work < analysis.timeline().workCount(); work++) {
      assertTrue(analysis.timeline().callOf(work) >= 0, "every kernel has its launch");
    }
    // The last range of a name that is not the profiler's may be cut off.
    assertEquals(3, analysis.result().steps().size());
    assertEquals(17, counts(analysis, Cause.EMPTY_CACHE), "one for each segment that is freed");
    assertTrue(analysis.result().nanosOf(Cause.PAGEABLE_COPY) > 0);
    assertTrue(analysis.result().nanosOf(Cause.HOST_READ) > 0);
    assertEquals(
        "clock_nanosleep",
        analysis.result().causes().getFirst().where(),
        "the host sleeps in its dataset");
    WhatIf whatIf = new WhatIf(analysis, 0, null);
    assertEquals(0, whatIf.errorNanos());
    assertEquals(whatIf.recorded().stepNanos(), whatIf.unprofiled().stepNanos());
  }

  private static final long KERNEL_NANOS = 9_286_190L;

  private static long counts(IdleAnalysis analysis, Cause cause) {
    return analysis.result().gaps().stream().filter(gap -> gap.cause() == cause).count();
  }

  @Test
  void ofSeveralProcessesTheOneWithMostKernelsIsRead() throws Exception {
    TimeProfile profile = TimeProfileReader.read(file("processes.sqlite"), Progress.NONE);
    assertEquals(1, profile.source().otherProcesses());
    assertEquals(1, profile.source().damagedRows(), "a call ends before it begins");
    assertNull(profile.source().gpuName());
    List<String> rows = new ArrayList<>();
    for (int row = 0; row < profile.count(); row++) {
      rows.add(
          "%d %s %s %d"
              .formatted(
                  profile.startNanos(row),
                  profile.kind(row),
                  profile.name(row),
                  profile.laneOf(profile.lane(row)).number()));
    }
    assertEquals(
        List.of(
            "0 ANNOTATION train 70",
            "5000 OPERATOR aten::mm 70",
            "10000 CALL cudaLaunchKernel 70",
            "20000 KERNEL gemm 7",
            "500000 CALL cudaMemcpyAsync 70",
            "600000 COPY Memcpy HtoD (Pageable -> Device) 7",
            "1000000 ANNOTATION train 70",
            "1005000 OPERATOR aten::mm 70",
            "1010000 CALL cudaLaunchKernel 70",
            "1020000 KERNEL gemm 7"),
        rows);
  }

  @Test
  void otherDatabasesAreRefusedWithARemedy() throws Exception {
    String text = Files.readString(file("processes.sqlite"), StandardCharsets.ISO_8859_1);
    Path other = folder.resolve("other.sqlite");
    Files.writeString(
        other, text.replace("KIND_KERNEL", "KIND_KERNAL"), StandardCharsets.ISO_8859_1);
    String message =
        assertThrows(TraceFormatException.class, () -> TimeProfileReader.read(other, Progress.NONE))
            .getMessage();
    assertTrue(message.contains("no kernels of Nsight Systems"), message);
    assertTrue(message.contains("nsys export --type sqlite"), message);
    Files.writeString(
        other,
        text.replace("start INT, end INT, globalTid", "begin INT, end INT, globalTid"),
        StandardCharsets.ISO_8859_1);
    String columns =
        assertThrows(TraceFormatException.class, () -> TimeProfileReader.read(other, Progress.NONE))
            .getMessage();
    assertTrue(columns.contains("table CUPTI_ACTIVITY_KIND_RUNTIME has no column start"), columns);
    Files.writeString(other, text.substring(0, text.length() / 2), StandardCharsets.ISO_8859_1);
    assertThrows(TraceFormatException.class, () -> TimeProfileReader.read(other, Progress.NONE));
  }
}
