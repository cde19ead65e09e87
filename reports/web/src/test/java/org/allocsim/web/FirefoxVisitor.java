package org.allocsim.web;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.allocsim.reports.cli.Browser;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/**
 * Firefox, driven by WebDriver BiDi, which it speaks itself: Debian has no package of the driver
 * that others need.
 */
final class FirefoxVisitor implements Visitor {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final long PATIENCE_SECONDS = 120;
  private static final long POLL_MILLIS = 20;

  private final Path profile;
  private final Process process;
  private final WebSocket socket;
  private final AtomicLong commands = new AtomicLong();
  private final Map<Long, CompletableFuture<JsonNode>> waiting = new ConcurrentHashMap<>();
  private final List<String> complaints = Collections.synchronizedList(new ArrayList<>());
  private final String context;

  /** Starts the browser that is installed; without one the test is skipped. */
  FirefoxVisitor() {
    Optional<Path> firefox = program("firefox-esr", "firefox");
    assumeTrue(
        firefox.isPresent(),
        "not run: no firefox is installed (Debian: apt-get install firefox-esr)");
    try {
      profile = Files.createTempDirectory("firefox");
      ProcessBuilder command =
          new ProcessBuilder(
              firefox.get().toString(),
              "--headless",
              "--no-remote",
              "--remote-debugging-port=0",
              "--profile",
              profile.toString());
      command.redirectErrorStream(true);
      command.redirectOutput(output().toFile());
      // A home of its own, whose owner is whoever runs the test.
      command.environment().put("HOME", profile.toString());
      process = command.start();
      socket =
          HttpClient.newHttpClient()
              .newWebSocketBuilder()
              .buildAsync(URI.create(address() + "/session"), new Messages())
              .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException | ExecutionException | TimeoutException e) {
      throw new IllegalStateException("Firefox does not answer", e);
    }
    send("session.new", Map.of("capabilities", Map.of()));
    send("session.subscribe", Map.of("events", List.of("log.entryAdded")));
    context =
        send("browsingContext.getTree", Map.of()).get("contexts").get(0).get("context").asString();
  }

  private static Optional<Path> program(String... names) {
    String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
    return Arrays.stream(names)
        .flatMap(name ->
            Arrays.stream(path.split(File.pathSeparator)).map(folder -> Path.of(folder, name)))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /** Where the browser listens, which it writes into its profile. */
  private String address() throws IOException, InterruptedException {
    Path file = profile.resolve("WebDriverBiDiServer.json");
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (System.nanoTime() < end && process.isAlive()) {
      if (Files.exists(file) && Files.size(file) > 0) {
        JsonNode where = MAPPER.readTree(Files.readString(file));
        return "ws://" + where.get("ws_host").asString() + ":" + where.get("ws_port").asInt();
      }
      Thread.sleep(POLL_MILLIS);
    }
    throw new IOException("Firefox does not start: " + Files.readString(output()));
  }

  private Path output() {
    return profile.resolve("output.txt");
  }

  /** Takes messages apart: answers to commands, and events. */
  private final class Messages implements WebSocket.Listener {
    private final StringBuilder text = new StringBuilder();

    @Override
    public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean isLast) {
      text.append(data);
      if (isLast) {
        JsonNode message = MAPPER.readTree(text.toString());
        text.setLength(0);
        if (message.path("method").asString("").equals("log.entryAdded")) {
          JsonNode entry = message.get("params");
          if (List.of("warn", "error").contains(entry.get("level").asString())) {
            complaints.add(entry.path("text").asString(""));
          }
        }
        CompletableFuture<JsonNode> asked = waiting.remove(message.path("id").asLong(-1));
        if (asked != null) {
          asked.complete(message);
        }
      }
      from.request(1);
      return CompletableFuture.completedStage(null);
    }
  }

  private JsonNode send(String method, Map<String, ?> parameters) {
    long id = commands.incrementAndGet();
    CompletableFuture<JsonNode> answer = new CompletableFuture<>();
    waiting.put(id, answer);
    try {
      socket
          .sendText(
              MAPPER.writeValueAsString(Map.of("id", id, "method", method, "params", parameters)),
              true)
          .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
      JsonNode message = answer.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
      if (!message.get("type").asString().equals("success")) {
        throw new IllegalStateException(method + ": " + message);
      }
      return message.get("result");
    } catch (InterruptedException | ExecutionException | TimeoutException e) {
      throw new IllegalStateException("Firefox does not answer " + method, e);
    }
  }

  /** What a function of the page returns, which may be a promise. */
  private JsonNode call(String function, Object... arguments) {
    JsonNode answer =
        send(
            "script.callFunction",
            Map.of(
                "functionDeclaration",
                function,
                "awaitPromise",
                true,
                "target",
                Map.of("context", context),
                "arguments",
                List.of(Map.of("type", "string", "value", MAPPER.writeValueAsString(arguments)))));
    if (!answer.get("type").asString().equals("success")) {
      throw new IllegalStateException(answer.get("exceptionDetails").path("text").asString());
    }
    return answer.get("result");
  }

  private static Object value(JsonNode result) {
    // JSON has no undefined value.
    return result.get("type").asString().equals("string")
        ? MAPPER.readValue(result.get("value").asString(), Object.class)
        : null;
  }

  @Override
  public Object run(String script, Object... arguments) {
    return value(
        call(
            "(all) => JSON.stringify((function () {"
                + script
                + "\n}).apply(null, JSON.parse(all)))",
            arguments));
  }

  @Override
  public Object await(String script, Object... arguments) {
    return value(
        call(
            "(all) => new Promise((done) => (function () {"
                + script
                + "\n"
                + "}).apply(null, [...JSON.parse(all), done])).then((each) =>"
                + " JSON.stringify(each))",
            arguments));
  }

  @Override
  public void until(String condition) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    try {
      while (!Boolean.TRUE.equals(run("return " + condition))) {
        if (System.nanoTime() > end) {
          throw new IllegalStateException("not so after two minutes: " + condition);
        }
        Thread.sleep(POLL_MILLIS);
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void visit(String address) {
    send(
        "browsingContext.navigate", Map.of("context", context, "url", address, "wait", "complete"));
  }

  @Override
  public void resize(int width, int height) {
    send(
        "browsingContext.setViewport",
        Map.of("context", context, "viewport", Map.of("width", width, "height", height)));
  }

  @Override
  public void beforeEachPage(String script) {
    send("script.addPreloadScript", Map.of("functionDeclaration", "() => {" + script + "}"));
  }

  /** A name for an element, to use in commands. */
  private Map<String, Object> element(String selector) {
    JsonNode found = call("(all) => document.querySelector(JSON.parse(all)[0])", selector);
    return Map.of("sharedId", found.get("sharedId").asString());
  }

  @Override
  public void click(String selector) {
    run("document.querySelector(arguments[0]).scrollIntoView({block: 'center'})", selector);
    Map<String, Object> origin = Map.of("type", "element", "element", element(selector));
    send(
        "input.performActions",
        Map.of(
            "context",
            context,
            "actions",
            List.of(
                Map.of(
                    "type",
                    "pointer",
                    "id",
                    "mouse",
                    "actions",
                    List.of(
                        Map.of("type", "pointerMove", "x", 0, "y", 0, "origin", origin),
                        Map.of("type", "pointerDown", "button", 0),
                        Map.of("type", "pointerUp", "button", 0))))));
  }

  @Override
  public void type(String selector, String text) {
    run("document.querySelector(arguments[0]).focus()", selector);
    List<Map<String, Object>> keys = new ArrayList<>();
    text.codePoints()
        .mapToObj(Character::toString)
        .forEach(key -> {
          keys.add(Map.of("type", "keyDown", "value", key));
          keys.add(Map.of("type", "keyUp", "value", key));
        });
    send(
        "input.performActions",
        Map.of(
            "context",
            context,
            "actions",
            List.of(Map.of("type", "key", "id", "keyboard", "actions", keys))));
  }

  @Override
  public void choose(String selector, Path file) {
    send(
        "input.setFiles",
        Map.of(
            "context", context, "element", element(selector), "files", List.of(file.toString())));
  }

  @Override
  public List<String> complaints() {
    synchronized (complaints) {
      List<String> all = List.copyOf(complaints);
      complaints.clear();
      return all;
    }
  }

  @Override
  public String accessibilityFaults() {
    try (InputStream in = Browser.class.getResourceAsStream("/axe.min.js")) {
      run(new String(in.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return (String)
        await(
            """
            const done = arguments[0];
            axe.run(document).then((result) => done(JSON.stringify(result.violations
                .filter((each) => ['serious', 'critical'].includes(each.impact))
                .map((each) => ({id: each.id, nodes: each.nodes.map((node) => node.html)})))));
            """);
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
      Files.walkFileTree(
          profile,
          new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                throws IOException {
              Files.deleteIfExists(file);
              return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path folder, IOException failure)
                throws IOException {
              Files.deleteIfExists(folder);
              return FileVisitResult.CONTINUE;
            }
          });
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
