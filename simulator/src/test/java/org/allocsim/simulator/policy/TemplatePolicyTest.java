package org.allocsim.simulator.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/**
 * The template of a policy in {@code docs/template-policy} compiles and passes its tests with what
 * is published: the simulator, and of the simulator's tests only what the POM puts into their jar.
 */
class TemplatePolicyTest {
  private static final Path TEMPLATE = Path.of("docs/template-policy");
  private static final Pattern INCLUDE = Pattern.compile("<include>([^<]+\\.class)</include>");

  @TempDir private Path folder;
  private Path testClasses;
  private Path published;

  @BeforeEach
  void takeWhatIsPublished() throws IOException {
    testClasses = locationOf(PolicyContract.class);
    published = folder.resolve("published");
    List<PathMatcher> included =
        INCLUDE
            .matcher(Files.readString(Path.of("pom.xml")))
            .results()
            .map(include -> FileSystems.getDefault().getPathMatcher("glob:" + include.group(1)))
            .toList();
    try (Stream<Path> files = Files.walk(testClasses)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Path name = testClasses.relativize(file);
        if (included.stream().anyMatch(each -> each.matches(name))) {
          Files.createDirectories(published.resolve(name).getParent());
          Files.copy(file, published.resolve(name));
        }
      }
    }
  }

  @Test
  void thePublishedTestsHoldTheContractAndNoTestOfThisModule() throws IOException {
    try (Stream<Path> files = Files.walk(published)) {
      List<String> names =
          files.filter(Files::isRegularFile).map(each -> each.getFileName().toString()).toList();
      assertTrue(names.contains("PolicyContract.class"), names.toString());
      assertTrue(names.stream().noneMatch(each -> each.endsWith("Test.class")), names.toString());
    }
  }

  @Test
  void theTemplateCompilesWithoutWarningsAndPassesTheContract() throws Exception {
    Path classes = compile("main", published);
    Path tests = compile("test", published, classes);
    TestExecutionSummary summary =
        run(List.of(classes, TEMPLATE.resolve("src/main/resources"), tests, published));
    StringBuilder failures = new StringBuilder();
    summary
        .getFailures()
        .forEach(each ->
            failures
                .append(each.getTestIdentifier().getDisplayName())
                .append(": ")
                .append(each.getException())
                .append('\n'));
    assertEquals("", failures.toString());
    assertTrue(summary.getTestsSucceededCount() > 20, summary.getTestsSucceededCount() + " tests");
  }

  private Path compile(String part, Path... needed) throws IOException {
    Path classes = Files.createDirectory(folder.resolve(part));
    List<Path> classPath = new ArrayList<>(List.of(needed));
    classPath.add(locationOf(AllocatorPolicy.class));
    // The libraries of this test, without the other tests of this module.
    Stream.of(System.getProperty("java.class.path").split(System.getProperty("path.separator")))
        .filter(entry -> entry.endsWith(".jar"))
        .map(Path::of)
        .forEach(classPath::add);
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StringWriter messages = new StringWriter();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      boolean compiled =
          compiler
              .getTask(
                  messages,
                  files,
                  null,
                  List.of(
                      "-Xlint:all",
                      "-Werror",
                      "-proc:none",
                      "-d",
                      classes.toString(),
                      "-cp",
                      String.join(
                          System.getProperty("path.separator"),
                          classPath.stream().map(Path::toString).toList())),
                  null,
                  files.getJavaFileObjectsFromPaths(sources(part)))
              .call();
      assertTrue(compiled, messages.toString());
    }
    return classes;
  }

  private static List<Path> sources(String part) throws IOException {
    try (Stream<Path> files = Files.walk(TEMPLATE.resolve("src/" + part + "/java"))) {
      return files.filter(file -> file.toString().endsWith(".java")).sorted().toList();
    }
  }

  /** Runs the template's tests, to which the tests of this module are not there. */
  private TestExecutionSummary run(List<Path> classPath) throws Exception {
    Thread thread = Thread.currentThread();
    ClassLoader usual = thread.getContextClassLoader();
    List<URL> urls = new ArrayList<>();
    for (Path each : classPath) {
      urls.add(each.toUri().toURL());
    }
    try (URLClassLoader loader =
        new URLClassLoader(urls.toArray(URL[]::new), new WithoutTests(usual))) {
      thread.setContextClassLoader(loader);
      SummaryGeneratingListener listener = new SummaryGeneratingListener();
      LauncherDiscoveryRequestBuilder request = LauncherDiscoveryRequestBuilder.request();
      for (Path source : sources("test")) {
        String name = TEMPLATE.resolve("src/test/java").relativize(source).toString();
        request.selectors(selectClass(loader, name.replaceFirst("\\.java$", "").replace('/', '.')));
      }
      LauncherFactory.create().execute(request.build(), listener);
      return listener.getSummary();
    } finally {
      thread.setContextClassLoader(usual);
    }
  }

  private static Path locationOf(Class<?> type) {
    try {
      URI location = type.getProtectionDomain().getCodeSource().getLocation().toURI();
      return Path.of(location);
    } catch (URISyntaxException e) {
      throw new UncheckedIOException(new IOException(e));
    }
  }

  /** The class path without the test classes of this module. */
  private final class WithoutTests extends ClassLoader {
    WithoutTests(ClassLoader parent) {
      super(parent);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (Files.exists(testClasses.resolve(name.replace('.', '/') + ".class"))) {
        throw new ClassNotFoundException(name);
      }
      return super.loadClass(name, resolve);
    }
  }
}
