package org.allocsim.web;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/** A plain file server for the folder that {@code allocsim web} writes; it keeps what is asked. */
final class SiteServer implements AutoCloseable {
  private static final Map<String, String> TYPES =
      Map.of(
          "html", "text/html",
          "js", "text/javascript",
          "css", "text/css",
          "wasm", "application/wasm");

  private final Path folder = Path.of(System.getProperty("allocsim.site"));
  private final List<String> requests = Collections.synchronizedList(new ArrayList<>());
  private final HttpServer server;

  SiteServer() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.start();
  }

  private void answer(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().getPath();
    requests.add(exchange.getRequestMethod() + " " + exchange.getRequestURI());
    Path file = folder.resolve(path.substring(1)).normalize();
    try (exchange) {
      if (!file.startsWith(folder) || !Files.isRegularFile(file)) {
        exchange.sendResponseHeaders(404, -1);
        return;
      }
      String ending = path.substring(path.lastIndexOf('.') + 1);
      exchange
          .getResponseHeaders()
          .set("Content-Type", TYPES.getOrDefault(ending, "application/octet-stream"));
      byte[] bytes = Files.readAllBytes(file);
      exchange.sendResponseHeaders(200, bytes.length);
      exchange.getResponseBody().write(bytes);
    }
  }

  String address(String file) {
    return "http://127.0.0.1:" + server.getAddress().getPort() + "/" + file;
  }

  /** What was asked since the last call, in order: method and path. */
  List<String> requests() {
    synchronized (requests) {
      List<String> taken = List.copyOf(requests);
      requests.clear();
      return taken;
    }
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
