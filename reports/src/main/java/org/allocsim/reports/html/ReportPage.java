package org.allocsim.reports.html;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.allocsim.analysis.text.JsonText;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.document.Table;
import org.allocsim.reports.document.Verdict;
import org.allocsim.reports.text.VisibleText;
import org.allocsim.simulator.timing.TimeResult;
import org.jspecify.annotations.Nullable;

/**
 * A report as one HTML file that needs no network: style, program, figures and recorded runs are
 * all inside. The figures are the very object that the command writes as JSON.
 *
 * <p>Recorded runs keep every block as long as they fit a budget, the first runs before the others;
 * the rest keep memory over time and what is held at a few moments.
 */
public final class ReportPage {
  /** Deflated bytes of recorded runs in a page about a short trace. */
  private static final long MIN_BUDGET_BYTES = 3_300_000;

  /** Deflated bytes that each request of a long trace adds to the budget. */
  private static final long BUDGET_BYTES_PER_EVENT = 8;

  /** A page about more requests than this shows key moments first and reads the rest after. */
  private static final int LONG = 400_000;

  /** Begins the names of answers about jobs. */
  private static final String JOB = "job-";

  /**
   * Answers that rank runs: their page begins with the table. All others are about one run, which
   * their page shows first.
   */
  private static final Set<String> RANKINGS =
      Set.of("compare", "tune", "validate", "min-capacity", "sweep", "check", "fit", "advise");

  private static final String[] SCRIPTS = {
    "format.js",
    "data.js",
    "series.js",
    "columns.js",
    "axis.js",
    "timeline.js",
    "track.js",
    "strips.js",
    "layout.js",
    "map.js",
    "table.js",
    "bars.js",
    "overview.js",
    "stacked.js",
    "flame.js",
    "difference.js",
    "events.js",
    "search.js",
    "explorer.js",
    "state.js",
    "page.js"
  };

  private final String command;
  private final String title;
  private final @Nullable Verdict verdict;
  private final Map<String, Object> results;
  private final List<TraceRecording> traces;
  private final List<Map<String, Object>> tables;

  /** Rows of all tables that the page's program draws. */
  private final int rows;

  private final String html;

  /** What comes ahead of the tables. */
  private final String pasted;

  /**
   * The page of a document.
   *
   * @param results the document as JSON
   * @param traces recorded runs, in the order of the document's tables; may be empty
   */
  public ReportPage(
      Document<?> document, Map<String, Object> results, List<TraceRecording> traces) {
    command = document.kind().name();
    title = document.title();
    verdict = document.verdict();
    this.results = results;
    this.traces = List.copyOf(traces);
    List<Table<?>> drawn = PageTable.drawn(document);
    tables = drawn.stream().map(PageTable::of).toList();
    rows = drawn.stream().mapToInt(table -> table.rows().size()).sum();
    html = PageParts.of(document);
    pasted = PageParts.pasted(document);
  }

  /** Writes the page and leaves the stream open. */
  public void write(OutputStream out) {
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("command", command);
    StringBuilder columns = new StringBuilder();
    data.put("traces", putTraces(columns));
    data.put("tables", tables);
    data.put("is_alone", isAlone());
    boolean isFirst = isExplorerFirst(shown());
    data.put("place", isFirst ? "first" : "last");
    Map<String, String> parts = new LinkedHashMap<>();
    String shown = shown();
    parts.put("title", PageText.escape(title + " – allocsim " + shown));
    parts.put("command", PageText.escape(shown));
    parts.put("heading", PageText.escape(title));
    parts.put("verdict", verdict());
    parts.put("findings", findings());
    parts.put("place", isFirst ? "first" : "last");
    parts.put(isFirst ? "explorer-first" : "explorer-last", resource("explorer.html"));
    parts.put("views", resource("views.html"));
    parts.put("pasted", pasted);
    parts.put("parts", html);
    parts.put("results", json(results));
    parts.put("data", json(data));
    parts.put("columns", columns.toString());
    fill(parts, out);
  }

  /** The command that is answered; a job is asked with the command for one recording. */
  private String shown() {
    return command.startsWith(JOB) ? command.substring(JOB.length()) : command;
  }

  private boolean isExplorerFirst(String shown) {
    return !RANKINGS.contains(shown) && traces.stream().anyMatch(trace -> !trace.runs().isEmpty());
  }

  /** Whether the only row of the tables is the only run. */
  private boolean isAlone() {
    return traces.size() == 1 && traces.getFirst().runs().size() == 1 && rows == 1;
  }

  /** What all pages have in common: their styles and scripts, around nothing. */
  public static String withoutAnswer() {
    ByteArrayOutputStream page = new ByteArrayOutputStream();
    fill(Map.of("explorer-last", resource("explorer.html"), "views", resource("views.html")), page);
    return page.toString(StandardCharsets.UTF_8);
  }

  private static void fill(Map<String, String> answer, OutputStream out) {
    Map<String, String> parts = new LinkedHashMap<>(answer);
    parts.put("chart-style", resource("uplot/uPlot.min.css"));
    parts.put("style", resource("page.css"));
    parts.put("licence", PageText.escape(resource("uplot/LICENSE").strip()));
    parts.put("chart-script", resource("uplot/uPlot.iife.min.js"));
    parts.put("script", script());
    String template = resource("page.html");
    try {
      int from = 0;
      while (true) {
        int open = template.indexOf("{{", from);
        if (open < 0) {
          out.write(template.substring(from).getBytes(StandardCharsets.UTF_8));
          return;
        }
        int close = template.indexOf("}}", open);
        out.write(template.substring(from, open).getBytes(StandardCharsets.UTF_8));
        String part = parts.getOrDefault(template.substring(open + 2, close), "");
        out.write(part.getBytes(StandardCharsets.UTF_8));
        from = close + 2;
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String script() {
    StringBuilder script = new StringBuilder();
    for (String name : SCRIPTS) {
      script.append(resource(name)).append('\n');
    }
    return script.toString();
  }

  private List<Object> putTraces(StringBuilder columns) {
    long events = traces.stream().mapToLong(trace -> trace.eventCount()).sum();
    long budget = Math.max(MIN_BUDGET_BYTES, BUDGET_BYTES_PER_EVENT * events);
    // What a reader sees last comes last: the page is shown while the browser reads on.
    StringBuilder blocks = new StringBuilder();
    List<TraceColumns.Encoded> shared = new ArrayList<>();
    boolean isShort = traces.stream().anyMatch(trace -> trace.hasManyStacks());
    for (TraceRecording trace : traces) {
      TraceColumns.Encoded encoded = trace.encode(isShort);
      shared.add(encoded);
      budget -= encoded.bytes().length;
      for (TraceRecording.Run run : trace.runs()) {
        budget -= run.recording().timeline().length + run.recording().moments().length;
      }
    }
    List<Object> list = new ArrayList<>();
    for (int i = 0; i < traces.size(); i++) {
      TraceRecording trace = traces.get(i);
      Map<String, Object> about = new LinkedHashMap<>();
      about.put("name", trace.name());
      about.putAll(shared.get(i).about());
      put(columns, "t" + i, shared.get(i).bytes());
      List<Object> runs = new ArrayList<>();
      long share = budget / (traces.size() - i);
      for (TraceRecording.Run run : trace.runs()) {
        PolicyRecording recording = run.recording();
        boolean isWhole = recording.blocks().length <= share;
        if (isWhole) {
          share -= recording.blocks().length;
          budget -= recording.blocks().length;
        }
        String id = "t" + i + "r" + run.row();
        Map<String, Object> entry = new LinkedHashMap<>();
        entry.put("id", id);
        entry.put("row", run.row());
        entry.put("label", run.label());
        boolean isLong = trace.eventCount() > LONG;
        entry.put("whole", isWhole);
        entry.put("preview", isWhole && isLong);
        entry.putAll(recording.about());
        TimeResult time = run.time();
        if (time != null && BusyColumns.isKnown(time)) {
          entry.put("busy", BusyColumns.about(time));
          put(columns, id + "-busy", BusyColumns.encode(time));
        }
        runs.add(entry);
        put(columns, id + "-timeline", recording.timeline());
        if (isLong || !isWhole) {
          put(columns, id + "-moments", recording.moments());
        }
        if (isWhole) {
          put(blocks, id, recording.blocks());
        }
      }
      about.put("runs", runs);
      about.put("opens", runs.isEmpty() ? null : trace.opens());
      about.put("highlights", trace.highlights());
      about.put("recorded", trace.recorded());
      about.put("most_bytes", trace.maxBytes());
      list.add(about);
    }
    columns.append(blocks);
    return list;
  }

  private static void put(StringBuilder columns, String id, byte[] bytes) {
    columns
        .append("<script type=\"application/octet-stream\" id=\"")
        .append(id)
        .append("\">")
        .append(Base64.getEncoder().encodeToString(bytes))
        .append("</script>\n");
  }

  /** JSON that cannot end the element it stands in, with texts that scripts may show. */
  private static String json(Map<String, Object> map) {
    return visible(JsonText.text(map).replace("<", "\\u003c"));
  }

  /** The JSON, with characters beyond ASCII that would do something as their escapes in text. */
  private static String visible(String json) {
    if (json.chars().allMatch(each -> each < 0x7f)) {
      return json;
    }
    StringBuilder visible = new StringBuilder(json.length() + 64);
    json.codePoints()
        .forEach(each -> {
          if (each < 0x7f) {
            visible.append((char) each);
          } else {
            String character = new String(Character.toChars(each));
            String shown = VisibleText.of(character);
            visible.append(shown.equals(character) ? shown : shown.replace("\\", "\\\\"));
          }
        });
    return visible.toString();
  }

  private String verdict() {
    if (verdict == null) {
      return "<h1>" + PageText.escape(title) + "</h1>\n";
    }
    StringBuilder html = new StringBuilder();
    html.append("<h1 class=\"verdict ")
        .append(verdict.tone().name().toLowerCase(java.util.Locale.ROOT))
        .append("\">")
        .append(PageText.html(verdict.sentence()))
        .append("</h1>\n");
    if (verdict.pasteLine() != null) {
      html.append("<div class=\"paste\"><code id=\"paste\" tabindex=\"0\">")
          .append(PageText.escape(verdict.pasteLine()))
          .append("</code><button type=\"button\" id=\"copy\">Copy</button></div>\n");
    }
    return html.toString();
  }

  /** What else there is to say after the verdict. */
  private String findings() {
    StringBuilder html = new StringBuilder();
    if (verdict != null && !verdict.details().isEmpty()) {
      html.append("<ul class=\"facts findings\">\n");
      verdict
          .details()
          .forEach(detail -> html.append("<li>").append(PageText.html(detail)).append("</li>\n"));
      html.append("</ul>\n");
    }
    return html.toString();
  }

  /** Files beside this class that pages are made of. */
  public static List<String> resources() {
    return Stream.concat(
            Stream.of(
                "page.html",
                "explorer.html",
                "views.html",
                "page.css",
                "uplot/uPlot.min.css",
                "uplot/uPlot.iife.min.js",
                "uplot/LICENSE"),
            Stream.of(SCRIPTS))
        .toList();
  }

  private static String resource(String name) {
    try (InputStream in = ReportPage.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException("this installation does not contain the file " + name);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
