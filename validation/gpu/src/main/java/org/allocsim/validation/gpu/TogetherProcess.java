package org.allocsim.validation.gpu;

import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.allocsim.simulator.policy.PolicyChoice;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.UnfitTraceException;
import org.allocsim.simulator.run.FailedRequest;
import org.allocsim.simulator.run.MemorySource;
import org.allocsim.simulator.run.Run;
import org.allocsim.simulator.run.RunObserver;
import org.allocsim.simulator.run.RunPolicy;
import org.allocsim.simulator.run.RunResult;
import org.allocsim.simulator.run.RunSetup;
import org.allocsim.validation.gpu.cuda.CudaDevice;
import org.allocsim.validation.gpu.cuda.CudaException;
import org.allocsim.validation.gpu.cuda.GpuBounds;
import org.allocsim.workloads.format.TraceFormatException;
import org.allocsim.workloads.source.OpenedTrace;
import org.allocsim.workloads.source.SourceUsageException;
import org.allocsim.workloads.source.TraceSource;

/**
 * One of the processes of {@link TogetherValidation}: it opens the GPU, runs a policy on the rows
 * of a trace as far as it is told to, and says what came of each call. Commands come on standard
 * input, a line each; answers go to standard output.
 *
 * <ul>
 *   <li>{@code hold BYTES}: leave so much of the GPU free, and find how much cannot be had.
 *   <li>{@code go ROW}: send the rows before this one.
 *   <li>the end of the input: give everything back.
 * </ul>
 */
public final class TogetherProcess {
  static final String OPEN = "open";
  static final String HOLD = "hold";
  static final String HELD = "held";
  static final String GO = "go";
  static final String AT = "at";
  static final String CALL = "call";
  static final String FAILED_REQUEST = "failed";
  static final String END = "end";
  static final String ERROR = "error";

  private final BufferedReader commands;
  private final PrintWriter answers;

  private TogetherProcess(BufferedReader commands, PrintWriter answers) {
    this.commands = commands;
    this.answers = answers;
  }

  /**
   * Runs.
   *
   * @param arguments number of the GPU, name of the trace, device in it, policy, its limit
   */
  public static void main(String[] arguments) {
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    PrintWriter out =
        new PrintWriter(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);
    TogetherProcess process = new TogetherProcess(in, out);
    try {
      process.run(
          Integer.parseInt(arguments[0]),
          arguments[1],
          Integer.parseInt(arguments[2]),
          PolicyChoice.parse(arguments[3]),
          Long.parseLong(arguments[4]));
    } catch (TraceFormatException
        | SourceUsageException
        | PolicyOptionException
        | UnfitTraceException
        | CudaException
        | UncheckedIOException e) {
      process.say(ERROR + " " + e.getMessage());
    }
  }

  private void say(String line) {
    answers.println(line);
    answers.flush();
  }

  private String hear() {
    try {
      String line = commands.readLine();
      return line == null ? "" : line;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void run(int gpu, String name, int index, PolicyChoice choice, long limitBytes)
      throws TraceFormatException,
          SourceUsageException,
          PolicyOptionException,
          UnfitTraceException {
    TraceSource source = TraceSource.open(name, null, (_, _) -> {});
    OpenedTrace trace = source.read(source.defaultOptions());
    DriverMeasure measure = new DriverMeasure();
    try (CudaDevice device = CudaDevice.open(gpu, GpuBounds.NONE, measure)) {
      say("%s %d %d".formatted(OPEN, device.totalBytes(), device.freeBytes()));
      String command = hear();
      if (command.startsWith(HOLD + " ")) {
        device.holdBack(Long.parseLong(command.substring(HOLD.length() + 1)));
        say("%s %d %d".formatted(HELD, device.freeBytes(), device.unusableBytes()));
      }
      List<LoggedCall> log = new ArrayList<>();
      RecordingDevice memory =
          new RecordingDevice(device, new GpuValidation.RealProbe(device, measure), log);
      RunSetup setup =
          new RunSetup(
                  trace.trace(),
                  index,
                  RunPolicy.of(choice),
                  limitBytes,
                  new MemorySource.Given(memory))
              .keepingFailures(Integer.MAX_VALUE);
      RunResult result = Run.start(setup, new Turns()).finish();
      for (LoggedCall call : log) {
        answers.println(
            "%s %s %d %d %b %d %d %d"
                .formatted(
                    CALL,
                    call.kind(),
                    call.bytes(),
                    call.address(),
                    call.isRefused(),
                    call.freeBytes(),
                    call.reservedBytes(),
                    call.usedBytes()));
      }
      for (FailedRequest failed : result.failures()) {
        answers.println(FAILED_REQUEST + " " + failed.requestIndex());
      }
      say(END);
      while (!hear().isEmpty()) {
        // It keeps what it holds until the others have ended.
      }
    }
  }

  /** Waits before each row that it was not told to send. */
  private final class Turns implements RunObserver {
    private int until;

    @Override
    public boolean before(int row) {
      while (row >= until) {
        say(AT + " " + row);
        String command = hear();
        if (!command.startsWith(GO + " ")) {
          return false;
        }
        until = Integer.parseInt(command.substring(GO.length() + 1));
      }
      return true;
    }
  }
}
