package org.allocsim.reports.question.tuning;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.allocsim.analysis.colocate.CommonClock;
import org.allocsim.analysis.colocate.ProcessMemory;
import org.allocsim.analysis.colocate.SharedGpu;
import org.allocsim.analysis.colocate.SharedGpu.LimitRange;
import org.allocsim.analysis.colocate.SharedTimeline;
import org.allocsim.analysis.colocate.SharingProgram;
import org.allocsim.analysis.program.Program;
import org.allocsim.reports.answer.colocate.ColocateAnswer;
import org.allocsim.reports.chart.memory.SharedMemoryChart;
import org.allocsim.reports.chart.memory.SharedMemoryData;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.output.ChartFolder;
import org.allocsim.reports.output.DocumentOutputs;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.output.ProgressMeter;
import org.allocsim.reports.question.Asked;
import org.allocsim.reports.question.AskedTrace;
import org.allocsim.reports.question.DrawnQuestion;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.run.AfterOom;
import org.allocsim.simulator.run.SharedObserver;
import org.allocsim.simulator.run.SharedResult;
import org.jspecify.annotations.Nullable;

/**
 * What do several processes make of one GPU?
 *
 * @param processes the processes, in the order of their traces
 * @param gpu the GPU; null for that of the first recording
 * @param isUnderMps whether they are clients of Multi-Process Service
 * @param afterOom what a process does after a request that fails
 * @param findsSmallest whether the smallest GPU is looked for
 * @param findsLimits whether the limits of each allocator are looked for
 */
public record ColocateQuestion(
    List<SharedProcess> processes,
    @Nullable DeviceProfile gpu,
    boolean isUnderMps,
    AfterOom afterOom,
    boolean findsSmallest,
    boolean findsLimits)
    implements DrawnQuestion<ColocateQuestion.Shared> {
  private static final double NANOS_PER_SECOND = 1e9;
  private static final String PROGRAM = "program:";

  /**
   * An answer.
   *
   * @param timeline memory over time if it is shown
   */
  public record Shared(ColocateAnswer answer, boolean passes, SharedTimeline timeline) {}

  /** Refuses limits of clients where there are none. */
  public ColocateQuestion {
    if (!isUnderMps && processes.stream().anyMatch(each -> each.limitBytes() != null)) {
      throw Failure.usage("mps-limit needs Multi-Process Service; add --mps");
    }
  }

  @Override
  public Shared ask(Asked asked) {
    long startNanos = System.nanoTime();
    List<Program> programs = asked.traces().stream().map(AskedTrace::program).toList();
    DeviceProfile shown =
        ProcessMemory.withContexts(gpu != null ? gpu : programs.getFirst().recordedGpu());
    CommonClock clock = CommonClock.of(programs.stream().map(Program::input).toList());
    SharedGpu shared =
        new SharedGpu(sharing(asked.traces(), programs, shown, clock), shown, afterOom);
    asked.mayEndEarly();
    SharedTimeline timeline = new SharedTimeline(programs.size());
    SharedResult result = shared.run(asked.isShown() ? timeline : SharedObserver.NONE);
    ColocateAnswer answer =
        new ColocateAnswer(
            shared,
            result,
            findsLimits ? limits(shared) : List.of(),
            findsSmallest ? smallest(shared) : null,
            clock.isRecorded(),
            (System.nanoTime() - startNanos) / NANOS_PER_SECOND);
    return new Shared(answer, result.passes(), timeline);
  }

  private List<SharingProgram> sharing(
      List<AskedTrace> traces, List<Program> programs, DeviceProfile shown, CommonClock clock) {
    ProcessMemory memory = new ProcessMemory(shown, isUnderMps);
    List<SharingProgram> sharing = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (int place = 0; place < programs.size(); place++) {
      SharedProcess process = processes.get(place);
      Program program = programs.get(place);
      String usual = process.name() != null ? process.name() : fileName(traces.get(place).name());
      String name = usual;
      for (int number = 2; !names.add(name); number++) {
        name = usual + " " + number;
      }
      SharingProgram made =
          new SharingProgram(
              name,
              program.input(),
              process.policy() != null ? process.policy() : program.pytorch(),
              program.limitBytesOn(shown),
              process.contextBytes() != null
                  ? process.contextBytes()
                  : memory.contextBytes(names.size()),
              process.otherBytes(),
              process.startNanos() != null ? process.startNanos() : clock.startNanos().get(place),
              process.exits(),
              roomBytes(process, name));
      if (made.fixedBytes() > shown.totalBytes()) {
        throw Failure.usage(
            ("%s: context and other memory (%d bytes) exceed the memory of %s; reduce them"
                    + " or change --device")
                .formatted(name, made.fixedBytes(), shown.name()));
      }
      sharing.add(made);
    }
    return sharing;
  }

  /** What a client's limit leaves after its context and libraries; −1 if it has none. */
  private static long roomBytes(SharedProcess process, String name) {
    if (process.limitBytes() == null) {
      return -1;
    }
    long room = ProcessMemory.roomBytes(process.limitBytes(), process.otherBytes());
    if (room < 0) {
      throw Failure.usage(
          "%s: its context and libraries exceed the limit of %d bytes; give a larger mps-limit"
              .formatted(name, process.limitBytes()));
    }
    return room;
  }

  private static String fileName(String trace) {
    if (trace.startsWith(PROGRAM)) {
      String program = trace.substring(PROGRAM.length());
      int options = program.indexOf('(');
      return options < 0 ? program : program.substring(0, options);
    }
    String file = String.valueOf(Path.of(trace).getFileName());
    int dot = file.indexOf('.');
    return dot <= 0 ? file : file.substring(0, dot);
  }

  /** The smallest GPU; null where the search was ended early. */
  private static @Nullable Long smallest(SharedGpu shared) {
    try {
      return shared.smallestBytes();
    } catch (SharedGpu.EndedException _) {
      return null;
    }
  }

  /** The limits of all programs; empty where the search was ended early. */
  private static List<LimitRange> limits(SharedGpu shared) {
    List<LimitRange> limits = new ArrayList<>();
    try (ProgressMeter progress = ProgressMeter.of("searching", "limits")) {
      for (int program = 0; program < shared.programs().size(); program++) {
        limits.add(shared.limits(program));
        progress.update(limits.size(), shared.programs().size());
      }
    } catch (SharedGpu.EndedException _) {
      return List.of();
    }
    return limits;
  }

  @Override
  public Document<?> document(Shared shared) {
    return shared.answer().document(null);
  }

  @Override
  public Document<?> drawnDocument(Shared shared) {
    return shared.answer().document(shared.answer().memory(shared.timeline()));
  }

  @Override
  public boolean holds(Shared shared) {
    return shared.passes();
  }

  @Override
  public void draw(Shared shared, DocumentOutputs outputs) throws IOException {
    ChartFolder charts = outputs.charts();
    if (charts != null) {
      SharedMemoryData memory = shared.answer().memory(shared.timeline());
      charts.write(
          "shared",
          SharedMemoryChart.WIDTH,
          SharedMemoryChart.HEIGHT,
          theme -> shared.answer().chart(memory, theme));
    }
  }
}
