package org.allocsim.validation.gpu;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.simulated.SimulatedDevice;
import org.allocsim.simulator.policy.PolicyChoice;
import org.allocsim.simulator.run.FailedRequest;
import org.allocsim.simulator.run.MemorySource;
import org.allocsim.simulator.run.RunPolicy;
import org.allocsim.simulator.run.RunSetup;
import org.allocsim.simulator.run.SharedObserver;
import org.allocsim.simulator.run.SharedResult;
import org.allocsim.simulator.run.SharedRun;
import org.allocsim.simulator.run.Tenant;
import org.allocsim.validation.gpu.cuda.CudaDevice;
import org.allocsim.validation.gpu.cuda.CudaException;
import org.allocsim.workloads.io.EarlyEnd;
import org.allocsim.workloads.source.DeviceTrace;

/**
 * Runs several policies at the same time on one real GPU, each in a process of its own, and on a
 * simulated device that they share, and compares the two, call by call. Requests come in the order
 * that {@link SharedRun} gives them; a process waits wherever another one's turn comes.
 *
 * <p>Taken from the real processes are the size of each context, what is free at the start, how
 * many pages of it each cannot have, and the addresses below which the driver reserves.
 */
public final class TogetherValidation {
  private final int gpu;

  /** A validation on a GPU by its number, from 0. */
  public TogetherValidation(int gpu) {
    this.gpu = gpu;
  }

  /**
   * A process.
   *
   * @param name name of its trace, as its own process opens it
   * @param input the same, opened
   * @param choice its allocator
   * @param limitBytes the allocator's own limit, −1 without one
   */
  public record Member(String name, DeviceTrace input, PolicyChoice choice, long limitBytes) {}

  /** A turn: a process sends its rows before one. */
  private record Turn(int member, int untilRow) {}

  /** What a simulation did. */
  private record Predicted(SharedResult result, List<List<LoggedCall>> logs, List<Turn> turns) {}

  /**
   * Runs the members together.
   *
   * @param capacityBytes what is to be free when they begin, after their contexts; −1 for all
   * @throws CudaException where the GPU or one of the processes fails
   */
  public TogetherResult run(
      CudaDevice.Identity identity, List<Member> members, long capacityBytes) {
    List<Child> children = new ArrayList<>();
    try {
      long totalBytes = 0;
      long free = 0;
      List<Long> contexts = new ArrayList<>();
      for (Member member : members) {
        Child child = new Child(gpu, member);
        children.add(child);
        long[] opened = child.numbers(TogetherProcess.OPEN);
        totalBytes = opened[0];
        contexts.add((children.size() == 1 ? totalBytes : free) - opened[1]);
        free = opened[1];
      }
      List<Long> unusable = new ArrayList<>();
      for (Child child : children) {
        long left = child == children.getFirst() && capacityBytes >= 0 ? capacityBytes : free;
        child.say(TogetherProcess.HOLD + " " + left);
        long[] held = child.numbers(TogetherProcess.HELD);
        free = held[0];
        unusable.add(held[1]);
      }
      return compare(identity, members, children, contexts, unusable, totalBytes, free);
    } catch (IOException e) {
      throw new CudaException("cannot reach a process on the GPU: " + e.getMessage());
    } finally {
      children.forEach(Child::close);
    }
  }

  private TogetherResult compare(
      CudaDevice.Identity identity,
      List<Member> members,
      List<Child> children,
      List<Long> contexts,
      List<Long> unusable,
      long totalBytes,
      long freeBytes)
      throws IOException {
    long others = contexts.stream().skip(1).mapToLong(Long::longValue).sum();
    List<DeviceProfile> profiles = new ArrayList<>();
    for (int i = 0; i < members.size(); i++) {
      long context = i == 0 ? totalBytes - freeBytes - others : contexts.get(i);
      profiles.add(
          GpuProfiles.like(
              GpuProfiles.of(identity),
              identity,
              totalBytes - context,
              unusable.get(i),
              DeviceProfile.PAGE_BYTES));
    }
    Predicted predicted = predict(members, profiles::get);
    for (Turn turn : predicted.turns()) {
      children.get(turn.member()).go(turn.untilRow());
    }
    List<DeviceProfile> learned = new ArrayList<>();
    for (int i = 0; i < members.size(); i++) {
      List<LoggedCall> simulated = predicted.logs().get(i);
      List<LoggedCall> measured = children.get(i).log;
      learned.add(
          AddressComparison.learn(
              profiles.get(i), simulated, measured, GpuValidation.equalCalls(simulated, measured)));
    }
    Predicted again = predict(members, learned::get);
    List<TogetherResult.OneProcess> processes = new ArrayList<>();
    for (int i = 0; i < members.size(); i++) {
      processes.add(
          process(members.get(i), contexts.get(i), unusable.get(i), again, children.get(i), i));
    }
    return new TogetherResult(totalBytes, freeBytes, predicted.turns().size(), processes);
  }

  private static TogetherResult.OneProcess process(
      Member member,
      long contextBytes,
      long unusableBytes,
      Predicted predicted,
      Child child,
      int index) {
    List<LoggedCall> simulated = predicted.logs().get(index);
    List<LoggedCall> measured = child.log;
    int end = GpuValidation.equalCalls(simulated, measured);
    Exactness.Sum free = new Exactness.Sum();
    long refused = 0;
    for (int call = 0; call < end; call++) {
      free.add(simulated.get(call).freeBytes(), measured.get(call).freeBytes());
      refused += measured.get(call).isRefused() ? 1 : 0;
    }
    SharedResult.TenantResult tenant = predicted.result().tenants().get(index);
    List<Long> failures =
        tenant.run() == null
            ? List.of()
            : tenant.run().failures().stream().map(FailedRequest::requestIndex).toList();
    return new TogetherResult.OneProcess(
        member.name(),
        member.choice().label(),
        contextBytes,
        unusableBytes,
        simulated.size(),
        measured.size(),
        end,
        GpuValidation.difference(simulated, measured, end).orElse(null),
        refused,
        free.result(),
        failures.size(),
        child.failures.size(),
        failures.equals(child.failures));
  }

  private static Predicted predict(List<Member> members, IntFunction<DeviceProfile> profiles) {
    List<Tenant> tenants = new ArrayList<>();
    List<List<LoggedCall>> logs = new ArrayList<>();
    for (int i = 0; i < members.size(); i++) {
      Member member = members.get(i);
      RunSetup setup =
          new RunSetup(
                  member.input().trace(),
                  member.input().device(),
                  RunPolicy.of(member.choice()),
                  member.limitBytes(),
                  new MemorySource.Simulated(profiles.apply(i)))
              .keepingFailures(Integer.MAX_VALUE);
      tenants.add(new Tenant(member.name(), setup, 0, false));
      logs.add(new ArrayList<>());
    }
    List<Turn> turns = new ArrayList<>();
    SharedObserver observer =
        new SharedObserver() {
          @Override
          public void changed(long nanos, int tenant, long bytes) {}

          @Override
          public void paused(int tenant, int nextRow) {
            turns.add(new Turn(tenant, nextRow));
          }

          @Override
          public DeviceMemory memory(int tenant, SimulatedDevice device) {
            return new RecordingDevice(
                device, new GpuValidation.SimulatedProbe(device), logs.get(tenant));
          }
        };
    return new Predicted(SharedRun.of(tenants, observer), logs, turns);
  }

  /** A process on the GPU. */
  private static final class Child implements AutoCloseable {
    private final Process process;
    private final EarlyEnd.Part part;
    private final PrintWriter commands;
    private final BufferedReader answers;
    private final List<LoggedCall> log = new ArrayList<>();
    private final List<Long> failures = new ArrayList<>();

    Child(int gpu, Member member) throws IOException {
      List<String> command = new ArrayList<>();
      command.add(ProcessHandle.current().info().command().orElse("java"));
      command.add("--enable-native-access=ALL-UNNAMED");
      String libraries = System.getProperty("java.library.path");
      if (libraries != null) {
        command.add("-Djava.library.path=" + libraries);
      }
      command.addAll(
          List.of(
              "-cp",
              System.getProperty("java.class.path"),
              TogetherProcess.class.getName(),
              String.valueOf(gpu),
              member.name(),
              String.valueOf(member.input().device()),
              member.choice().label(),
              String.valueOf(member.limitBytes())));
      process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
      part = EarlyEnd.part(process::destroy);
      commands = new PrintWriter(process.outputWriter(StandardCharsets.UTF_8));
      answers =
          new BufferedReader(
              new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    void say(String line) {
      commands.println(line);
      commands.flush();
    }

    private String hear() throws IOException {
      String line = answers.readLine();
      if (line == null) {
        throw new CudaException("a process on the GPU ended early");
      }
      if (line.startsWith(TogetherProcess.ERROR)) {
        throw new CudaException(line.substring(TogetherProcess.ERROR.length()).strip());
      }
      return line;
    }

    /** The two numbers after a word. */
    long[] numbers(String word) throws IOException {
      String[] parts = hear().split(" ", -1);
      if (!parts[0].equals(word) || parts.length != 3) {
        throw new CudaException("a process on the GPU says " + String.join(" ", parts));
      }
      return new long[] {Long.parseLong(parts[1]), Long.parseLong(parts[2])};
    }

    /** Lets it send rows, and waits until it has. */
    void go(int untilRow) throws IOException {
      // It says where it is before it is told to go on.
      if (!hear().startsWith(TogetherProcess.AT)) {
        throw new CudaException("a process on the GPU ended before its turn");
      }
      say(TogetherProcess.GO + " " + untilRow);
      if (untilRow == Integer.MAX_VALUE) {
        readLog();
      } else {
        awaitRow();
      }
    }

    /** Its next answer comes when the rows are sent; it is read by the next turn. */
    private void awaitRow() throws IOException {
      answers.mark(1);
      if (answers.read() < 0) {
        throw new CudaException("a process on the GPU ended early");
      }
      answers.reset();
    }

    private void readLog() throws IOException {
      for (String line = hear(); !line.equals(TogetherProcess.END); line = hear()) {
        String[] parts = line.split(" ", -1);
        if (parts[0].equals(TogetherProcess.FAILED_REQUEST)) {
          failures.add(Long.parseLong(parts[1]));
        } else {
          log.add(
              new LoggedCall(
                  PortCall.valueOf(parts[1].toUpperCase(Locale.ROOT)),
                  Long.parseLong(parts[2]),
                  Long.parseLong(parts[3]),
                  0,
                  Boolean.parseBoolean(parts[4]),
                  Long.parseLong(parts[5]),
                  Long.parseLong(parts[6]),
                  Long.parseLong(parts[7]),
                  0));
        }
      }
    }

    @Override
    public void close() {
      commands.close();
      part.close();
      try {
        if (!process.waitFor(20, TimeUnit.SECONDS)) {
          process.destroy();
        }
      } catch (InterruptedException _) {
        process.destroy();
        Thread.currentThread().interrupt();
      }
    }
  }
}
