package org.allocsim.validation.torch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * PyTorch's allocator on a real GPU, sent random calls by {@code validation/gpu-calls/run.sh}: the
 * simulated one does the same.
 */
class GpuCallsTest {
  /**
   * Reads the unpacked files of the folder that {@code -Dallocsim.gpuCalls} names; {@code
   * -Dgolden.regenerate=true} writes what they showed for the page of releases.
   */
  @Test
  void everySequenceThatAGpuServedIsExact() throws Exception {
    String folder = System.getProperty("allocsim.gpuCalls");
    assumeTrue(folder != null, "left out: -Dallocsim.gpuCalls=FOLDER names files of a GPU");
    String torch = Files.readString(Path.of(folder, "torch")).strip().replace("torch ", "");
    long gpuBytes = Long.parseLong(Files.readString(Path.of(folder, "bytes")).strip());
    List<String> differences = new ArrayList<>();
    SortedMap<String, long[]> kinds = new TreeMap<>();
    for (int id : numbers(Path.of(folder))) {
      CallSequence sequence = GpuCalls.sequence(id, gpuBytes);
      CallOutcome recorded =
          GpuCalls.comparable(CallOutcome.read(Path.of(folder, Integer.toString(id))));
      CallOutcome simulated =
          GpuCalls.comparable(
              CallReplay.of(
                  sequence,
                  PyTorchVersion.of(torch),
                  recorded.events(),
                  GpuCalls.device(Path.of(folder, id + ".placed"), gpuBytes)));
      String difference = recorded.difference(simulated);
      boolean broken = recorded.endsInAssertion();
      if (difference != null) {
        differences.add("%s, seed %d: %s".formatted(sequence.kind(), id, difference));
      }
      long[] counts = kinds.computeIfAbsent(sequence.kind(), _ -> new long[6]);
      counts[0]++;
      counts[1] += difference == null && !broken ? 1 : 0;
      counts[2] += broken ? 1 : 0;
      counts[3] += recorded.events().count();
      counts[4] += recorded.messages().size();
      counts[5] += broken ? 0 : recorded.statistics().size();
    }
    assertNotEquals(0, kinds.size());
    if (Boolean.getBoolean("golden.regenerate")) {
      write(torch, kinds, differences);
    }
    assertEquals(List.of(), differences);
  }

  private static List<Integer> numbers(Path folder) throws Exception {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.matches("[0-9]+"))
          .map(Integer::parseInt)
          .sorted()
          .toList();
    }
  }

  private static void write(String torch, SortedMap<String, long[]> kinds, List<String> differences)
      throws Exception {
    ObjectMapper mapper = new ObjectMapper();
    ObjectNode root = mapper.createObjectNode().put("torch", torch).put("how", "GPU");
    ArrayNode sequences = root.putArray("sequences");
    kinds.forEach((kind, counts) -> {
      ArrayNode different =
          sequences
              .addObject()
              .put("kind", kind)
              .put("sequences", counts[0])
              .put("exact", counts[1])
              .put("aborted", counts[2])
              .put("events", counts[3])
              .put("failed_requests", counts[4])
              .put("statistics", counts[5])
              .putArray("differences");
      differences.stream().filter(each -> each.startsWith(kind + ',')).forEach(different::add);
    });
    String text = mapper.writerWithDefaultPrettyPrinter().writeValueAsString(root) + '\n';
    Files.writeString(Path.of("releases/gpu-" + PyTorchVersion.of(torch).id() + ".json"), text);
  }
}
