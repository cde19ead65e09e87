package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.logging.Level;
import org.openqa.selenium.By;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.interactions.Actions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;
import org.openqa.selenium.support.ui.Select;
import org.openqa.selenium.support.ui.WebDriverWait;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** Chromium without a window, that opens pages as a reader does. */
public final class Browser implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private final ChromeDriver driver;

  private Browser(ChromeDriver driver) {
    this.driver = driver;
  }

  /** Starts the browser that is installed; without one the test is skipped. */
  public static Browser start() {
    Optional<Path> chromium = program("chromium", "chromium-browser", "google-chrome");
    Optional<Path> chromedriver = program("chromedriver");
    assumeTrue(
        chromium.isPresent() && chromedriver.isPresent(),
        "not run: chromium and chromedriver are not installed"
            + " (Debian: apt-get install chromium chromium-driver)");
    ChromeOptions options = new ChromeOptions();
    options.setBinary(chromium.get().toString());
    options.addArguments(
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--force-device-scale-factor=1",
        "--window-size=1280,1000");
    LoggingPreferences logs = new LoggingPreferences();
    logs.enable(LogType.BROWSER, Level.ALL);
    options.setCapability("goog:loggingPrefs", logs);
    System.setProperty("webdriver.chrome.driver", chromedriver.get().toString());
    ChromeDriver driver = new ChromeDriver(options);
    driver.manage().timeouts().scriptTimeout(PATIENCE);
    return new Browser(driver);
  }

  private static Optional<Path> program(String... names) {
    String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
    return Arrays.stream(names)
        .flatMap(name ->
            Arrays.stream(path.split(File.pathSeparator)).map(folder -> Path.of(folder, name)))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /** Opens a file and waits until the page says that it is ready. */
  public void open(Path page) {
    open(page, "");
  }

  /** Opens a file at what a link to it says after its name. */
  public void open(Path page, String fragment) {
    driver.get(page.toUri() + fragment);
    until(
        "document.documentElement.dataset.ready === 'true'"
            + " || !document.getElementById('notice').hidden");
    settle();
  }

  /** Opens what a server has at an address. */
  public void visit(String address) {
    driver.get(address);
  }

  /** Has a script run in every page before its own. */
  public void beforeEachPage(String script) {
    driver.executeCdpCommand("Page.addScriptToEvaluateOnNewDocument", Map.of("source", script));
  }

  /** Waits until a script says true. */
  public void until(String condition) {
    new WebDriverWait(driver, PATIENCE).until(_ -> Boolean.TRUE.equals(run("return " + condition)));
  }

  /** Waits until what was asked for is drawn. */
  public void settle() {
    driver.executeAsyncScript(
        "const done = arguments[0];"
            + "requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(() =>"
            + " done())));");
  }

  /** Gives the page this many pixels, as a phone would: windows do not get as narrow. */
  public void resize(int width, int height) {
    driver.executeCdpCommand(
        "Emulation.setDeviceMetricsOverride",
        Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
    settle();
  }

  /** What a script returns. */
  public Object run(String script, Object... arguments) {
    return driver.executeScript(script, arguments);
  }

  /** What a script leaves, by way of JSON, so that numbers keep their kind. */
  public JsonNode json(String expression, Object... arguments) {
    return new ObjectMapper()
        .readTree((String) run("return JSON.stringify(" + expression + ")", arguments));
  }

  /** As {@link #run}, where the script says when it is done. */
  public Object await(String script, Object... arguments) {
    return driver.executeAsyncScript(script, arguments);
  }

  /** The first element of a CSS selector. */
  public WebElement find(String selector) {
    return driver.findElement(By.cssSelector(selector));
  }

  /** All elements of a CSS selector. */
  public List<WebElement> all(String selector) {
    return driver.findElements(By.cssSelector(selector));
  }

  /** What an element shows. */
  public String text(String selector) {
    return find(selector).getText();
  }

  /** Clicks an element, as with a mouse. */
  public void click(String selector) {
    WebElement element = find(selector);
    reveal(element);
    element.click();
    settle();
  }

  /** Chooses an entry of a list. */
  public void choose(String selector, String value) {
    new Select(find(selector)).selectByValue(value);
    settle();
  }

  /** Presses keys; the name of a file, where files are chosen. */
  public void type(String selector, CharSequence... keys) {
    find(selector).sendKeys(keys);
    settle();
  }

  /** The mouse. */
  public Actions mouse() {
    return new Actions(driver);
  }

  /** Scrolls to an element. */
  public void reveal(WebElement element) {
    run("arguments[0].scrollIntoView({block: 'center'})", element);
  }

  /** Complaints of the browser about the page since the last call. */
  public List<String> complaints() {
    return driver.manage().logs().get(LogType.BROWSER).getAll().stream()
        .filter(entry -> entry.getLevel().intValue() >= Level.WARNING.intValue())
        .map(LogEntry::getMessage)
        .toList();
  }

  /** What the window shows, as a PNG. */
  public byte[] screenshot() {
    return driver.getScreenshotAs(OutputType.BYTES);
  }

  /** Has pages take the system for light or dark. */
  public void prefer(String theme) {
    driver.executeCdpCommand(
        "Emulation.setEmulatedMedia",
        Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", theme))));
  }

  /** All that axe-core finds. */
  public JsonNode allAccessibilityFaults() {
    return faults("['minor', 'moderate', 'serious', 'critical']");
  }

  /** What axe-core finds that is serious or critical. */
  public JsonNode accessibilityFaults() {
    return faults("['serious', 'critical']");
  }

  private JsonNode faults(String impacts) {
    run(axe());
    Object found =
        await(
            """
            const done = arguments[0];
            axe.run(document).then((result) => done(JSON.stringify(result.violations
                .filter((each) => %s.includes(each.impact))
                .map((each) => ({id: each.id, nodes: each.nodes.map((node) => node.html)})))));
            """
                .formatted(impacts));
    return new ObjectMapper().readTree((String) found);
  }

  private static String axe() {
    try (InputStream in = Browser.class.getResourceAsStream("/axe.min.js")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    driver.quit();
  }
}
