package org.allocsim.simulator.policy.ggml;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.allocsim.simulator.policy.ggml.TensorGraph.Tensor;

/**
 * A graph placed by {@link GraphAllocator} as text, and where its tensors lie. The first line names
 * the alignment; the others are {@code leaf|node|view ID BUFFER BYTES LAYOUT FLAGS SOURCES}, flags
 * being of {@code i} (input), {@code o} (output), {@code p} (in place), {@code x} (external) or
 * {@code -}. A view views its first source. The last line is {@code buffers}. A result has buffer
 * and offset, or nothing for views and external tensors.
 */
public final class GraphScript {
  private GraphScript() {}

  /** The result of each line after the first. */
  public static List<String> replay(List<String> lines) {
    long alignment = Long.parseLong(lines.getFirst().split(" ")[1]);
    TensorGraph graph = new TensorGraph();
    Map<String, Tensor> tensors = new HashMap<>();
    List<Tensor> placed = new ArrayList<>();
    for (String line : lines.subList(1, lines.size() - 1)) {
      Tensor tensor = tensor(graph, line.split(" "), tensors);
      placed.add(tensor);
    }
    TensorAllocator[] buffers = {
      new TensorAllocator(alignment, Long.MAX_VALUE), new TensorAllocator(alignment, Long.MAX_VALUE)
    };
    GraphAllocator.place(graph, buffers);
    List<String> results = new ArrayList<>();
    for (Tensor tensor : placed) {
      results.add(
          tensor.isView() || tensor.isExternal
              ? "elsewhere"
              : tensor.placedBuffer() + " " + TensorAllocator.offset(tensor.place()));
    }
    results.add(buffers[0].bytes() + " " + buffers[1].bytes());
    return results;
  }

  private static Tensor tensor(TensorGraph graph, String[] words, Map<String, Tensor> tensors) {
    Tensor[] sources =
        words.length < 7
            ? new Tensor[0]
            : List.of(words[6].split(",")).stream().map(tensors::get).toArray(Tensor[]::new);
    int buffer = Integer.parseInt(words[2]);
    long bytes = Long.parseLong(words[3]);
    String flags = words[5];
    Tensor tensor =
        switch (words[0]) {
          case "leaf" ->
              flags.contains("x") ? graph.external(bytes) : graph.leaf(bytes, buffer, words[4]);
          case "view" -> graph.view(sources[0], words[4], sources);
          default -> graph.node(bytes, buffer, words[4], sources);
        };
    if (flags.contains("i")) {
      tensor.input();
    }
    if (flags.contains("o")) {
      tensor.output();
    }
    if (flags.contains("p")) {
      tensor.inPlace();
    }
    tensors.put(words[1], tensor);
    return tensor;
  }
}
