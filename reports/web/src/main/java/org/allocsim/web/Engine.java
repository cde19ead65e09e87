package org.allocsim.web;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.allocsim.analysis.text.JsonText;
import org.allocsim.reports.document.Table;
import org.allocsim.reports.document.render.CsvRenderer;
import org.allocsim.reports.document.render.JsonRenderer;
import org.allocsim.reports.document.render.TerminalRenderer;
import org.allocsim.reports.html.ReportPage;
import org.allocsim.reports.input.Traces;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.output.FailureReport;
import org.allocsim.reports.question.AskedTrace;
import org.allocsim.workloads.source.TraceSource;
import org.jspecify.annotations.Nullable;
import org.teavm.jso.JSExport;
import org.teavm.jso.typedarrays.Int8Array;
import org.teavm.runtime.fs.VirtualFileSystemProvider;

/**
 * What JavaScript calls. One file is open at a time, and its last answer is kept. Nothing ends in
 * an exception, whatever the file.
 */
public final class Engine {
  private static final DroppedFiles FILES = new DroppedFiles();
  private static @Nullable TraceSource source;
  private static Questions.@Nullable Answer answer;
  private static byte @Nullable [] written;

  private Engine() {}

  /** Called once, before anything else. */
  public static void main(String[] args) {
    VirtualFileSystemProvider.setInstance(FILES);
  }

  /**
   * Reads a file.
   *
   * @return why that is not possible, in a sentence; empty where it was read
   */
  @JSExport
  public static String open(String name, Int8Array bytes) {
    return failure(() -> {
      source = null;
      answer = null;
      FILES.put(name, bytes);
      try {
        source = Traces.open(name, null);
      } finally {
        FILES.remove(name);
      }
    });
  }

  /**
   * Answers a question about the open file.
   *
   * @param options names of options and their values, in turns
   * @return why there is no answer, in a sentence; empty where there is one
   */
  @JSExport
  public static String ask(String question, String[] options) {
    return failure(() -> {
      answer = null;
      Map<String, String> values = new HashMap<>();
      for (int i = 0; i < options.length; i += 2) {
        values.put(options[i], options[i + 1]);
      }
      if (source == null) {
        throw new Failure("no file is open");
      }
      answer = Questions.ask(question, AskedTrace.of(source, WebConditions.of(values)));
    });
  }

  /**
   * Writes the last answer as {@code text}, {@code json}, {@code csv} or {@code page}.
   *
   * @return why that is not possible, in a sentence; empty where it was written
   */
  @JSExport
  public static String write(String form) {
    return failure(() -> {
      written = null;
      if (answer == null) {
        throw new Failure("no question was answered");
      }
      written = bytes(answer, form);
    });
  }

  /** What was written last, in UTF-8; null where the answer has no rows. */
  @JSExport
  public static @Nullable Int8Array written() {
    byte[] last = writtenBytes();
    return last == null ? null : Int8Array.copyFromJavaArray(last);
  }

  static byte @Nullable [] writtenBytes() {
    return written;
  }

  private static byte @Nullable [] bytes(Questions.Answer last, String form) {
    Table<?> rows = last.document().mainCsv();
    if (form.equals("csv") && rows == null) {
      return null;
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    switch (form) {
      case "text" -> {
        PrintWriter text = new PrintWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8));
        TerminalRenderer.print(last.document(), text);
        text.flush();
      }
      case "json" -> JsonText.write(JsonRenderer.json(last.document()), out);
      case "csv" -> CsvRenderer.write(Objects.requireNonNull(rows), out);
      case "page" ->
          new ReportPage(
                  last.document(), JsonRenderer.json(last.document()), last.recordings().get())
              .write(out);
      default -> throw Failure.usage("unknown form: " + form);
    }
    return out.toByteArray();
  }

  private interface Work {
    void run() throws IOException;
  }

  /** Failures of every kind become the sentence that the program prints. */
  private static String failure(Work work) {
    try {
      work.run();
      return "";
    } catch (IOException | RuntimeException | Error e) {
      StringWriter text = new StringWriter();
      FailureReport.print(e, new PrintWriter(text), false);
      return text.toString().strip();
    }
  }
}
