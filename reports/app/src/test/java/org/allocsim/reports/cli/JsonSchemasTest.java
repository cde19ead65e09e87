package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.allocsim.analysis.text.JsonText;
import org.allocsim.reports.answer.Answers;
import org.allocsim.reports.answer.product.ListAnswer;
import org.allocsim.reports.answer.validation.BenchAnswer;
import org.allocsim.reports.document.render.JsonRenderer;
import org.allocsim.reports.output.ExitCodes;
import org.allocsim.validation.benchmark.Machine;
import org.allocsim.validation.benchmark.Measurement;
import org.allocsim.validation.benchmark.Samples;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What commands write as JSON is what their schemas say, no key more and none less. */
class JsonSchemasTest {
  private static final JsonMapper MAPPER = JsonMapper.builder().build();
  private static final Path PAGE = Path.of("docs/json.md");

  private static final Path SAMPLE = Path.of("samples/gpt_oom.pickle.xz");
  private static final Path PROFILE = Path.of("samples/loader.trace.json.xz");
  private static final Path CAT_GROWTH = CommandRun.recording("cat_growth.pickle.xz");
  private static final Path CUDA_GRAPH = CommandRun.recording("cuda_graph.pickle.xz");
  private static final Path DEVICE_OOM = CommandRun.recording("device_oom.pickle.xz");
  private static final Path TWO_GPU = CommandRun.recording("two_gpu.pickle.xz");
  private static final String FRACTION = "--memory-fraction=0.05";
  private static final String GENERATED = "GENERATED";
  private static final String SWEPT = "SWEPT";
  private static final String JOB = "JOB";

  private static final List<List<Object>> COMMANDS =
      List.of(
          List.of("replay", SAMPLE, FRACTION),
          List.of("replay", CAT_GROWTH, "--insert", "empty_cache@every:100"),
          List.of("replay", SAMPLE, "--policy", "cuda-async"),
          List.of("replay", DEVICE_OOM, "--policy", "max-live"),
          List.of("replay", GENERATED),
          List.of("replay", GENERATED, "--repeat=2"),
          List.of("verify", SAMPLE, FRACTION),
          List.of("verify", SAMPLE, "--memory-fraction=0.04"),
          List.of("verify", TWO_GPU, CUDA_GRAPH),
          List.of("compare", CAT_GROWTH, GENERATED, "--policies", "all", "--capacity=2GiB"),
          List.of("compare", CAT_GROWTH, "--policies", "rmm-pool(initial=1GiB;max=2GiB)"),
          List.of("compare", CAT_GROWTH, "--policies", "direct,rmm-pool(initial=many)"),
          List.of("view", CAT_GROWTH, "--report", "target/view"),
          List.of("tune", CAT_GROWTH),
          List.of("tune", DEVICE_OOM),
          List.of("min-capacity", CAT_GROWTH, "--policies", "pytorch,rmm-fixed,bfc"),
          List.of("min-capacity", CAT_GROWTH, FRACTION),
          List.of("advise", CommandLines.trials()),
          List.of("colocate", CAT_GROWTH, CAT_GROWTH + ",memory-limit=9GiB,end=exit"),
          List.of("colocate", SAMPLE, CAT_GROWTH, "--capacity=6GiB", "--smallest", "--limits"),
          List.of("colocate", SAMPLE, CAT_GROWTH + ",context=5GiB", "--capacity=5GiB"),
          List.of("fit", "--batch=16", "program:vit(batch=4)", "program:vit(batch=8)"),
          List.of(
              "serve",
              "samples/chat_requests.jsonl",
              "--model=gemma-2-9b",
              "--first=9",
              "--utilizations=0.8"),
          List.of("serve", "samples/chat_requests.jsonl", "--model=yi-6b", "--max-model-len=2"),
          List.of("suite", "weight-conversion", "article-gpu"),
          List.of("suite", "weight-conversion", "--policies", "pytorch,max-live,rmm-fixed"),
          List.of("peak", CUDA_GRAPH),
          List.of("peak", SAMPLE, FRACTION, "--by", "size"),
          List.of("blockers", SAMPLE, FRACTION, "--at", "oom"),
          List.of("blockers", CUDA_GRAPH),
          List.of("blockers", CAT_GROWTH, "--at", "end"),
          List.of("diff", SAMPLE, CAT_GROWTH),
          List.of("check", SAMPLE, FRACTION, "--max-reserved=4GiB", "--max-slack=5%", "--no-oom"),
          List.of("account", SAMPLE, FRACTION),
          List.of("account", CUDA_GRAPH),
          List.of("idle", PROFILE),
          List.of("idle", PROFILE, PROFILE),
          List.of("leaks", CAT_GROWTH),
          List.of("leaks", CommandRun.recording("prefetch_streams.pickle.xz")),
          List.of("inspect", TWO_GPU),
          List.of("inspect", GENERATED),
          List.of("fleet-report", SWEPT),
          List.of("list", "policies"),
          List.of("list", "formats"),
          List.of("list", "programs"),
          List.of("list", "devices"),
          List.of("list", "schemas"),
          List.of("lint-conf", "max_split_size_mb:128,expandable_segments:True"),
          List.of("lint-conf", "expandable_segments:True", "--snapshot", SAMPLE),
          List.of("explain-oom", "src/test/resources/golden/replay-device-oom.txt"),
          List.of("diagnose", DEVICE_OOM),
          List.of("diagnose", JOB),
          List.of("tune", JOB),
          List.of("min-capacity", JOB),
          List.of("compare", JOB, "--policies", "pytorch,direct"),
          List.of("replay", JOB),
          List.of("verify", JOB),
          List.of("peak", JOB),
          List.of("leaks", JOB),
          List.of("check", JOB, "--no-oom"),
          List.of("perturb", CAT_GROWTH, "--runs=3", "--swap-adjacent"),
          List.of("perturb", DEVICE_OOM, "--runs=2", "--resize=5%"));

  @TempDir private Path folder;

  @TestFactory
  List<DynamicTest> outputsAreAsTheSchemasSay() {
    List<DynamicTest> tests = new ArrayList<>();
    for (List<Object> command : COMMANDS) {
      tests.add(DynamicTest.dynamicTest(command.toString(), () -> assertValid(run(command))));
    }
    return tests;
  }

  @Test
  void aValidationOnGpusIsAsItsSchemaSays() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    JsonText.write(JsonRenderer.json(ValidateReportTest.report().document()), out);
    assertValid(out.toString(StandardCharsets.UTF_8));
  }

  @Test
  void speedsAreAsTheirSchemaSays() {
    Samples samples = new Samples(List.of(1.5, 2.5, 2.0));
    Measurement measurement =
        new Measurement(
            "a", "what", "event", samples, 0.9, 2.0 / 3, Double.NaN, 0, Double.NaN, 1000);
    Machine machine = new Machine("a processor", 2, "Linux amd64", "a JDK 25");
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    JsonText.write(
        JsonRenderer.json(
            new BenchAnswer(machine, 3, List.of(measurement), Map.of("b", "why"), null, 0)
                .document()),
        out);
    assertValid(out.toString(StandardCharsets.UTF_8));
  }

  @Test
  void aKeyThatNoSchemaKnowsIsFound() {
    String schema = Answers.find("allocsim-check-3").orElseThrow().text();
    List<String> errors = errors(schema, "{\"schema\": \"allocsim-check-3\", \"surprise\": 1}");
    assertTrue(errors.stream().anyMatch(error -> error.contains("surprise")), errors.toString());
    assertTrue(errors.stream().anyMatch(error -> error.contains("passes")), errors.toString());
  }

  @Test
  void everyCommandWithJsonHasASchemaAndATest() {
    Set<String> written = new TreeSet<>();
    Main.withAll()
        .getSubcommands()
        .forEach((name, command) -> {
          boolean isWritten =
              Stream.concat(Stream.of(command), command.getSubcommands().values().stream())
                  .anyMatch(each -> each.getCommandSpec().findOption("--json") != null);
          if (isWritten) {
            written.add(name);
          }
        });
    Set<String> documented =
        Answers.schemas().stream()
            .map(schema -> schema.command().split(" ")[0])
            .collect(Collectors.toCollection(TreeSet::new));
    // A command of Python, whose test compares the keys.
    assertTrue(documented.remove("estimate"));
    assertEquals(written, documented);
    Set<String> tested =
        COMMANDS.stream()
            .map(command -> command.getFirst().toString())
            .collect(Collectors.toCollection(TreeSet::new));
    tested.addAll(List.of("bench", "calibrate", "validate"));
    assertEquals(written, tested);
  }

  @Test
  void schemasAreValidAndDescribeEveryKey() {
    Schema meta =
        SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
            .getSchema(
                com.networknt.schema.SchemaLocation.of(
                    "https://json-schema.org/draft/2020-12/schema"));
    for (ListAnswer.Schema schema : Answers.schemas()) {
      assertEquals(List.of(), meta.validate(schema.text(), InputFormat.JSON), schema.id());
      JsonNode tree = MAPPER.readTree(schema.text());
      assertEquals(schema.id(), tree.at("/properties/schema/const").asString());
      assertDescribed(schema.id(), tree);
    }
  }

  private static void assertDescribed(String place, JsonNode schema) {
    JsonNode properties = schema.path("properties");
    if (properties.isObject()) {
      assertFalse(schema.path("additionalProperties").asBoolean(true), place);
      properties
          .properties()
          .forEach(property -> {
            String inner = place + "/" + property.getKey();
            assertFalse(property.getValue().path("description").asString("").isBlank(), inner);
            assertDescribed(inner, property.getValue());
          });
    }
    for (String deeper : List.of("items", "additionalProperties")) {
      if (schema.path(deeper).isObject()) {
        assertDescribed(place + "/*", schema.path(deeper));
      }
    }
  }

  @Test
  void thePageIsMadeOfTheSchemas() throws IOException {
    String page = JsonPage.of(MAPPER);
    if (Boolean.getBoolean("golden.regenerate")) {
      Files.writeString(PAGE, page);
      fail("wrote " + PAGE + "; read it, then run without golden.regenerate");
    }
    assertEquals(page, Files.readString(PAGE));
  }

  @Test
  void listShowsSchemas() {
    CommandRun list = CommandRun.of("list", "schemas");
    assertTrue(list.out().contains("allocsim-replay-3 "), list.out());
    CommandRun one = CommandRun.of("list", "schemas", "allocsim-replay-3");
    assertEquals(Answers.find("allocsim-replay-3").orElseThrow().text(), one.out());
    CommandRun none = CommandRun.of("list", "schemas", "allocsim-replay-0");
    assertEquals(ExitCodes.USAGE, none.exitCode());
    assertTrue(none.err().contains("unknown schema: allocsim-replay-0"), none.err());
  }

  private String run(List<Object> command) throws IOException {
    Path json = folder.resolve("out.json");
    List<Object> arguments = new ArrayList<>(command);
    if (arguments.contains(GENERATED)) {
      Path trace = folder.resolve("generated.jsonl");
      CommandRun.of("generate", "mlp", "--option", "iterations=3", "-o", trace);
      arguments.replaceAll(argument -> argument.equals(GENERATED) ? trace : argument);
    }
    if (arguments.contains(SWEPT)) {
      Path swept = folder.resolve("swept");
      CommandRun.of("sweep", CAT_GROWTH, "-o", swept, "--capacities", "1GiB,4GiB");
      arguments.replaceAll(argument -> argument.equals(SWEPT) ? swept : argument);
    }
    if (arguments.contains(JOB)) {
      Path job = folder.resolve("job");
      makeJob(job);
      arguments.replaceAll(argument -> argument.equals(JOB) ? job : argument);
    }
    arguments.addAll(List.of("--json", json));
    CommandRun run = CommandRun.of(arguments.toArray());
    assertTrue(Files.exists(json), run.err());
    return Files.readString(json);
  }

  /** Two ranks on two hosts, a damaged one, and what is no recording. */
  private static void makeJob(Path job) throws IOException {
    if (Files.notExists(job)) {
      Files.createDirectory(job);
      Files.copy(CAT_GROWTH, job.resolve("node1-rank0.pickle.xz"));
      Files.copy(DEVICE_OOM, job.resolve("node2-rank2.pickle.xz"));
      Files.writeString(job.resolve("node2-rank3.pickle.xz"), "damaged");
      Files.writeString(job.resolve("notes.txt"), "no recording");
    }
  }

  private static void assertValid(String text) {
    String id = MAPPER.readTree(text).path("schema").asString();
    assertEquals(List.of(), errors(Answers.find(id).orElseThrow().text(), text));
  }

  private static List<String> errors(String schema, String text) {
    return SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
        .getSchema(schema, InputFormat.JSON)
        .validate(text, InputFormat.JSON)
        .stream()
        .map(Object::toString)
        .toList();
  }
}
