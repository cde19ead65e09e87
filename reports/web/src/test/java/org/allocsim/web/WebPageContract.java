package org.allocsim.web;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.github.luben.zstd.Zstd;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.allocsim.reports.cli.CommandRun;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tukaani.xz.XZInputStream;

/** The page in a browser, used as a visitor uses it. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class WebPageContract {
  private static final Path SAMPLE = Path.of("..", "samples", "gpt_oom.pickle.xz");

  private static final String IDLE =
      "!document.getElementById('ask').disabled && document.getElementById('progress').hidden";

  private SiteServer server;
  private Visitor browser;

  @TempDir private Path folder;

  /** Starts the browser; the test is skipped where it is not installed. */
  abstract Visitor open();

  @BeforeAll
  void start() throws IOException {
    browser = open();
    server = new SiteServer();
  }

  @AfterAll
  void stop() {
    if (browser != null) {
      browser.close();
    }
    if (server != null) {
      server.close();
    }
  }

  @BeforeEach
  void visit() {
    browser.resize(1280, 1000);
    browser.visit(server.address("index.html"));
    browser.complaints();
    browser.until(IDLE);
    assertEquals("", browser.text("#failure"));
  }

  private void choose(Path file) {
    browser.choose("#file", file.toAbsolutePath().normalize());
    browser.until("document.getElementById('result').dataset.question === 'diagnose' && " + IDLE);
  }

  private void ask(String question) {
    browser.click("button[value=" + question + "]");
    browser.until(
        "document.getElementById('result').dataset.question === '%s' && %s"
            .formatted(question, IDLE));
    assertEquals("", browser.text("#failure"));
  }

  private String text() {
    return (String) browser.run("return document.getElementById('text').textContent");
  }

  /** Lines end elsewhere after a longer path. */
  private static String words(String text) {
    return text.replaceAll("\\s+", " ");
  }

  /** What the command says about a file, under its name alone as the page has it. */
  private static String command(String question, Path file, Object... options) {
    Object[] arguments = new Object[2 + options.length];
    arguments[0] = question;
    arguments[1] = file;
    System.arraycopy(options, 0, arguments, 2, options.length);
    return CommandRun.of(arguments).out().replace(file.toString(), file.getFileName().toString());
  }

  @ParameterizedTest
  @ValueSource(strings = {"verify", "peak", "blockers", "tune", "diagnose", "replay"})
  void aQuestionHasTheAnswerOfItsCommand(String question) {
    choose(SAMPLE);
    ask(question);
    assertEquals(words(command(question, SAMPLE)), words(text()));
    assertTrue(
        (Boolean) browser.run("return document.getElementById('page').src.startsWith('blob:')"));
    assertEquals(List.of(), browser.complaints());
  }

  @Test
  void whatIsSetChangesTheAnswerAsTheOptionsDo() {
    choose(SAMPLE);
    browser.type("[name='--conf']", "expandable_segments:True");
    browser.type("[name='--memory-limit']", "20GiB");
    ask("replay");
    assertEquals(
        words(
            command(
                "replay", SAMPLE, "--conf", "expandable_segments:True", "--memory-limit", "20GiB")),
        words(text()));
  }

  @ParameterizedTest
  @CsvSource({"plain,.pickle", "gzip,.pickle.gz", "zstd,.pickle.zst"})
  void aFileMayBePacked(String form, String ending) throws IOException {
    byte[] plain;
    try (XZInputStream in = new XZInputStream(Files.newInputStream(SAMPLE))) {
      plain = in.readAllBytes();
    }
    Path file = folder.resolve("sample" + ending);
    Files.write(file, pack(plain, form));
    choose(file);
    ask("verify");
    assertTrue(text().startsWith("exact"), text());
  }

  private static byte[] pack(byte[] plain, String form) throws IOException {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    switch (form) {
      case "plain" -> packed.write(plain);
      case "gzip" -> {
        try (OutputStream out = new GZIPOutputStream(packed)) {
          out.write(plain);
        }
      }
      case "zstd" -> packed.write(Zstd.compress(plain));
      default -> throw new IllegalArgumentException(form);
    }
    return packed.toByteArray();
  }

  @Test
  void aDroppedFileIsRead() throws IOException {
    byte[] bytes = Files.readAllBytes(SAMPLE);
    browser.run(
        """
        const transfer = new DataTransfer();
        const bytes = Uint8Array.from(atob(arguments[0]), (c) => c.charCodeAt(0));
        transfer.items.add(new File([bytes], 'dropped.pickle.xz'));
        document.getElementById('drop').dispatchEvent(
          new DragEvent('drop', {bubbles: true, cancelable: true, dataTransfer: transfer}));
        """,
        java.util.Base64.getEncoder().encodeToString(bytes));
    browser.until("document.getElementById('result').dataset.question === 'diagnose' && " + IDLE);
    assertEquals("dropped.pickle.xz", browser.text("#file-name"));
    assertTrue(text().contains("dropped.pickle.xz"), text());
  }

  @Test
  void aFileThatIsNoSnapshotIsRefusedInOneSentence() throws IOException {
    Path file = Files.writeString(folder.resolve("notes.pickle"), "not a pickle");
    browser.choose("#file", file);
    browser.until("!document.getElementById('failure').hidden && " + IDLE);
    assertTrue(browser.text("#failure").contains("notes.pickle"), browser.text("#failure"));
    choose(SAMPLE);
    assertFalse(browser.isShown("#failure"));
  }

  @Test
  void nothingIsSentOnceTheEngineIsThere() {
    List<String> loaded = server.requests();
    assertTrue(loaded.contains("GET /engine.wasm"), loaded.toString());
    assertTrue(loaded.stream().allMatch(each -> each.startsWith("GET /")), loaded.toString());
    choose(SAMPLE);
    for (String question : List.of("verify", "peak", "blockers", "tune", "replay", "view")) {
      ask(question);
    }
    assertEquals(List.of(), server.requests());
    assertEquals(List.of(), browser.complaints());
  }

  @Test
  void thePolicyLetsNothingOutOfThePageOrItsWorkers() {
    server.requests();
    String tried =
        """
        const attempts = {
          fetch: () => fetch('probe'),
          elsewhere: () => fetch('http://127.0.0.2/probe', {mode: 'no-cors'}),
          socket: () => new Promise((yes, no) => {
            const socket = new WebSocket(new URL('probe', '%1$s').href.replace('http', 'ws'));
            socket.onopen = yes;
            socket.onerror = no;
          }),
          text: () => new Function('return 1')(),
        };
        const got = [];
        for (const [name, attempt] of Object.entries(attempts)) {
          try {
            await attempt();
            got.push(name);
          } catch {
            // As it should be.
          }
        }
        """
            .formatted(server.address(""));
    Object inPage =
        browser.await(
            "const done = arguments[0]; (async () => {" + tried + "return got; })().then(done);");
    assertEquals(List.of(), inPage);
    Object inWorker =
        browser.await(
            """
            const [tried, done] = arguments;
            const script = '(async () => {' + tried + 'postMessage(got); })();';
            const worker = new Worker(URL.createObjectURL(new Blob([script])));
            worker.onmessage = ({data}) => done(data);
            worker.onerror = (event) => done(['error: ' + event.message]);
            """,
            tried);
    assertEquals(List.of(), inWorker);
    assertEquals(List.of(), server.requests());
    browser.complaints();
  }

  @Test
  void aBrowserWithoutCollectedWebAssemblyGetsJavaScript() {
    try (Visitor other = open()) {
      other.beforeEachPage("WebAssembly.validate = () => false");
      server.requests();
      other.visit(server.address("index.html"));
      other.until(IDLE);
      other.choose("#file", SAMPLE.toAbsolutePath().normalize());
      other.until("document.getElementById('result').dataset.question === 'diagnose' && " + IDLE);
      assertEquals(
          words(command("diagnose", SAMPLE)),
          words((String) other.run("return document.getElementById('text').textContent")));
      List<String> requests = server.requests();
      assertTrue(requests.contains("GET /engine.js"), requests.toString());
      assertFalse(requests.contains("GET /engine.wasm"), requests.toString());
    }
  }

  @Test
  void thePageOfAnAnswerIsDrawnInside() {
    choose(SAMPLE);
    ask("view");
    // While one document gives way to the next, the frame's document has no root.
    browser.until(
        "document.getElementById('page').contentDocument?.documentElement?.dataset.ready"
            + " === 'true'");
    assertTrue(
        (Boolean)
            browser.run(
                "return document.getElementById('page').contentDocument.querySelectorAll('canvas')"
                    + ".length > 0"));
    assertEquals(List.of(), browser.complaints());
  }

  @ParameterizedTest
  @ValueSource(ints = {390, 1280})
  void nothingIsTooWideAndAxeFindsNothing(int width) {
    browser.resize(width, 900);
    choose(SAMPLE);
    assertEquals(
        Map.of("wide", false),
        Map.of(
            "wide",
            browser.run(
                "return document.documentElement.scrollWidth"
                    + " > document.documentElement.clientWidth")));
    assertEquals("[]", browser.accessibilityFaults());
  }
}
