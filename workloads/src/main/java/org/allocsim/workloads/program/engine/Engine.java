package org.allocsim.workloads.program.engine;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.Work;
import org.allocsim.workloads.model.Draft;
import org.allocsim.workloads.model.PageSharing;
import org.allocsim.workloads.model.ServedModel;
import org.allocsim.workloads.program.torch.DType;
import org.allocsim.workloads.program.torch.Elementwise;
import org.allocsim.workloads.program.torch.Tensor;
import org.allocsim.workloads.program.torch.Torch;
import org.allocsim.workloads.program.torch.memory.Device;
import org.jspecify.annotations.Nullable;

/**
 * The worker of an engine on one GPU, from its start: buffers, weights, profiling run, cache, CUDA
 * graphs, a first sample, then steps; where it may sleep, also sleeping and waking.
 *
 * <p><b>Rules.</b> The cache gets the share of the GPU less the weights, the growth of the peak in
 * the profiling run (a step of the most tokens, then the sampler for the most sequences), and what
 * the process took beside PyTorch. Graphs are captured on a stream of their own into one pool,
 * largest first, each after a run that is not captured and an emptied cache; larger steps run
 * without. With sleep mode, weights and cache are in pools of their own, one for each tag: asleep,
 * the pages of both go back to the driver, at level 1 with a copy of the weights in page-locked
 * memory of the host. What is in no tag stays: buffers, the graphs' pool, libraries' workspaces.
 *
 * <p><b>Source.</b> vLLM 0.12, {@code v1/worker/gpu_worker.py}, {@code
 * v1/worker/gpu_model_runner.py}, {@code compilation/cuda_graph.py}, {@code
 * device_allocator/cumem.py}.
 *
 * <p><b>Deviations.</b> Graphs of parts of the model (piecewise) are captured as those of the whole
 * model are. A tag that wakes is a new pool, whose addresses may differ. The host's copy is one
 * buffer for each tensor, not for each segment. What loading frees in the pool of a tag stays
 * cached there, while vLLM gives it back. What the driver takes for a graph is not in the trace.
 */
public final class Engine {
  private static final String RUNNER = "vllm/v1/worker/gpu_model_runner.py";
  private static final String WORKER = "vllm/v1/worker/gpu_worker.py";
  private static final long CAPTURE_STREAM = 1;
  private static final PoolId GRAPHS = new PoolId(1, 0);

  /** Tokens at which a token looks back in steps; times only. */
  private static final int CONTEXT_TOKENS = 1024;

  private final EngineSettings settings;
  private final Device device;
  private final Torch torch;
  private final Sampler sampler;
  private final SplittableRandom random;
  private final Map<Integer, List<Work.Kernel>> graphs = new HashMap<>();
  private final List<Integer> hostCopies = new ArrayList<>();
  private @Nullable Decoder model;
  private @Nullable Decoder draft;
  private @Nullable KvTensors cache;
  private PoolId weightPool = PoolId.DEFAULT;
  private PoolId cachePool = PoolId.DEFAULT;
  private long lastPool = 1;
  private int phases;
  private long weightBytes;
  private long profileBytes;
  private long availableBytes;

  /** An engine that has not started. */
  public Engine(EngineSettings settings, Device device, long seed) {
    this.settings = settings;
    this.device = device;
    torch = new Torch(device);
    torch.recordGradients(false);
    sampler = new Sampler(torch);
    random = new SplittableRandom(seed);
  }

  /**
   * Starts the engine and lets it run.
   *
   * @throws IllegalArgumentException where nothing is left for the cache, with the figures
   */
  public AllocationTrace run() {
    start();
    for (int sleep = 0; sleep < settings.course().sleeps(); sleep++) {
      steps();
      sleep();
      wake();
    }
    steps();
    return device.trace();
  }

  private void start() {
    phase("init", this::makeBuffers);
    phase("load weights", this::loadWeights);
    phase("profile", this::profile);
    phase("allocate cache", this::allocateCache);
    if (!settings.isEager()) {
      phase("capture graphs", this::captureGraphs);
    }
    phase("warm up", this::warmUp);
  }

  private void phase(String name, Runnable work) {
    String marker = name + " " + phases++;
    device.begin(marker);
    work.run();
    device.end(marker);
  }

  /** What the runner keeps between steps: inputs, block tables, parameters of the sampler. */
  private void makeBuffers() {
    device.enter(RUNNER, "__init__");
    EngineSettings.Schedule schedule = settings.schedule();
    int sequences = schedule.maxSequences();
    int tokens = schedule.stepTokens();
    torch.empty(DType.INT32, tokens);
    // Positions, and the slots of the cache that are written.
    torch.empty(DType.INT64, tokens);
    torch.empty(DType.INT64, tokens);
    torch.empty(DType.INT32, sequences + 1);
    torch.empty(DType.INT32, sequences);
    long blocks = (schedule.maxTokens() + schedule.blockTokens() - 1L) / schedule.blockTokens();
    for (int group = 0; group < sharing(1).groups().size(); group++) {
      torch.empty(DType.INT32, sequences, blocks);
    }
    for (int parameter = 0; parameter < 6; parameter++) {
      torch.empty(DType.FLOAT32, sequences);
    }
    device.leave();
  }

  /** Bytes of a block in each tensor of the cache. */
  private List<Long> blockBytes() {
    int valueBytes = settings.hasSmallCache() ? 1 : settings.type().bytes();
    long blockTokens = settings.schedule().blockTokens();
    return sharing(valueBytes).tensorTokenBytes().stream()
        .map(tokenBytes -> tokenBytes * blockTokens)
        .toList();
  }

  /** How the layers of the model share the cache with those of its draft. */
  private PageSharing sharing(int valueBytes) {
    int gpus = settings.gpus();
    ServedModel model = settings.model().served(gpus, 1, valueBytes);
    return PageSharing.of(
        settings
            .draft()
            .map(guess -> model.groupsWith(guess.served(gpus, 1, valueBytes)))
            .orElse(model.groups()),
        PageSharing.Padding.QUARTER);
  }

  private void loadWeights() {
    device.enter(WORKER, "load_model");
    long before = device.allocatedBytes();
    if (isTagged()) {
      weightPool = newPool();
    }
    PoolId outer = device.setPool(weightPool);
    Decoder loaded = new Decoder(torch, settings, settings.model(), null, false);
    model = loaded;
    load(loaded, false);
    settings.adapters().ifPresent(loaded::adapt);
    settings.draft().ifPresent(guess -> draft = loadDraft(guess, loaded, false));
    device.setPool(outer);
    weightBytes = device.allocatedBytes() - before;
    device.leave();
  }

  private Decoder loadDraft(Draft guess, Decoder owner, boolean isReady) {
    Decoder loaded =
        new Decoder(torch, settings, guess.model(), guess.isHead() ? owner : null, isReady);
    load(loaded, isReady);
    return loaded;
  }

  private void load(Decoder loaded, boolean isReady) {
    loaded.load();
    if (settings.hasSmallWeights() && !isReady) {
      loaded.quantize();
    }
  }

  private void profile() {
    device.enter(WORKER, "determine_available_memory");
    device.synchronize();
    device.emptyCache();
    device.resetPeak();
    long before = device.allocatedBytes();
    device.enter(RUNNER, "profile_run");
    Tensor hidden = forward(settings.schedule().stepTokens());
    Tensor chosen = rows(settings.sequencesOfStep());
    sample(chosen, true);
    chosen.release();
    guess(settings.schedule().stepTokens());
    device.synchronize();
    hidden.release();
    device.leave();
    device.synchronize();
    device.emptyCache();
    profileBytes = device.peakAllocatedBytes() - before;
    availableBytes =
        (long) (settings.device().totalBytes() * settings.utilization())
            - weightBytes
            - profileBytes
            - settings.nonTorchBytes();
    device.leave();
  }

  private void allocateCache() {
    device.enter(WORKER, "initialize_from_config");
    KvTensors tensors = new KvTensors(torch, blockBytes(), availableBytes);
    if (tensors.blocks() == 0) {
      throw new IllegalArgumentException(
          ("no memory is left for the cache: %d bytes of weights, %d of the profiling run and %d"
                  + " outside PyTorch exceed %s of %s; use a larger GPU, more GPUs, or a larger"
                  + " gpu-memory-utilization")
              .formatted(
                  weightBytes,
                  profileBytes,
                  settings.nonTorchBytes(),
                  settings.utilization(),
                  settings.device().name()));
    }
    cache = tensors;
    if (isTagged()) {
      cachePool = newPool();
    }
    PoolId outer = device.setPool(cachePool);
    tensors.allocate();
    device.setPool(outer);
    device.leave();
  }

  private void captureGraphs() {
    device.enter(RUNNER, "capture_model");
    device.waitStream(CAPTURE_STREAM, 0);
    long main = device.setStream(CAPTURE_STREAM);
    EngineSettings.Schedule schedule = settings.schedule();
    List<Integer> sizes =
        CaptureSizes.of(
            schedule.maxSequences(), settings.tokensOfSequence(), schedule.stepTokens());
    for (int size : sizes) {
      graphs.put(size, capture(size));
    }
    // Steps that only generate have graphs of the whole model.
    int most = settings.sequencesOfStep() * settings.tokensOfSequence();
    for (int size : sizes) {
      if (size <= most) {
        graphs.put(size, capture(size));
      }
    }
    device.setStream(main);
    device.waitStream(main, CAPTURE_STREAM);
    device.synchronize();
    device.leave();
  }

  private List<Work.Kernel> capture(int tokens) {
    forward(tokens).release();
    device.synchronize();
    device.emptyCache();
    PoolId outer = device.setPool(GRAPHS);
    device.beginCapture();
    // The output of a graph is weakly held: the next, smaller graph writes over it.
    forward(tokens).release();
    List<Work.Kernel> kernels = device.endCapture();
    device.setPool(outer);
    return kernels;
  }

  /** A sample for as many sequences as may run, so that its memory is there for later. */
  private void warmUp() {
    device.enter(WORKER, "compile_or_warm_up_model");
    int sequences = settings.sequencesOfStep();
    Tensor hidden = forward(sequences);
    sample(hidden, true);
    hidden.release();
    device.synchronize();
    device.leave();
  }

  private void steps() {
    for (int step = 0; step < settings.course().steps(); step++) {
      boolean isPrompt = step % 4 == 0;
      phase("step", () -> step(isPrompt));
    }
  }

  /** Prompts fill a step; later ones generate for some of the sequences. */
  private void step(boolean isPrompt) {
    device.enter(RUNNER, "execute_model");
    settings.adapters().ifPresent(each -> decoder().loadAdapter(each.slots()));
    int sequences = random.nextInt(1, settings.sequencesOfStep() + 1);
    int tokens =
        isPrompt
            ? random.nextInt(sequences, settings.schedule().stepTokens() + 1)
            : Math.min(sequences * settings.tokensOfSequence(), settings.schedule().stepTokens());
    Optional<List<Work.Kernel>> graph =
        graphs.keySet().stream()
            .filter(size -> size >= tokens)
            .min(Integer::compare)
            .map(graphs::get);
    Tensor hidden;
    if (graph.isPresent()) {
      device.replay(graph.get());
      hidden = rows(sequences);
    } else {
      Tensor all = forward(tokens);
      hidden = rows(sequences);
      all.release();
    }
    sample(hidden, settings.course().usesTopP());
    hidden.release();
    guess(sequences);
    device.leave();
  }

  private Decoder decoder() {
    if (model == null) {
      throw new IllegalStateException("the engine has no weights");
    }
    return model;
  }

  private Tensor forward(int tokens) {
    Tensor input = torch.empty(DType.INT32, tokens);
    Tensor hidden = decoder().forward(input, CONTEXT_TOKENS);
    input.release();
    return hidden;
  }

  /** The hidden states from which sequences get their next token. */
  private Tensor rows(int sequences) {
    Tensor places = Elementwise.filled(torch, DType.INT64, sequences);
    Tensor rows = torch.empty(settings.type(), sequences, settings.model().hidden());
    Elementwise.charge(torch, rows, 0, 2);
    places.release();
    return rows;
  }

  private void sample(Tensor hidden, boolean isSorted) {
    Tensor logits = decoder().logits(hidden);
    Tensor tokens = sampler.draw(logits, isSorted);
    if (settings.draft().isPresent()) {
      sampler.reject(logits);
    }
    Elementwise.toHost(torch, tokens);
    tokens.release();
    logits.release();
  }

  /** The draft guesses one token after the other. */
  private void guess(int tokens) {
    if (draft == null || settings.draft().isEmpty()) {
      return;
    }
    device.enter("vllm/v1/spec_decode/eagle.py", "propose");
    int sequences = Math.min(tokens, settings.sequencesOfStep());
    for (int guess = 0; guess < settings.draft().get().tokens(); guess++) {
      Tensor input = torch.empty(DType.INT32, guess == 0 ? tokens : sequences);
      Tensor hidden = draft.forward(input, CONTEXT_TOKENS);
      Tensor chosen = torch.empty(settings.type(), sequences, hidden.size(1));
      Tensor logits = draft.logits(chosen);
      Tensor next = Elementwise.filled(torch, DType.INT64, sequences);
      Tensor.releaseAll(next, logits, chosen, hidden, input);
    }
    device.leave();
  }

  private boolean isTagged() {
    return settings.course().sleepLevel() > 0;
  }

  private PoolId newPool() {
    return new PoolId(0, ++lastPool);
  }

  private void sleep() {
    phase(
        "sleep",
        () -> {
          device.enter(WORKER, "sleep");
          device.synchronize();
          if (settings.course().sleepLevel() == 1) {
            for (long bytes : weightTensors()) {
              hostCopies.add(device.allocateHost(bytes));
              device.copy(bytes, false, true);
            }
          }
          decoder().release();
          if (draft != null) {
            draft.release();
          }
          free(weightPool);
          if (cache != null) {
            cache.release();
          }
          free(cachePool);
          device.emptyCache();
          device.leave();
        });
  }

  private List<Long> weightTensors() {
    List<Long> all = new ArrayList<>(decoder().tensorBytes());
    if (draft != null) {
      all.addAll(draft.tensorBytes());
    }
    return all;
  }

  private void free(PoolId pool) {
    device.releasePool(pool);
    device.emptyPool(pool);
  }

  private void wake() {
    if (settings.course().wakesInStages()) {
      phase("wake weights", this::wakeWeights);
      phase("wake cache", this::wakeCache);
    } else {
      phase(
          "wake",
          () -> {
            wakeWeights();
            wakeCache();
          });
    }
  }

  /** Pages as they were; at level 2 the weights come anew. */
  private void wakeWeights() {
    device.enter(WORKER, "wake_up");
    weightPool = newPool();
    PoolId outer = device.setPool(weightPool);
    Decoder woken = new Decoder(torch, settings, settings.model(), null, true);
    settings.adapters().ifPresent(woken::adapt);
    woken.load();
    model = woken;
    settings.draft().ifPresent(guess -> draft = loadDraft(guess, woken, true));
    device.setPool(outer);
    hostCopies.forEach(device::freeHost);
    hostCopies.clear();
    device.leave();
  }

  private void wakeCache() {
    device.enter(WORKER, "wake_up");
    cachePool = newPool();
    PoolId outer = device.setPool(cachePool);
    if (cache != null) {
      cache.allocate();
    }
    device.setPool(outer);
    device.leave();
  }
}
