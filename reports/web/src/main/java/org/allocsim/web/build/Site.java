package org.allocsim.web.build;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.allocsim.reports.html.ReportPage;
import org.allocsim.web.Engine;
import org.teavm.backend.wasm.WasmGCTarget;
import org.teavm.tooling.TeaVMToolException;

/**
 * Makes the folder that a server offers: the compiled engine and the files around it. The policy of
 * the page names the digests of what the program's pages run, so that nothing else in them can run.
 */
public final class Site {
  private static final List<String> FILES =
      List.of(
          "site.js", "site.css", "worker.js", "functions.js", "fzstd/fzstd.js", "fzstd/LICENSE");

  private static final String RUNTIME = "org/teavm/backend/wasm/wasm-gc-module-runtime.min.js";

  private Site() {}

  /** Takes the folder, and that of this program's licence. */
  public static void main(String[] args) throws IOException, TeaVMToolException {
    Path folder = Files.createDirectories(Path.of(args[0]));
    Compiler compiler = new Compiler(folder);
    compiler.toWebAssembly("engine.wasm");
    Files.write(folder.resolve("runtime.js"), EngineFiles.read(WasmGCTarget.class, "/" + RUNTIME));
    // For browsers whose WebAssembly has no garbage collection.
    compiler.toJavaScript("engine.js");
    new EngineFiles().write(folder.resolve("files.json"));
    for (String name : FILES) {
      Path file = folder.resolve(name);
      Files.createDirectories(file.getParent());
      Files.write(file, EngineFiles.read(Engine.class, "site/" + name));
    }
    Files.write(folder.resolve("page.css"), EngineFiles.read(ReportPage.class, "page.css"));
    for (String name : List.of("LICENSE", "NOTICE")) {
      Files.copy(Path.of(args[1], name), folder.resolve(name), StandardCopyOption.REPLACE_EXISTING);
    }
    // A host that makes sites of sources must take the folder as it is.
    Files.write(folder.resolve(".nojekyll"), new byte[0]);
    String page = ReportPage.withoutAnswer();
    Files.writeString(
        folder.resolve("index.html"),
        new String(EngineFiles.read(Engine.class, "site/index.html"), StandardCharsets.UTF_8)
            .replace("{{page-scripts}}", digests(page, "script"))
            .replace("{{page-styles}}", digests(page, "style")));
  }

  private static String digests(String page, String element) {
    Matcher content =
        Pattern.compile("<%1$s>(.*?)</%1$s>".formatted(element), Pattern.DOTALL).matcher(page);
    return content.results().map(each -> digest(each.group(1))).collect(Collectors.joining(" "));
  }

  private static String digest(String text) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return "'sha256-" + Base64.getEncoder().encodeToString(digest) + "'";
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
