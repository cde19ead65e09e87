package org.allocsim.web;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.allocsim.reports.cli.Browser;
import org.allocsim.reports.cli.CommandRun;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * The engine in a browser says what the commands say, of every recording, under all settings that
 * {@code tune} tries: the text line for line, and every figure of the JSON. Recordings are those of
 * the tests of this repository and those of the folder that {@code allocsim.recordings} names.
 */
class WebAnswersIT {
  private static final Path ROOT = Path.of("..", "..");
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private static final Map<String, List<String>> QUESTIONS =
      Map.of(
          "verify", List.of(),
          "peak", List.of(),
          "blockers", List.of(),
          "diagnose", List.of(),
          "tune", List.of(),
          "replay", List.of("--conf", "expandable_segments:True"));

  private static SiteServer server;
  private static Browser browser;

  @TempDir private Path folder;

  @BeforeAll
  static void start() throws IOException {
    browser = Browser.start();
    server = new SiteServer();
    // A text of the same server has no policy: here this test can hand files to the engine.
    browser.visit(server.address("functions.js"));
    browser.await(
        """
        const done = arguments[0];
        window.start = async (engine) => {
          const waiting = new Map();
          let calls = 0;
          window.call = (name, parts) => new Promise((yes, no) => {
            waiting.set(++calls, {yes, no});
            engine.postMessage({call: calls, name, parts});
          });
          engine.onmessage = ({data}) => {
            if (data.task !== undefined) return;
            const {yes, no} = waiting.get(data.call);
            if (data.failure) no(new Error(data.failure));
            else yes(data.value);
          };
          engine.onerror = (event) => waiting.forEach(({no}) => no(new Error(event.message)));
          await call('start', [
            await (await fetch('/engine.wasm')).arrayBuffer(),
            await (await fetch('/files.json')).json(),
          ]);
        };
        start(new Worker('/worker.js', {type: 'module'})).then(done);
        """);
  }

  @AfterAll
  static void stop() {
    if (browser != null) {
      browser.close();
    }
    if (server != null) {
      server.close();
    }
  }

  static List<Path> recordings() throws IOException {
    List<Path> files = new ArrayList<>();
    Path shared = Path.of(System.getProperty("allocsim.recordings", "../shared/recordings"));
    for (Path each :
        List.of(
            Path.of("reports/samples"),
            Path.of("reports/src/test/resources/recordings"),
            Path.of("validation/src/test/resources/recordings"),
            shared)) {
      Path place = ROOT.resolve(each);
      if (Files.isDirectory(place)) {
        try (Stream<Path> all = Files.walk(place)) {
          all.filter(file -> file.toString().matches(".*\\.pickle(\\.xz)?"))
              .sorted()
              .forEach(files::add);
        }
      }
    }
    return files;
  }

  @TestFactory
  Stream<DynamicTest> theEngineSaysWhatTheCommandsSay() throws IOException {
    return recordings().stream()
        .map(file -> DynamicTest.dynamicTest(file.toString(), () -> compare(file, QUESTIONS)));
  }

  /** Of one with over a million rows not all settings are tried. */
  @Test
  void theEngineTriesAsManySettingsOfALongProgram() throws IOException {
    Path file = folder.resolve("long.pickle.gz");
    LongSnapshot.write(file, 530_000);
    compare(file, Map.of("diagnose", List.of()));
  }

  /** To others a browser gives no digest. */
  @Test
  void aPageFromAPlaceThatIsNotSafeHasTheSameDigest() throws IOException {
    browser.await(
        """
        const done = arguments[0];
        const script = `import '${location.origin}/worker.js';
            Object.defineProperty(crypto, 'subtle', {value: undefined});`;
        const url = URL.createObjectURL(new Blob([script], {type: 'text/javascript'}));
        start(new Worker(url, {type: 'module'})).then(done);
        """);
    compare(recordings().getFirst(), Map.of("verify", List.of()));
  }

  private void compare(Path file, Map<String, List<String>> questions) throws IOException {
    String name = file.toString();
    browser.await(
        """
        const [name, packed, done] = arguments;
        const bytes = Uint8Array.from(atob(packed), (c) => c.charCodeAt(0));
        call('open', [name, bytes.buffer]).then(() => done(''), (e) => done(e.message));
        """,
        name,
        Base64.getEncoder().encodeToString(Files.readAllBytes(file)));
    for (Map.Entry<String, List<String>> each : questions.entrySet()) {
      String question = each.getKey();
      JsonNode here = ask(question, each.getValue());
      Path json = folder.resolve("answer.json");
      Files.deleteIfExists(json);
      List<Object> arguments = new ArrayList<>(List.of(question, file, "--json", json));
      arguments.addAll(each.getValue());
      CommandRun there = CommandRun.of(arguments.toArray());
      if (here.has("failure")) {
        assertEquals(there.err().strip(), here.get("failure").asString(), question);
      } else {
        assertEquals(
            there.out().lines().toList(), here.get("text").asString().lines().toList(), question);
        assertEquals(
            figures(Files.readString(json)), figures(here.get("json").asString()), question);
      }
    }
  }

  private static JsonNode ask(String question, List<String> options) {
    return MAPPER.readTree(
        (String)
            browser.await(
                """
                const [question, options, done] = arguments;
                const text = (bytes) => new TextDecoder().decode(bytes);
                call('ask', [question, options, ['text', 'json']]).then(
                    (answer) => done(JSON.stringify(
                        {text: text(answer.text), json: text(answer.json)})),
                    (e) => done(JSON.stringify({failure: e.message})));
                """,
                question,
                options));
  }

  /** Everything but how long this computer took. */
  private static JsonNode figures(String json) {
    JsonNode all = MAPPER.readTree(json);
    for (JsonNode taken : all.findParents("wall_seconds")) {
      ((ObjectNode) taken).remove("wall_seconds");
    }
    return all;
  }
}
