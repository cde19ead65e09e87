package org.allocsim.validation.torch;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntConsumer;
import org.allocsim.simulator.policy.pytorch.ConfigException;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.workloads.io.EarlyEnd;
import org.jspecify.annotations.Nullable;

/**
 * Sends random sequences of calls to PyTorch's own allocator on the stand-in for a GPU, whether or
 * not there is a GPU, and compares what it did with the simulated allocator.
 */
public final class TorchCalls {
  /** What Python says of a process that crashed. */
  private static final String CRASH = "its process crashed";

  private static final String SCRIPT = "torch_calls.py";

  /** Size of the stand-in; sequences set their own. */
  private static final long STAND_IN_BYTES = 80L << 30;

  /** Sequences that are sent to one Python, so that files do not grow without bound. */
  private static final int AT_ONCE = 200;

  private final String python;
  private final int jobs;
  private final int secondsEach;
  private final Path folder;
  private @Nullable String torch;

  /**
   * Sequences that have not been sent.
   *
   * @param python a Python that has PyTorch
   * @param jobs processes side by side
   * @param secondsEach longest time that one sequence may take
   * @param folder where files are made; it exists
   */
  public TorchCalls(String python, int jobs, int secondsEach, Path folder) {
    this.python = python;
    this.jobs = jobs;
    this.secondsEach = secondsEach;
    this.folder = folder;
  }

  /**
   * Sends sequences and compares.
   *
   * @param firstSeed seed of the first sequence; the others follow it
   * @param progress hears how many are done
   * @return one verdict for each, in order, fewer where the process is asked to stop
   * @throws TorchException where Python, PyTorch or a compiler is missing, or a process fails
   * @throws IOException where files cannot be written or read
   */
  public List<CallVerdict> run(int sequences, long firstSeed, IntConsumer progress)
      throws TorchException, IOException {
    MockDriver mockDriver = MockDriver.build(folder, System.getenv().getOrDefault("PATH", ""));
    Path script = folder.resolve(SCRIPT);
    try (InputStream resource = TorchCalls.class.getResourceAsStream(SCRIPT)) {
      Files.write(script, resource.readAllBytes());
    }
    List<CallVerdict> verdicts = new ArrayList<>();
    for (int first = 0; first < sequences && !EarlyEnd.isAsked(); first += AT_ONCE) {
      int count = Math.min(AT_ONCE, sequences - first);
      verdicts.addAll(run(mockDriver, script, firstSeed + first, count));
      progress.accept(verdicts.size());
    }
    return verdicts;
  }

  private List<CallVerdict> run(MockDriver mockDriver, Path script, long firstSeed, int count)
      throws TorchException, IOException {
    Path calls = folder.resolve("calls.txt");
    try (Writer out = Files.newBufferedWriter(calls)) {
      for (int i = 0; i < count; i++) {
        StringBuilder text = new StringBuilder();
        RandomCalls.sequence(i, firstSeed + i).appendTo(text);
        out.append(text);
      }
    }
    Path errors = folder.resolve("python.txt");
    ProcessBuilder builder =
        new ProcessBuilder(
            python,
            script.toString(),
            calls.toString(),
            Integer.toString(jobs),
            Integer.toString(secondsEach),
            folder.toString());
    builder.redirectError(errors.toFile());
    builder.environment().put("PYTHONDONTWRITEBYTECODE", "1");
    builder.environment().remove("PYTORCH_ALLOC_CONF");
    builder.environment().remove("PYTORCH_CUDA_ALLOC_CONF");
    mockDriver.addTo(builder.environment());
    Process process = start(builder);
    try (EarlyEnd.Part _ = EarlyEnd.part(() -> end(process));
        BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
      return follow(lines, firstSeed, count, errors);
    } finally {
      end(process);
    }
  }

  private static void end(Process process) {
    List<ProcessHandle> children = process.descendants().toList();
    process.destroyForcibly();
    children.forEach(ProcessHandle::destroyForcibly);
  }

  private Process start(ProcessBuilder builder) throws TorchException {
    try {
      return builder.start();
    } catch (IOException e) {
      throw new TorchException(
          "no program %s to run PyTorch; name a Python that has it with --python".formatted(python),
          e);
    }
  }

  private List<CallVerdict> follow(BufferedReader lines, long firstSeed, int count, Path errors)
      throws TorchException, IOException {
    String first = lines.readLine();
    if (first == null || !first.startsWith("torch ")) {
      String said = first != null ? first.replaceFirst("^missing ", "") : lastLine(errors);
      throw new TorchException(
          said + "; name a Python that has PyTorch with CUDA support with --python");
    }
    torch = first.substring("torch ".length());
    PyTorchVersion version = version(torch);
    List<Future<CallVerdict>> compared = new ArrayList<>();
    try (ExecutorService executor = Executors.newFixedThreadPool(2)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        String[] words = line.split(" ", 3);
        if (!words[0].equals("done") && !words[2].startsWith(CRASH)) {
          throw new TorchException(
              "sequence with seed %d was not sent to PyTorch: %s"
                  .formatted(firstSeed + Integer.parseInt(words[1]), words[2]));
        }
        int id = Integer.parseInt(words[1]);
        compared.add(executor.submit(() -> compare(id, firstSeed + id, version)));
      }
      if (compared.size() != count && !EarlyEnd.isAsked()) {
        throw new TorchException(
            "Python ended after %d of %d sequences: %s"
                .formatted(compared.size(), count, lastLine(errors)));
      }
      List<CallVerdict> verdicts = new ArrayList<>();
      for (Future<CallVerdict> each : compared) {
        verdicts.add(each.get());
      }
      verdicts.sort(Comparator.comparingLong(CallVerdict::seed));
      return verdicts;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new TorchException("the comparison was interrupted", e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException failure) {
        throw failure;
      }
      throw new IllegalStateException(e.getCause());
    }
  }

  private static PyTorchVersion version(String torch) throws TorchException {
    try {
      return PyTorchVersion.of(torch);
    } catch (IllegalArgumentException e) {
      throw new TorchException(
          e.getMessage() + "; name a Python that has one of them with --python", e);
    }
  }

  private CallVerdict compare(int id, long seed, PyTorchVersion version)
      throws IOException, ConfigException {
    CallSequence sequence = RandomCalls.sequence(id, seed);
    Path file = folder.resolve(Integer.toString(id));
    if (Files.notExists(file)) {
      return new CallVerdict(
          sequence.kind(), seed, sequence.conf(), sequence.calls().size(), 0, 0, 0, true, null);
    }
    CallOutcome recorded = CallOutcome.read(file);
    String difference = recorded.difference(CallReplay.of(sequence, version, recorded.events()));
    Files.delete(file);
    return new CallVerdict(
        sequence.kind(),
        seed,
        sequence.conf(),
        sequence.calls().size(),
        recorded.events().count(),
        recorded.messages().size(),
        recorded.endsInAssertion() ? 0 : recorded.statistics().size(),
        recorded.endsInAssertion(),
        difference);
  }

  /**
   * The stand-in that served the sequences, to be asked after a run.
   *
   * @throws IllegalStateException before one
   */
  public TorchMachine machine() {
    if (torch == null) {
      throw new IllegalStateException("nothing was run");
    }
    return new TorchMachine(
        torch, "", "mock CUDA driver (computes nothing)", STAND_IN_BYTES, STAND_IN_BYTES, true);
  }

  private static String lastLine(Path errors) throws IOException {
    List<String> lines =
        Files.readAllLines(errors, StandardCharsets.ISO_8859_1).stream()
            .filter(line -> !line.isBlank())
            .toList();
    return lines.isEmpty() ? "Python said nothing" : lines.getLast().strip();
  }
}
