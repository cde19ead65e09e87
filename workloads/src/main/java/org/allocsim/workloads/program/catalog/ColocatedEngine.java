package org.allocsim.workloads.program.catalog;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.workloads.program.DescribedProgram;
import org.allocsim.workloads.program.ProgramOption;
import org.allocsim.workloads.program.ProgramValues;

/**
 * The engine of reinforcement learning that shares its GPU with a trainer ({@link
 * ColocatedTrainer}).
 *
 * <p>Weights and the cache of keys and values lie in pools of their own, one for each tag, whose
 * pages an engine can give back and get again at the same addresses: vLLM's sleep mode ({@code
 * CuMemAllocator}, 0.7 and newer) and torch_memory_saver, which SGLang uses. To the driver a sleep
 * is that the pages of a tag are unmapped and released, and so it is here; addresses do not matter
 * for what is free. PyTorch's own counters go on to count what sleeps (vllm-project/vllm#17117),
 * those of this trace do not: a tag that wakes is a new pool.
 *
 * <p>Level 1 keeps the weights in the host's memory, level 2 drops them; both give the same memory
 * of the GPU back. What is in no tag stays: CUDA graphs, buffers of sampler and scheduler, and what
 * PyTorch's allocator caches unless the engine empties its cache, which vLLM does when it falls
 * asleep.
 */
public final class ColocatedEngine extends DescribedProgram {
  private static final int HALF = 2;
  private static final PoolId GRAPHS = new PoolId(0, 1);
  private static final int NO_SLEEP = 0;
  private static final int DEEPEST = 2;
  private static final String STAGES = "stages";

  /** A program; the service loader makes it. */
  public ColocatedEngine() {
    super(
        "colocated-engine",
        "a reinforcement learning inference engine that sleeps while a trainer on the same GPU"
            + " trains",
        Colocation.options(
            new ProgramOption("kv-cache", "20480", "KV cache in MiB"),
            new ProgramOption(
                "activations", "2048", "peak of a step, in addition to weights and cache, in MiB"),
            new ProgramOption("graphs", "1024", "CUDA graphs in MiB"),
            new ProgramOption("buffers", "256", "other permanent memory in MiB"),
            new ProgramOption("bucket", "512", "size of a weight transfer in MiB"),
            new ProgramOption("sleep", "1", "0: none, 1: weights to the host, 2: weights dropped"),
            new ProgramOption(
                "wake",
                STAGES,
                "stages: first the weights, then the cache; at-once: both together"),
            new ProgramOption(
                "empty-cache",
                "true",
                "whether it empties PyTorch's cache when it goes to sleep")));
  }

  @Override
  public AllocationTrace generate(ProgramValues values, long seed) {
    return new Serving(values).run();
  }

  /** An engine that has not started. */
  private static final class Serving {
    private final Colocation both;
    private final long cacheBytes;
    private final long activationBytes;
    private final long graphBytes;
    private final long bufferBytes;
    private final long bucketBytes;
    private final int level;
    private final boolean wakesInStages;
    private final boolean emptiesCache;
    private List<Integer> weights = new ArrayList<>();
    private final List<Integer> cache = new ArrayList<>();

    /** Number of the pool that was made last. */
    private long lastPool = 1;

    private PoolId weightPool = GRAPHS;
    private PoolId cachePool = GRAPHS;

    Serving(ProgramValues values) {
      both = new Colocation(values);
      cacheBytes = Colocation.mib(values, "kv-cache");
      activationBytes = Colocation.mib(values, "activations");
      graphBytes = Colocation.mib(values, "graphs");
      bufferBytes = Colocation.mib(values, "buffers");
      bucketBytes = Colocation.mib(values, "bucket");
      level = values.number("sleep", NO_SLEEP);
      values.require(level <= DEEPEST, "the sleep levels are 0, 1 and 2");
      wakesInStages = values.choice("wake", STAGES, "at-once").equals(STAGES);
      emptiesCache = values.flag("empty-cache");
    }

    AllocationTrace run() {
      start();
      for (int iteration = 0; iteration < both.iterations(); iteration++) {
        String name = "generate " + iteration;
        both.trace().markerBegin(name);
        wake();
        generate();
        sleep();
        both.trace().markerEnd(name);
        both.passSync();
        both.passTraining(1);
      }
      return both.build();
    }

    /** Weights, the profiling run, the cache, CUDA graphs: in vLLM's order. */
    private void start() {
      // The trainer gives its memory back.
      both.passSync();
      both.allocate(bufferBytes, PoolId.DEFAULT);
      loadWeights();
      step();
      both.trace().synchronize();
      both.trace().emptyCache();
      loadCache();
      for (int layer = 0; layer < both.layers(); layer++) {
        both.allocate(graphBytes / both.layers(), GRAPHS);
      }
      both.passStart();
      sleep();
    }

    private void loadWeights() {
      if (weights.isEmpty()) {
        weightPool = new PoolId(0, ++lastPool);
        weights = both.matrices(HALF, weightPool);
      }
    }

    private void loadCache() {
      if (cache.isEmpty()) {
        cachePool = new PoolId(0, ++lastPool);
        for (int layer = 0; layer < both.layers(); layer++) {
          cache.add(both.allocate(cacheBytes / both.layers(), cachePool));
        }
      }
    }

    private void wake() {
      loadWeights();
      if (!wakesInStages) {
        loadCache();
      }
      int bucket = both.allocate(bucketBytes, PoolId.DEFAULT);
      both.passSync();
      both.trace().free(bucket);
      // The trainer's weights leave now; the cache comes when they are gone.
      both.passSync();
    }

    private void generate() {
      loadCache();
      step();
      both.passGeneration();
    }

    private void step() {
      int activations = both.allocate(activationBytes, PoolId.DEFAULT);
      both.trace().free(activations);
    }

    private void sleep() {
      if (level == NO_SLEEP) {
        return;
      }
      both.trace().synchronize();
      free(weights, weightPool);
      free(cache, cachePool);
      if (emptiesCache) {
        both.trace().emptyCache();
      }
    }

    /** The pages of a tag. */
    private void free(List<Integer> allocations, PoolId pool) {
      both.free(allocations);
      both.trace().releasePool(pool);
      both.trace().emptyPool(pool);
    }
  }
}
