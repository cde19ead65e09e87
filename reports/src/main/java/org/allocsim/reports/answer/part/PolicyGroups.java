package org.allocsim.reports.answer.part;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.allocsim.reports.document.Sentence;
import org.allocsim.reports.document.Shape;
import org.allocsim.simulator.policy.PolicySpec;
import org.jspecify.annotations.Nullable;

/** Allocators by who can use them. */
public final class PolicyGroups {
  private record Owner(String framework, List<String> ids) {
    private Owner(String framework, String... ids) {
      this(framework, List.of(ids));
    }
  }

  /** The frameworks and libraries by allocator, in the order in which lists show them. */
  private static final List<Owner> OWNERS =
      List.of(
          new Owner("PyTorch, vLLM, SGLang", "pytorch"),
          new Owner("PyTorch, JAX", "cuda-async"),
          new Owner("PyTorch", "direct"),
          new Owner("GMLake", "gmlake"),
          new Owner("RAPIDS", "rmm-arena", "rmm-binning", "rmm-fixed", "rmm-pool"),
          new Owner("STAlloc", "stalloc"),
          new Owner("PyTorch on Apple GPUs", "torch-mps"),
          new Owner("PyTorch on Intel GPUs", "torch-xpu"),
          new Owner("PyTorch, host memory", "torch-host"),
          new Owner("JAX, TensorFlow", "bfc"),
          new Owner("vLLM, KV cache", "paged-kv"),
          new Owner("llama.cpp, Ollama", "ggml-vmm", "ggml-legacy", "ggml-graph"),
          new Owner("MLX", "mlx-metal", "mlx-cuda"),
          new Owner("ONNX Runtime", "ort-arena"),
          new Owner("PaddlePaddle", "paddle-auto-growth", "paddle-virtual-memory"),
          new Owner("CuPy", "cupy"),
          new Owner("CUB", "cub"),
          new Owner("MXNet", "mxnet-naive", "mxnet-round"),
          new Owner("Umpire", "umpire-list", "umpire-quick"));

  /** Group, and how a PyTorch program switches to it. */
  public static final Shape<PolicySpec> SHAPE =
      Shape.of(policy ->
          policy
              .text(
                  "group",
                  "Who can use it: pytorch (a PyTorch program can switch to it), framework (another"
                      + " framework's own), textbook, or bound (no allocator, but what one could"
                      + " reach).",
                  each -> Keys.of(each.use().group()))
              .text(
                  "how_in_pytorch",
                  "Setting or call that switches a PyTorch program to it.",
                  PolicyGroups::how)
              .missing("a PyTorch program cannot switch to it"));

  private PolicyGroups() {}

  /** The heading of a group. */
  public static String heading(PolicySpec.Group group) {
    return switch (group) {
      case PYTORCH -> "PyTorch programs can switch to";
      case FRAMEWORK -> "other frameworks and devices";
      case TEXTBOOK -> "textbook";
      case BOUND -> "bounds and plans, no allocators";
    };
  }

  /** How a PyTorch program switches to an allocator; null if it cannot. */
  public static @Nullable String how(PolicySpec spec) {
    return spec.use().how().isEmpty() ? null : spec.use().how();
  }

  /** How a PyTorch program switches to each of the allocators that it can have, in their order. */
  public static List<Sentence> howToSwitch(Stream<PolicySpec> specs) {
    SequencedMap<String, List<String>> ids = new LinkedHashMap<>();
    specs
        .filter(spec -> how(spec) != null)
        .forEach(spec -> {
          List<String> same = ids.computeIfAbsent(spec.use().how(), _ -> new ArrayList<>());
          if (!same.contains(spec.id())) {
            same.add(spec.id());
          }
        });
    return ids.entrySet().stream()
        .map(each -> Sentence.of("{}: {}", String.join(", ", each.getValue()), each.getKey()))
        .toList();
  }

  /** The framework or library that uses an allocator; null if none does, or it is a plugin. */
  public static @Nullable String framework(PolicySpec spec) {
    int place = place(spec);
    return place < OWNERS.size() ? OWNERS.get(place).framework() : null;
  }

  /** By group, in each by framework, then as they were. */
  public static List<PolicySpec> sorted(List<PolicySpec> specs) {
    return specs.stream()
        .sorted(
            Comparator.comparing((PolicySpec spec) -> spec.use().group())
                .thenComparingInt(PolicyGroups::place))
        .toList();
  }

  private static int place(PolicySpec spec) {
    return IntStream.range(0, OWNERS.size())
        .filter(i -> OWNERS.get(i).ids().contains(spec.id()))
        .findFirst()
        .orElse(OWNERS.size());
  }
}
