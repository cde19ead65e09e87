package org.allocsim.reports.spark;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.allocsim.analysis.fleet.sweep.FleetFile;
import org.allocsim.analysis.fleet.sweep.FleetStorage;
import org.allocsim.analysis.fleet.sweep.InputFiles;
import org.allocsim.analysis.fleet.sweep.SweepEngine;
import org.allocsim.analysis.fleet.sweep.SweepException;
import org.allocsim.analysis.fleet.sweep.SweepGrid;
import org.allocsim.analysis.fleet.sweep.SweepJob;
import org.allocsim.analysis.fleet.sweep.SweepListener;
import org.allocsim.analysis.fleet.sweep.SweepRequest;
import org.allocsim.analysis.fleet.sweep.SweepResults;
import org.allocsim.analysis.fleet.sweep.SweepSummary;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkException;
import org.apache.spark.api.java.JavaFutureAction;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.util.LongAccumulator;

/**
 * Makes the runs of a sweep as a job of Apache Spark. A task reads its traces once and keeps their
 * rows in the same parts that the engine on one machine writes, so that a task that is lost with
 * its executor costs what it had not finished, and a job that is killed goes on where it was. The
 * driver puts the parts together.
 */
public final class SparkEngine implements SweepEngine {
  private static final double NANOS_PER_SECOND = 1e9;
  private static final long POLL_MILLIS = 200;

  /** An engine; the service loader makes it. */
  public SparkEngine() {}

  @Override
  public String id() {
    return "spark";
  }

  @Override
  public SweepSummary run(
      SweepRequest request,
      List<String> names,
      String out,
      Options options,
      SweepListener listener) {
    long startNanos = System.nanoTime();
    SweepGrid grid = SweepGrid.of(request);
    try (JavaSparkContext spark = new JavaSparkContext(conf(options))) {
      options.plugins().forEach(jar -> spark.addJar(jar.toUri().toString()));
      FleetStorage storage = HadoopStorage.of(spark.hadoopConfiguration());
      SweepJob job = new SweepJob(request, storage, out);
      InputFiles inputs = InputFiles.find(names, storage);
      SweepResults.requireUsable(storage, out);
      SweepResults.announce(job);
      listener.begins(inputs.files().size(), (long) inputs.files().size() * grid.usualCellCount());
      long reused = run(spark, job, inputs.list(), listener);
      return SweepResults.write(
          job, inputs, reused, (System.nanoTime() - startNanos) / NANOS_PER_SECOND);
    } catch (IOException e) {
      throw SweepResults.unwritable(out, e);
    }
  }

  private static SparkConf conf(Options options) {
    SparkConf conf = new SparkConf().setIfMissing("spark.app.name", "allocsim sweep");
    if (options.master() != null) {
      conf.setMaster(options.master());
    } else if (!conf.contains("spark.master")) {
      conf.setMaster("local[" + (options.threads() > 0 ? options.threads() : "*") + "]");
    }
    if (conf.get("spark.master").startsWith("local")) {
      conf.setIfMissing("spark.ui.enabled", "false");
    }
    String[] jars = JavaSparkContext.jarOfClass(SparkEngine.class);
    if (jars.length > 0 && !conf.contains("spark.jars")) {
      conf.setJars(jars);
    }
    return conf;
  }

  private static long run(
      JavaSparkContext spark, SweepJob job, List<FleetFile> files, SweepListener listener) {
    List<TaskFiles> tasks = TaskFiles.balance(files, spark.defaultParallelism());
    LongAccumulator finishedFiles = spark.sc().longAccumulator("traces");
    LongAccumulator finishedRuns = spark.sc().longAccumulator("runs");
    JavaFutureAction<List<Long>> future =
        spark
            .parallelize(tasks, Math.max(1, tasks.size()))
            .map(task -> task.run(job, finishedFiles, finishedRuns))
            .collectAsync();
    try {
      while (true) {
        try {
          List<Long> reused = future.get(POLL_MILLIS, TimeUnit.MILLISECONDS);
          return reused.stream().mapToLong(Long::longValue).sum();
        } catch (TimeoutException _) {
          listener.finished(finishedFiles.value().intValue(), finishedRuns.value());
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      future.cancel(true);
      throw new IllegalStateException("interrupted", e);
    } catch (ExecutionException e) {
      throw new SweepException(
          "Spark failed: " + cause(e) + "; finished runs are kept, repeat the sweep to continue",
          e);
    }
  }

  /** The first line of what Spark says. */
  private static String cause(ExecutionException failure) {
    Throwable cause = failure.getCause() instanceof SparkException spark ? spark : failure;
    return String.valueOf(cause.getMessage()).lines().findFirst().orElse("no reason given");
  }
}
