package org.allocsim.simulator.policy.ggml;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Tensors placed by {@link TensorAllocator} as text, and where. The first line names alignment and
 * largest buffer; the others are {@code alloc ID BYTES} and {@code free ID}. A result has chunk and
 * offset, or the bytes of all chunks.
 */
public final class TensorScript {
  private TensorScript() {}

  /** The result of each line after the first. */
  public static List<String> replay(List<String> lines) {
    String[] head = lines.getFirst().split(" ");
    TensorAllocator allocator =
        new TensorAllocator(Long.parseLong(head[1]), Long.parseLong(head[2]));
    Map<String, Long> places = new HashMap<>();
    Map<String, Long> sizes = new HashMap<>();
    return lines.stream()
        .skip(1)
        .map(line -> {
          String[] words = line.split(" ");
          if (words[0].equals("free")) {
            allocator.free(places.get(words[1]), sizes.get(words[1]));
            return "buffers " + allocator.bytes();
          }
          sizes.put(words[1], Long.parseLong(words[2]));
          long place = allocator.allocate(Long.parseLong(words[2]));
          places.put(words[1], place);
          return TensorAllocator.chunk(place) + " " + TensorAllocator.offset(place);
        })
        .toList();
  }
}
