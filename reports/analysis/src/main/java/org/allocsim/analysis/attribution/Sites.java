package org.allocsim.analysis.attribution;

import java.util.regex.Pattern;
import org.allocsim.analysis.moment.FrameKind;
import org.allocsim.simulator.trace.StackTable;
import org.allocsim.simulator.trace.StackTable.Frame;

/**
 * Finds out what a program was doing at each stack of a trace. Of the frames that tell, the
 * innermost decides; what the forward pass does is the backward pass's where a checkpoint runs it
 * again. Names are those of PyTorch 2.0 to 2.14 and of the libraries around it.
 */
final class Sites {
  private static final Pattern WORKSPACE =
      Pattern.compile(
          "[wW]orkspaceForHandle|getCUDABlasLtWorkspace|getNewWorkspace|getCUDABlasWorkspace"
              + "|getNewCUDABlasLtWorkspace|cudnn.*[wW]orkspace|[wW]orkspace::Workspace"
              + "|run_conv_plan|run_fused_conv_plan|cusolver.*buffer|CuFFTConfig");
  private static final Pattern COLLECTIVE =
      Pattern.compile("ProcessGroup\\w*::|c10d::|^nccl|::nccl::|symmetric_memory::");
  private static final Pattern COLLECTIVE_FILE =
      Pattern.compile(
          "torch/distributed/(distributed_c10d|_functional_collectives)\\.py$"
              + "|torch/distributed/fsdp/.*_fsdp_collectives\\.py$");
  private static final Pattern OPTIMIZER_FILE =
      Pattern.compile(
          "/torch/optim/|/transformers/optimization\\.py$|/bitsandbytes/optim/|/apex/optimizers/"
              + "|/torchao/optim/|/deepspeed/ops/|/torch/distributed/optim/|/timm/optim/"
              + "|/megatron/core/optimizer/|/lion_pytorch/|/galore_torch/|/came_pytorch/");
  private static final Pattern STATE_FUNCTION =
      Pattern.compile("^_?init_(group|state|group_state|momentum\\w*)$|^state_init$");
  private static final Pattern MODEL_FUNCTION =
      Pattern.compile(
          "^(_apply|_load_from_state_dict|load_state_dict|to_empty|reset_parameters|cuda"
              + "|initialize_parameters|register_(buffer|parameter)|__deepcopy__|__init__)$");
  private static final Pattern MODEL_FILE =
      Pattern.compile(
          "/torch/nn/(modules/[^/]+|parameter|init)\\.py$|/torch/_tensor\\.py$|/copy\\.py$");
  private static final Pattern LOADING_FILE =
      Pattern.compile(
          "/transformers/(modeling_utils|core_model_loading)\\.py$|/safetensors/|/accelerate/"
              + "(big_modeling|utils/modeling)\\.py$|/diffusers/models/(modeling_utils|"
              + "model_loading_utils)\\.py$|/model_executor/model_loader/|/torch/serialization\\.py$"
              + "|/torch/nn/(init|parameter)\\.py$|/peft/(mapping|peft_model|tuners/tuners_utils)");
  private static final Pattern LOADING_CALL = Pattern.compile("forward|__call__|_call_impl");
  private static final Pattern LOADER_FILE =
      Pattern.compile(
          "/torch/utils/data/|/accelerate/(data_loader|utils/operations)\\.py$"
              + "|/lightning(_fabric|/fabric)/utilities/apply_func\\.py$|/torchdata/|/nvidia/dali/");
  private static final Pattern LOADER_FUNCTION =
      Pattern.compile(
          "^(_prepare_inputs?|send_to_device|move_data_to_device|batch_to_device"
              + "|transfer_batch_to_device|_next_batch)$");
  private static final Pattern NODE =
      Pattern.compile("Backward\\w*::apply|torch::autograd::Engine|PyNode::apply|CppNode<");
  private static final Pattern RECOMPUTE =
      Pattern.compile("^(unpack_hook|recompute_fn|recompute\\w*|backward)$");
  private static final Pattern COPY = Pattern.compile("THPVariable_(to|cuda)\\b");

  private final StackTable table;
  private final Place[] places;
  private final Site[] sites;
  private final boolean hasModules;

  /**
   * What a frame shows regardless of those around it. Many stacks share it.
   *
   * @param kind whose code it is
   * @param isCopy whether it copies to a device
   * @param isConstructor whether it is a constructor of the program
   * @param isFunction whether the backward pass calls a function that is written in Python from
   *     outside of the program
   */
  private record Place(
      FrameKind kind, Site site, boolean isCopy, boolean isConstructor, boolean isFunction) {
    static Place of(Frame frame) {
      FrameKind kind = FrameKind.of(frame);
      String function = frame.function();
      if (kind == FrameKind.COMPILED) {
        return new Place(kind, compiled(function), COPY.matcher(function).find(), false, false);
      }
      String file = "/" + frame.file().replace('\\', '/');
      return new Place(
          kind,
          python(file, function),
          false,
          kind == FrameKind.PROGRAM && function.equals("__init__"),
          function.equals("apply") && file.endsWith("/torch/autograd/function.py"));
    }
  }

  /** Looks at all stacks of a table. */
  Sites(StackTable table) {
    this.table = table;
    places = new Place[table.frameCount()];
    for (int number = 0; number < places.length; number++) {
      places[number] = Place.of(table.frame(number));
    }
    sites = new Site[table.stackCount()];
    boolean modules = false;
    for (int stack = 0; stack < sites.length; stack++) {
      sites[stack] = find(stack);
      modules |= sites[stack] == Site.MODULE;
    }
    hasModules = modules;
  }

  /** What the program was doing at a stack. */
  Site of(int stack) {
    return sites[stack];
  }

  /**
   * Whether calls of modules are seen, so that what has no stack beside them is of a thread without
   * Python: that of the backward pass.
   */
  boolean haveModules() {
    return hasModules;
  }

  private Site find(int stack) {
    boolean isModule = false;
    boolean isCopy = false;
    boolean isConstructor = false;
    boolean hasPython = false;
    boolean isCustom = false;
    for (int depth = 0; depth < table.depth(stack); depth++) {
      Place place = places[table.frameNumber(stack, depth)];
      Site site = place.site();
      if (place.kind() == FrameKind.COMPILED) {
        if (site != Site.NONE && !(isModule && site != Site.BACKWARD)) {
          return isModule ? Site.RECOMPUTE : site;
        }
        isCopy |= !hasPython && place.isCopy();
      } else {
        if (site == Site.RECOMPUTE || site == Site.BACKWARD) {
          return isModule && site == Site.BACKWARD ? Site.RECOMPUTE : site;
        }
        if (site == Site.MODULE) {
          isModule = true;
        } else if (site != Site.NONE && !isModule) {
          return site;
        }
        isConstructor |= place.isConstructor();
        hasPython = true;
        isCustom = place.isFunction();
      }
    }
    if (isCustom) {
      return isModule ? Site.RECOMPUTE : Site.BACKWARD;
    }
    if (isModule) {
      return Site.MODULE;
    }
    if (!hasPython) {
      return table.depth(stack) == 0 ? Site.NONE : Site.PROGRAM;
    }
    return isConstructor ? Site.CONSTRUCTOR : isCopy ? Site.COPY : Site.PROGRAM;
  }

  private static Site compiled(String function) {
    if (WORKSPACE.matcher(function).find()) {
      return Site.WORKSPACE;
    }
    if (COLLECTIVE.matcher(function).find()) {
      return Site.COMMUNICATION;
    }
    if (function.contains("AccumulateGrad")) {
      return Site.ACCUMULATE;
    }
    return NODE.matcher(function).find() ? Site.BACKWARD : Site.NONE;
  }

  private static Site python(String file, String function) {
    if (file.endsWith("/torch/nn/modules/module.py") && function.endsWith("_call_impl")) {
      return Site.MODULE;
    }
    if (COLLECTIVE_FILE.matcher(file).find()) {
      return Site.COMMUNICATION;
    }
    if (OPTIMIZER_FILE.matcher(file).find()) {
      return function.equals("zero_grad")
          ? Site.ZERO_GRAD
          : STATE_FUNCTION.matcher(function).find() ? Site.OPTIMIZER_START : Site.OPTIMIZER;
    }
    if (file.endsWith("/torch/nn/utils/clip_grad.py")
        || file.endsWith("/torch/amp/grad_scaler.py")) {
      return Site.GRADIENT_UPKEEP;
    }
    if (MODEL_FUNCTION.matcher(function).find() && MODEL_FILE.matcher(file).find()
        || LOADING_FILE.matcher(file).find() && !LOADING_CALL.matcher(function).find()) {
      return Site.MODEL;
    }
    if (LOADER_FILE.matcher(file).find() || LOADER_FUNCTION.matcher(function).find()) {
      return Site.LOADER;
    }
    if (file.endsWith("/torch/utils/checkpoint.py") && RECOMPUTE.matcher(function).find()) {
      return Site.RECOMPUTE;
    }
    return file.endsWith("/torch/autograd/graph.py") && function.equals("_engine_run_backward")
        ? Site.BACKWARD
        : Site.NONE;
  }
}
