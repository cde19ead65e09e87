package org.allocsim.reports.answer.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.allocsim.analysis.moment.MomentObserver;
import org.allocsim.analysis.moment.ObservedRun;
import org.allocsim.analysis.program.Conditions;
import org.allocsim.analysis.recording.RecordedConditions;
import org.allocsim.analysis.text.JsonText;
import org.allocsim.reports.answer.part.NextCommand;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.document.Shape;
import org.allocsim.reports.document.render.CsvRenderer;
import org.allocsim.reports.document.render.JsonRenderer;
import org.allocsim.reports.document.render.MarkdownRenderer;
import org.allocsim.reports.document.render.TerminalRenderer;
import org.allocsim.reports.html.ReportPage;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.policy.PolicyChoice;
import org.allocsim.simulator.policy.pytorch.MemoryLimit;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.run.Run;
import org.allocsim.simulator.run.RunSetup;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.StackTable;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The comparison as a document. */
class CompareAnswerTest {
  private static final JsonMapper MAPPER = JsonMapper.builder().build();
  private static final long BYTES = 9_700_000;

  /** The one line: twice the peak of what the program asked for. */
  private static final Shape<ObservedRun> WITH_ONE_MORE =
      CompareAnswer.RESULTS.and(row ->
          row.bytes(
              "twice_bytes", "twice", "Twice it.", each -> 2 * each.result().peakRequestedBytes()));

  private static Document<CompareAnswer> document() {
    AllocationTrace.Builder trace = new AllocationTrace.Builder();
    trace.at(0, 0, 0).allocate(BYTES, 0, PoolId.DEFAULT);
    RunSetup setup =
        new RunSetup(
            trace.build(new StackTable.Builder().build()),
            0,
            PolicyChoice.parse("direct"),
            MemoryLimit.NONE,
            DeviceProfiles.defaultProfile());
    List<ObservedRun> runs = new ArrayList<>();
    for (PolicyChoice choice : PolicyChoice.parseList("direct,rmm-pool(initial=many)")) {
      MomentObserver observer = new MomentObserver();
      runs.add(observer.observed(Run.of(setup.with(choice), observer.with())));
    }
    ComparedTrace compared =
        new ComparedTrace(
            "one.jsonl",
            "0",
            "jsonl",
            setup.trace(),
            0,
            PyTorchVersion.DEFAULT,
            RecordedConditions.given(MemoryLimit.NONE, DeviceProfiles.defaultProfile()),
            null,
            null,
            Optional.empty(),
            NextCommand.of("one.jsonl", Conditions.RECORDED, null),
            List.of(),
            runs);
    return new CompareAnswer(List.of(compared)).document(WITH_ONE_MORE);
  }

  private static String printed(BiConsumer<Document<?>, PrintWriter> renderer) {
    StringWriter text = new StringWriter();
    PrintWriter out = new PrintWriter(text);
    renderer.accept(document(), out);
    out.flush();
    return text.toString();
  }

  private static JsonNode json(Map<String, Object> map) {
    return MAPPER.readTree(JsonText.line(map));
  }

  @Test
  void aColumnOfOneLineStandsInTheTerminal() {
    List<String> lines = printed(TerminalRenderer::print).lines().toList();
    String heading = lines.stream().filter(line -> line.startsWith("policy ")).findFirst().get();
    String row = lines.stream().filter(line -> line.startsWith("direct  ")).findFirst().get();
    assertTrue(heading.endsWith("twice"), heading);
    assertTrue(row.endsWith("18.50 MiB"), row);
  }

  @Test
  void aColumnOfOneLineStandsInMarkdown() {
    String text = printed(MarkdownRenderer::print);
    assertTrue(text.contains(" | twice |\n| --- |"), text);
    assertTrue(text.contains(" | 18.50 MiB |\n"), text);
  }

  @Test
  void aColumnOfOneLineStandsInCsv() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    CsvRenderer.write(document().csv().get(""), out);
    List<String> lines = out.toString(StandardCharsets.UTF_8).lines().toList();
    assertTrue(lines.getFirst().endsWith(",twice_bytes"), lines.getFirst());
    assertTrue(lines.get(1).endsWith("," + 2 * BYTES), lines.get(1));
  }

  @Test
  void aColumnOfOneLineStandsInJsonAndInItsSchema() {
    JsonNode row = json(JsonRenderer.json(document())).at("/traces/0/results/0");
    assertEquals(2 * BYTES, row.get("twice_bytes").asLong());
    JsonNode results =
        json(JsonRenderer.schema(CompareAnswer.kind(WITH_ONE_MORE)))
            .at("/properties/traces/items/properties/results/items");
    assertEquals("Twice it.", results.at("/properties/twice_bytes/description").asString());
    assertEquals("integer", results.at("/properties/twice_bytes/type").asString());
    assertTrue(
        results.get("required").valueStream().anyMatch(k -> k.asString().equals("twice_bytes")));
  }

  @Test
  void aColumnOfOneLineStandsOnThePage() {
    Document<CompareAnswer> document = document();
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    new ReportPage(document, JsonRenderer.json(document), List.of()).write(out);
    String page = out.toString(StandardCharsets.UTF_8);
    JsonNode table = embedded(page, "data").at("/tables/0");
    JsonNode column = table.get("columns").valueStream().toList().getLast();
    assertEquals("twice", column.get("label").asString());
    assertEquals("Twice it.", column.get("note").asString());
    assertEquals("bytes", column.get("unit").asString());
    JsonNode rows = embedded(page, "results").at(table.get("pointer").asString());
    assertEquals(2 * BYTES, rows.get(0).get(column.get("key").asString()).asLong());
  }

  private static JsonNode embedded(String page, String id) {
    String start = "<script type=\"application/json\" id=\"" + id + "\">";
    int from = page.indexOf(start) + start.length();
    return MAPPER.readTree(page.substring(from, page.indexOf("</script>", from)));
  }

  @Test
  void aPolicyThatDidNotRunHasItsReasonAndNoFigures() {
    JsonNode row = json(JsonRenderer.json(document())).at("/traces/0/results/1");
    assertEquals("rmm-pool", row.get("policy").asString());
    assertTrue(row.get("not_run_reason").asString().contains("'many'"), row.toString());
    assertTrue(row.get("peak_reserved_bytes").isNull(), row.toString());
    String text = printed(TerminalRenderer::print);
    assertTrue(text.contains("- rmm-pool(initial=many) not run: option initial"), text);
  }
}
