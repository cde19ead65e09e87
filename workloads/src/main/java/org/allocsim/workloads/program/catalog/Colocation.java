package org.allocsim.workloads.program.catalog;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.StackTable;
import org.allocsim.workloads.program.ProgramOption;
import org.allocsim.workloads.program.ProgramValues;

/**
 * What the trainer and the engine of reinforcement learning on one GPU have in common: their
 * timetable, and a model's tensors. The trainer starts for a while, then the engine; then they take
 * turns: the engine wakes and gets the trained weights, generates and sleeps, and the trainer
 * trains. Between what one gives back and what the other takes lies as much time as the weights
 * take, so that traces with the same timetable fit together although driver calls take time.
 */
final class Colocation {
  private static final long STREAM = 0;
  private static final long MILLION = 1_000_000;
  private static final long MIB = 1L << 20;
  private static final long NANOS_PER_MILLI = 1_000_000;

  /** Shares of a layer's parameters, in twelfths: attention's inputs and output, two of the MLP. */
  private static final int[] TWELFTHS = {3, 1, 4, 4};

  private static final List<ProgramOption> TIMETABLE =
      List.of(
          new ProgramOption("iterations", "3", "number of rounds of generating and training"),
          new ProgramOption("start-ms", "20000", "startup time of each of the two"),
          new ProgramOption(
              "sync-ms", "1000", "time for the engine to receive the weights, and between turns"),
          new ProgramOption("generate-ms", "30000", "time that the engine generates"),
          new ProgramOption("train-ms", "20000", "time that the trainer trains"));

  private static final List<ProgramOption> MODEL =
      List.of(
          new ProgramOption("parameters", "7000", "parameters of the model, in millions"),
          new ProgramOption("gpus", "1", "GPUs over which its tensors are spread evenly"),
          new ProgramOption("layers", "32", "its layers"));

  private final AllocationTrace.Builder trace = new AllocationTrace.Builder();
  private final long layerParameters;
  private final int layers;
  private final int iterations;
  private final long startNanos;
  private final long syncNanos;
  private final long generateNanos;
  private final long trainNanos;

  Colocation(ProgramValues values) {
    layers = values.count("layers");
    layerParameters = values.count("parameters") * MILLION / values.count("gpus") / layers;
    values.require(layerParameters > 0, "a layer would have less than one parameter");
    iterations = values.count("iterations");
    startNanos = values.count("start-ms") * NANOS_PER_MILLI;
    syncNanos = values.count("sync-ms") * NANOS_PER_MILLI;
    generateNanos = values.count("generate-ms") * NANOS_PER_MILLI;
    trainNanos = values.count("train-ms") * NANOS_PER_MILLI;
  }

  /** The options that both have, and those of one. */
  static List<ProgramOption> options(ProgramOption... own) {
    List<ProgramOption> all = new ArrayList<>(MODEL);
    all.addAll(Arrays.asList(own));
    all.addAll(TIMETABLE);
    return List.copyOf(all);
  }

  static long mib(ProgramValues values, String name) {
    return values.number(name, 0) * MIB;
  }

  int iterations() {
    return iterations;
  }

  int layers() {
    return layers;
  }

  AllocationTrace.Builder trace() {
    return trace;
  }

  AllocationTrace build() {
    return trace.build(StackTable.empty());
  }

  /** Lets the time pass in which one of the two starts. */
  void passStart() {
    trace.hostWork(startNanos);
  }

  /** Lets the time pass in which the engine gets the weights. */
  void passSync() {
    trace.hostWork(syncNanos);
  }

  /** Lets the time pass in which the engine generates. */
  void passGeneration() {
    trace.hostWork(generateNanos);
  }

  /** Lets a part of the time pass in which the trainer trains. */
  void passTraining(int parts) {
    trace.hostWork(trainNanos / parts);
  }

  int allocate(long bytes, PoolId pool) {
    return trace.allocate(Math.max(1, bytes), STREAM, pool);
  }

  /** The matrices of all layers with so many bytes for each parameter. */
  List<Integer> matrices(int bytesEach, PoolId pool) {
    List<Integer> all = new ArrayList<>();
    for (int layer = 0; layer < layers; layer++) {
      all.addAll(layerMatrices(bytesEach, pool));
    }
    return all;
  }

  /** The matrices of one layer. */
  List<Integer> layerMatrices(int bytesEach, PoolId pool) {
    List<Integer> all = new ArrayList<>();
    for (int twelfths : TWELFTHS) {
      all.add(allocate(layerParameters * twelfths / 12 * bytesEach, pool));
    }
    return all;
  }

  /** Gives allocations back, and forgets them. */
  void free(List<Integer> allocations) {
    allocations.forEach(trace::free);
    allocations.clear();
  }
}
