package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import org.allocsim.reports.answer.part.PolicyGroups;
import org.allocsim.reports.output.ExitCodes;
import org.allocsim.simulator.policy.Policies;
import org.allocsim.simulator.policy.PolicyProvider;
import org.allocsim.simulator.policy.PolicySpec;
import org.allocsim.workloads.format.TraceFormat;
import org.allocsim.workloads.format.TraceFormats;
import org.junit.jupiter.api.Test;

class ListCommandTest {
  private static String list(String... arguments) throws IOException {
    String[] all = new String[arguments.length + 1];
    all[0] = "list";
    System.arraycopy(arguments, 0, all, 1, arguments.length);
    CommandRun run = CommandRun.of((Object[]) all);
    assertEquals("", run.err());
    assertEquals(ExitCodes.DONE, run.exitCode());
    return run.out();
  }

  @Test
  void devicesAreATable() throws IOException {
    Golden.assertGolden("list-devices.txt", list("devices"));
  }

  @Test
  void everyInstalledPolicyHasALineWithItsSummary() throws IOException {
    List<String> lines = list("policies").lines().toList();
    for (PolicyProvider provider : Policies.all()) {
      PolicySpec spec = provider.spec();
      String line = lineOf(lines, spec.id());
      assertTrue(line.contains(spec.summary()), line);
    }
    String notes = String.join(" ", lines.subList(lines.indexOf(""), lines.size()));
    assertTrue(notes.contains("cuda-async: PYTORCH_CUDA_ALLOC_CONF=backend:cudaMalloc"), notes);
    assertTrue(notes.contains("paged (vLLM by release), sglang, kvcached"), notes);
  }

  @Test
  void policiesAreInTheGroupsOfCompareWithTheFrameworkThatUsesThem() throws IOException {
    List<String> lines = list("policies").lines().toList();
    List<String> headings = lines.stream().filter(line -> line.matches("[A-Za-z, ]+:")).toList();
    assertEquals(
        List.of(
            "PyTorch programs can switch to:",
            "other frameworks and devices:",
            "textbook:",
            "bounds and plans, no allocators:"),
        headings.subList(0, 4));
    for (PolicyProvider provider : Policies.all()) {
      PolicySpec spec = provider.spec();
      int heading = lines.indexOf(PolicyGroups.heading(spec.use().group()) + ":");
      int line = lines.indexOf(lineOf(lines, spec.id()));
      long between =
          lines.subList(heading + 1, line).stream().filter(each -> each.endsWith(":")).count();
      assertTrue(heading >= 0 && line > heading && between == 0, spec.id());
      boolean isUsed =
          switch (spec.use().group()) {
            case PYTORCH, FRAMEWORK -> true;
            case TEXTBOOK, BOUND -> false;
          };
      assertEquals(
          isUsed || spec.id().equals("ggml-graph"),
          PolicyGroups.framework(spec) != null,
          spec.id());
    }
    assertTrue(lineOf(lines, "bfc").contains(" JAX, TensorFlow"));
    assertTrue(lineOf(lines, "ggml-vmm").contains(" llama.cpp, Ollama"));
    assertTrue(lineOf(lines, "mlx-metal").contains(" MLX"));
    assertTrue(lineOf(lines, "pytorch").contains(" PyTorch, vLLM, SGLang"));
  }

  private static String lineOf(List<String> lines, String id) {
    return lines.stream().filter(line -> line.startsWith(id + " ")).findFirst().orElseThrow();
  }

  @Test
  void everyInstalledFormatHasALineWithItsSummary() throws IOException {
    List<String> lines = list("formats").lines().toList();
    List<TraceFormat> all = TraceFormats.all();
    assertEquals(all.size() + 1, lines.size());
    for (int i = 0; i < all.size(); i++) {
      assertTrue(lines.get(i + 1).startsWith(all.get(i).id() + " "), lines.get(i + 1));
      assertTrue(lines.get(i + 1).contains(all.get(i).summary()), lines.get(i + 1));
    }
  }

  @Test
  void onePolicyIsShownWithItsSourceAndOptions() throws IOException {
    for (PolicyProvider provider : Policies.all()) {
      String text = list("policies", provider.spec().id()).replaceAll("\\s+", " ");
      assertTrue(text.contains(provider.spec().source().replaceAll("\\s+", " ")), text);
      for (PolicySpec.Option option : provider.spec().options()) {
        assertTrue(text.contains(option.name()), text);
      }
    }
  }

  @Test
  void theDocumentationPageHoldsEveryPolicyAndOption() throws IOException {
    String page = list("policies", "--markdown");
    for (PolicyProvider provider : Policies.all()) {
      assertTrue(page.contains("\n### " + provider.spec().id() + ": "), provider.spec().id());
      for (PolicySpec.Option option : provider.spec().options()) {
        assertTrue(page.contains("| " + option.name() + " |"), option.name());
      }
    }
  }

  @Test
  void programsReadListsAsJsonAndCsv() throws IOException {
    assertTrue(
        list("policies", "--json", "-")
            .startsWith("{\n  \"schema\": \"allocsim-list-policies-3\""));
    assertTrue(list("formats", "--csv", "-").startsWith("id,summary,extensions,is_written\n"));
    assertTrue(list("devices", "--markdown").contains("| h200 | 139.80 GiB |"));
    CommandRun run = CommandRun.of("list", "devices", "h200", "--csv", "-");
    assertEquals(ExitCodes.USAGE, run.exitCode());
  }

  @Test
  void aPolicyThatIsNotThereIsWrongUsage() throws IOException {
    CommandRun run = CommandRun.of("list", "policies", "no-such");
    assertEquals(ExitCodes.USAGE, run.exitCode());
    assertTrue(run.err().contains("'no-such' is not a policy"), run.err());
  }
}
