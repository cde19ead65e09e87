package org.allocsim.validation.torch;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.allocsim.workloads.io.EarlyEnd;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/**
 * Runs jobs in processes of PyTorch, under one setting at a time. Python is started once for each
 * setting, imports PyTorch and forks processes for jobs. Its script travels with these classes and
 * lies in the folder while it is needed.
 */
public final class TorchProcesses {
  private static final String SCRIPT = "torch_requests.py";
  private static final JsonFactory FACTORY = new JsonFactory();

  /** Variables that PyTorch reads its settings from; newer releases prefer the second. */
  private static final List<String> VARIABLES =
      List.of("PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_ALLOC_CONF", "PYTORCH_NO_CUDA_MEMORY_CACHING");

  private static final long SECONDS_TO_END = 10;

  /** Exit codes after SIGINT and SIGTERM. */
  private static final Set<Integer> ASKED_TO_STOP = Set.of(130, 143);

  private final String python;
  private final int gpu;
  private final int jobsAtATime;
  private final int secondsEach;
  private final int casesPerProcess;
  private final int stopAfterSeconds;
  private final Path folder;

  /** Takes the place of a GPU once one was found to be missing. */
  private @Nullable MockDriver mockDriver;

  /** Receives the jobs of a run, in the order of their ends, on the thread that runs them. */
  public interface Listener {
    /** Python runs and has found PyTorch and a GPU. */
    void started(TorchMachine machine);

    /**
     * A job is done: the files exist, or there is an error.
     *
     * @param snapshot file with the snapshot
     * @param side file with everything else
     * @param error why there are none, or null
     */
    void done(TorchJob job, Path snapshot, Path side, @Nullable String error);
  }

  /**
   * Processes that have not been started.
   *
   * @param python program to run
   * @param gpu number of the GPU
   * @param jobsAtATime processes side by side
   * @param secondsEach longest time that one job may take
   * @param casesPerProcess maximum number of jobs that one process serves, one after the other
   * @param stopAfterSeconds time after which no further job begins, 0 for no such limit
   * @param folder where files are made; it exists
   */
  public TorchProcesses(
      String python,
      int gpu,
      int jobsAtATime,
      int secondsEach,
      int casesPerProcess,
      int stopAfterSeconds,
      Path folder) {
    this.python = python;
    this.gpu = gpu;
    this.jobsAtATime = jobsAtATime;
    this.secondsEach = secondsEach;
    this.casesPerProcess = casesPerProcess;
    this.stopAfterSeconds = stopAfterSeconds;
    this.folder = folder;
  }

  /**
   * Runs jobs under one setting; those for which no time was left are not reported.
   *
   * <p>Where the process is asked to stop, Python is ended too, and the jobs that are not done are
   * not reported.
   *
   * <p>Where PyTorch supports CUDA and finds no GPU, its allocator runs on a stand-in for one.
   *
   * @throws TorchException where Python, PyTorch or a compiler for the stand-in is missing, or
   *     Python ends early
   * @throws IOException where files cannot be written
   */
  public void run(String conf, List<TorchJob> jobs, Listener listener)
      throws TorchException, IOException {
    Path script = folder.resolve(SCRIPT);
    try (InputStream resource = TorchProcesses.class.getResourceAsStream(SCRIPT)) {
      Files.write(script, resource.readAllBytes());
    }
    Path cases = writeJobs(jobs);
    if (mockDriver != null || !ran(script, cases, conf, jobs, listener)) {
      if (mockDriver == null) {
        mockDriver = MockDriver.build(folder, System.getenv().getOrDefault("PATH", ""));
      }
      ran(script, cases, conf, jobs, listener);
    }
  }

  /** Runs the jobs, or nothing where a GPU is missing and no stand-in was there yet. */
  private boolean ran(Path script, Path cases, String conf, List<TorchJob> jobs, Listener listener)
      throws TorchException, IOException {
    Path errors = folder.resolve("python.txt");
    Process process = start(script, cases, conf, errors);
    try (EarlyEnd.Part _ = EarlyEnd.part(() -> endAtOnce(process));
        BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
      return follow(jobs, lines, listener, errors);
    } catch (TorchException e) {
      if (!isTold(process)) {
        throw e;
      }
      EarlyEnd.ask();
      return true;
    } finally {
      end(process);
    }
  }

  /** A terminal tells Python, too, which may hear it before this process does. */
  private static boolean isTold(Process process) {
    return EarlyEnd.isAsked()
        || (!process.isAlive() && ASKED_TO_STOP.contains(process.exitValue()));
  }

  private static void end(Process process) {
    try {
      if (process.descendants().findAny().isEmpty()
          && process.waitFor(SECONDS_TO_END, TimeUnit.SECONDS)) {
        return;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    endAtOnce(process);
  }

  /** The processes of jobs are children of Python. */
  private static void endAtOnce(Process process) {
    List<ProcessHandle> children = process.descendants().toList();
    process.destroyForcibly();
    children.forEach(ProcessHandle::destroyForcibly);
  }

  private Process start(Path script, Path cases, String conf, Path errors) throws TorchException {
    ProcessBuilder builder =
        new ProcessBuilder(
            python,
            script.toString(),
            cases.toString(),
            Integer.toString(jobsAtATime),
            Integer.toString(secondsEach),
            Integer.toString(gpu),
            Integer.toString(casesPerProcess),
            Integer.toString(stopAfterSeconds));
    builder.redirectError(errors.toFile());
    Map<String, String> environment = builder.environment();
    VARIABLES.forEach(environment::remove);
    if (!conf.isEmpty()) {
      environment.put(VARIABLES.getFirst(), conf);
    }
    environment.put("PYTHONDONTWRITEBYTECODE", "1");
    if (mockDriver != null) {
      mockDriver.addTo(environment);
    }
    // A further arena of the C library would lie among the addresses of the driver.
    environment.put("MALLOC_ARENA_MAX", "1");
    try {
      return builder.start();
    } catch (IOException e) {
      throw new TorchException(
          "no program " + python + " to run PyTorch; name a Python that has it with --python", e);
    }
  }

  private Path writeJobs(List<TorchJob> jobs) throws IOException {
    Path cases = folder.resolve("cases.jsonl");
    try (var out = Files.newBufferedWriter(cases, StandardCharsets.UTF_8)) {
      for (TorchJob job : jobs) {
        Path requests = folder.resolve(job.id() + ".requests");
        if (Files.notExists(requests)) {
          job.requests().write(requests);
        }
        try (JsonGenerator json =
            FACTORY.createGenerator(ObjectWriteContext.empty(), new Unclosed(out))) {
          json.writeStartObject();
          json.writeNumberProperty("id", job.id());
          json.writeStringProperty("requests", requests.toString());
          json.writeStringProperty("out", prefix(job).toString());
          json.writeNumberProperty("limit", job.limitBytes());
          json.writeName("streams");
          json.writeStartArray();
          for (int stream = 0; stream < job.requests().trace().streamCount(); stream++) {
            json.writeNumber(job.requests().trace().streamHandle(stream) == 0 ? 0 : 1);
          }
          json.writeEndArray();
          json.writeNumberProperty("spare", job.requests().spareStreams());
          json.writeBooleanProperty("holds", job.requests().holds());
          json.writeEndObject();
        }
        out.write('\n');
      }
    }
    return cases;
  }

  private Path prefix(TorchJob job) {
    return folder.resolve(Integer.toString(job.id()));
  }

  private boolean follow(List<TorchJob> jobs, BufferedReader lines, Listener listener, Path errors)
      throws TorchException, IOException {
    Map<String, String> first = readObject(lines.readLine(), errors);
    if (mockDriver == null && first.containsKey("no_gpu") && first.get("cuda") != null) {
      return false;
    }
    if (first.containsKey("error")) {
      throw new TorchException(
          first.get("error")
              + "; run this on a machine with PyTorch and an NVIDIA GPU, or name another Python"
              + " with --python");
    }
    listener.started(
        new TorchMachine(
            text(first, "torch"),
            text(first, "cuda"),
            text(first, "device"),
            number(first, "total_bytes"),
            number(first, "free_bytes"),
            mockDriver != null));
    Map<Integer, TorchJob> byId = new HashMap<>();
    jobs.forEach(job -> byId.put(job.id(), job));
    Set<Integer> done = new HashSet<>();
    long notBegun = 0;
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      Map<String, String> result = readObject(line, errors);
      if (result.containsKey("not_begun")) {
        notBegun = number(result, "not_begun");
        continue;
      }
      int id = (int) number(result, "id");
      TorchJob job = byId.get(id);
      if (job == null || !done.add(id)) {
        throw new TorchException("Python reported case " + id + ", which it was not given");
      }
      listener.done(
          job, folder.resolve(id + ".pickle"), folder.resolve(id + ".json"), result.get("error"));
    }
    if (done.size() + notBegun != jobs.size()) {
      throw new TorchException(
          "Python ended after %d of %d cases%s".formatted(done.size(), jobs.size(), last(errors)));
    }
    return true;
  }

  private static String text(Map<String, String> object, String key) throws TorchException {
    String value = object.get(key);
    if (value == null) {
      throw new TorchException("Python did not report " + key);
    }
    return value;
  }

  private static long number(Map<String, String> object, String key) throws TorchException {
    try {
      return Long.parseLong(text(object, key));
    } catch (NumberFormatException _) {
      throw new TorchException("Python did not report " + key);
    }
  }

  /** The values of a flat object, as text. */
  private static Map<String, String> readObject(String line, Path errors) throws TorchException {
    if (line == null) {
      throw new TorchException("Python ended before reporting its results" + last(errors));
    }
    Map<String, String> object = new HashMap<>();
    try (JsonParser json = FACTORY.createParser(ObjectReadContext.empty(), line)) {
      if (json.nextToken() != JsonToken.START_OBJECT) {
        throw unreadable(line, null);
      }
      while (json.nextToken() == JsonToken.PROPERTY_NAME) {
        String key = json.currentName();
        json.nextToken();
        object.put(key, json.getString());
        json.skipChildren();
      }
    } catch (JacksonException e) {
      throw unreadable(line, e);
    }
    return object;
  }

  private static TorchException unreadable(String line, @Nullable Exception cause) {
    String start = line.length() > 100 ? line.substring(0, 100) + "..." : line;
    return new TorchException("Python printed \"" + start + "\", which is not an answer", cause);
  }

  /** The last line that Python wrote about an error. */
  private static String last(Path errors) {
    try {
      List<String> lines =
          Files.readAllLines(errors, StandardCharsets.ISO_8859_1).stream()
              .filter(line -> !line.isBlank())
              .toList();
      return lines.isEmpty() ? "" : ": " + lines.getLast().strip();
    } catch (IOException _) {
      return "";
    }
  }

  private static final class Unclosed extends java.io.FilterWriter {
    Unclosed(java.io.Writer out) {
      super(out);
    }

    @Override
    public void close() throws IOException {
      flush();
    }
  }
}
