package org.allocsim.reports.cli;

import static java.util.stream.Collectors.joining;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.allocsim.analysis.fleet.sweep.SweepRow;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A cluster of a master and two workers on this machine, one of which is killed. */
final class LostExecutorTest {
  private static final String HOST = SparkHome.HOST;
  private static final int TRACES = 60;
  private static final String SETTINGS =
      "recorded;expandable_segments:True;max_split_size_mb:64;roundup_power2_divisions:4";

  @TempDir private Path folder;
  private final List<Process> processes = new ArrayList<>();
  private final Map<String, String> settings = new TreeMap<>();
  private SparkHome home;

  @BeforeEach
  void makeHome() throws IOException {
    home = SparkHome.of(folder.resolve("spark"), _ -> true);
    settings.put(
        "spark.executor.extraClassPath",
        home.classFolders().stream().map(Path::toString).collect(joining(File.pathSeparator)));
    settings.put("spark.extraListeners", TaskLog.class.getName());
    TaskLog.clear();
    settings.put("spark.driver.host", HOST);
    settings.put("spark.driver.bindAddress", HOST);
    settings.put("spark.executor.memory", "512m");
    settings.put("spark.executor.cores", "1");
    settings.put("spark.ui.enabled", "false");
    settings.forEach(System::setProperty);
  }

  @AfterEach
  void stopProcesses() throws InterruptedException {
    settings.keySet().forEach(System::clearProperty);
    for (Process process : processes) {
      kill(process);
    }
    for (Process process : processes) {
      process.waitFor(20, TimeUnit.SECONDS);
    }
  }

  private static void kill(Process process) {
    List<ProcessHandle> executors = process.descendants().toList();
    process.destroyForcibly();
    executors.forEach(ProcessHandle::destroyForcibly);
  }

  private Process start(String name, String mainClass, String... arguments) throws IOException {
    List<String> options = new ArrayList<>(SparkHome.opens());
    options.addAll(List.of("-Xmx256m", "-XX:TieredStopAtLevel=1"));
    ProcessBuilder builder =
        home.java(options, mainClass, List.of(arguments))
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve(name + ".log").toFile());
    Process process = builder.start();
    processes.add(process);
    return process;
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private static boolean isListening(int port) {
    try (Socket _ = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return true;
    } catch (IOException _) {
      return false;
    }
  }

  private void await(String what, BooleanSupplier condition)
      throws InterruptedException, IOException {
    long endNanos = System.nanoTime() + TimeUnit.MINUTES.toNanos(4);
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > endNanos) {
        fail("waited in vain for " + what + ":\n" + logs());
      }
      Thread.sleep(20);
    }
  }

  private String logs() throws IOException {
    StringBuilder logs = new StringBuilder();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path log : files.filter(file -> file.toString().endsWith(".log")).sorted().toList()) {
        logs.append(log.getFileName()).append(":\n").append(Files.readString(log)).append('\n');
      }
    }
    return logs.toString();
  }

  private static int parts(Path out) {
    try {
      return SweptRows.parts(out);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  @Test
  @Timeout(value = 15, unit = TimeUnit.MINUTES)
  void aKilledWorkerCostsNoRow() throws Exception {
    Path traces = folder.resolve("traces");
    SweptRows.writeTraces(traces, TRACES);
    Path local = folder.resolve("local");
    SweptRows.sweep("sweep", traces, "-o", local, "--confs", SETTINGS);
    List<SweepRow> expected = SweptRows.read(local);

    int port = freePort();
    String master = "spark://" + HOST + ":" + port;
    start(
        "master",
        "org.apache.spark.deploy.master.Master",
        "--host",
        HOST,
        "--port",
        "" + port,
        "--webui-port",
        "0");
    await("the master", () -> isListening(port));
    List<Process> workers = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      workers.add(
          start(
              "worker" + i,
              "org.apache.spark.deploy.worker.Worker",
              "--host",
              HOST,
              "--webui-port",
              "0",
              "--cores",
              "1",
              "--memory",
              "600m",
              "--work-dir",
              folder.resolve("work" + i).toString(),
              master));
    }
    Path out = folder.resolve("out");
    CompletableFuture<String> sweep =
        CompletableFuture.supplyAsync(() ->
            SweptRows.sweep(
                "sweep",
                traces,
                "-o",
                out,
                "--confs",
                SETTINGS,
                "--engine",
                "spark",
                "--master",
                master));
    await("both executors", () -> workers.stream().allMatch(each -> hasExecutor(each)));
    await("the first parts", () -> parts(out) >= 10 || sweep.isDone());
    int before = parts(out);
    assertTrue(before < TRACES, "the sweep was over before a worker could be killed");
    kill(workers.getFirst());

    String said = sweep.get(5, TimeUnit.MINUTES);
    assertTrue(said.startsWith((TRACES + 1) + " traces, "), said);
    SweptRows.assertSameRuns(expected, SweptRows.read(out));
    assertEquals(TRACES + 1, parts(out));
    assertOnlyTheLostTaskRanAgain();
  }

  /** The killed executor had one core, so that one task at most was lost with it. */
  private static void assertOnlyTheLostTaskRanAgain() {
    List<TaskLog.Attempt> attempts = TaskLog.attempts();
    List<TaskLog.Attempt> lost = attempts.stream().filter(attempt -> !attempt.isSuccess()).toList();
    List<TaskLog.Attempt> finished = attempts.stream().filter(TaskLog.Attempt::isSuccess).toList();
    assertTrue(lost.size() <= 1, lost.toString());
    long tasks = attempts.stream().mapToInt(TaskLog.Attempt::task).distinct().count();
    assertTrue(tasks >= 20, attempts.toString());
    assertEquals(tasks, finished.size());
    assertEquals(2, finished.stream().map(TaskLog.Attempt::executor).distinct().count());
  }

  private static boolean hasExecutor(Process worker) {
    return worker.descendants().findAny().isPresent();
  }
}
