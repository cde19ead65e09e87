package org.allocsim.analysis.oom;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.allocsim.analysis.oom.engine.EngineLog;
import org.allocsim.analysis.oom.engine.EngineReport;
import org.allocsim.analysis.text.PhraseSet;
import org.jspecify.annotations.Nullable;

/**
 * Finds the out-of-memory messages of a log, whatever stands around and inside them: timestamps,
 * rank and host prefixes, colours, tracebacks, broken lines, lines of several ranks in turn. Reads
 * once, in constant memory.
 */
public final class OomLog {
  /** Different messages that are kept; more are counted. */
  public static final int MAX_DISTINCT = 1000;

  /** Messages with different texts that are read; more are counted. */
  public static final int MAX_READ = 5_000;

  /** Characters of these, beyond which no further one is read: twice as many as such have. */
  private static final int MAX_READ_CHARS = MAX_READ * 800;

  private static final int MAX_SOURCES = 256;

  /** Lines looked back at when a phrase turns up in the middle of a message. */
  private static final int LINES_BEFORE = 4;

  /** Lines listened to after such a phrase although no message has begun: it may be cut in two. */
  private static final int PATIENCE_LINES = 4;

  private static final int CHARS_BEFORE = 2048;

  /**
   * Each line of a broken message holds one of these unless the lines are very short, and a message
   * is looked for in the lines before, too.
   */
  private static final PhraseSet TRIGGERS =
      new PhraseSet(
          Stream.concat(
                  OomAssembly.OPENINGS.stream(),
                  Stream.of(
                      "OutOfMemory",
                      "reserved by PyTorch",
                      "reserved in total",
                      "already allocated",
                      "No space left on device: '/dev/shm"))
              .toList());

  private static final int LONGEST_PHRASE =
      OomAssembly.OPENINGS.stream().mapToInt(String::length).max().orElseThrow();

  private static final Pattern WINDOWS_PATH =
      Pattern.compile("File \"[A-Za-z]:\\\\|\\b[A-Z]:\\\\(?:Users|Program Files|Windows)\\\\");

  private static final Pattern FENCE = Pattern.compile("^\\s*(?:```|~~~|\"\"\")");

  /** Words without a size. */
  private static final Pattern PROSE =
      Pattern.compile("^\\s*\\p{L}(?!.*\\d\\s?(?:bytes|[KMGT]i?B)\\b)");

  /**
   * A message and where it stands.
   *
   * @param message what it says
   * @param line number of the line where it first begins
   * @param source rank, process or host that wrote it, "" where the log does not say
   * @param count how often it stands in the log with the same numbers
   */
  public record Found(OomMessage message, long line, String source, long count) {}

  /**
   * What a log holds.
   *
   * @param found different messages with numbers, in the order of their first lines
   * @param bare mentions of the error without numbers: their first line and their count
   * @param left messages that were not kept, because there are more than {@link #MAX_DISTINCT}
   *     different ones, or {@link #MAX_READ} with different texts, fewer where they are long
   * @param lines lines read
   * @param settings allocator settings that the log assigns; the last ones
   * @param windows whether paths in the log are those of Windows
   * @param tables tables of {@code torch.cuda.memory_summary()}, in the order of their lines
   * @param dumps dumps of BFC allocators
   * @param places where requests that failed were made
   * @param engine figures that an inference engine printed
   */
  public record Contents(
      List<Found> found,
      Bare bare,
      long left,
      long lines,
      OomSettings settings,
      boolean windows,
      List<SummaryTable> tables,
      List<BfcDump> dumps,
      TracebackReader places,
      EngineLog engine) {
    /** What an inference engine wrote, where no message says that memory ran out. */
    public Optional<EngineReport> report() {
      return found.isEmpty() && dumps.isEmpty() && bare.count() == 0
          ? engine.figures("").flatMap(EngineReport::of)
          : Optional.empty();
    }

    /** Why the requests of the messages failed, one explanation for each. */
    public List<OomExplanation> explain(OomSettings known) {
      return found.stream()
          .map(each ->
              OomExplainer.explain(each.message(), tableOf(each), known, windows)
                  .inEngine(engine.figures(each.source())))
          .toList();
    }

    /**
     * The table that belongs to a message: the next one after it, before other messages of its
     * writer, as a program prints it that caught the error; else the last one before it.
     */
    public Optional<SummaryTable> tableOf(Found message) {
      SummaryTable last = null;
      for (SummaryTable table : tables) {
        boolean same =
            table.source().equals(message.source())
                && (table.deviceIndex() < 0
                    || message.message().deviceIndex() < 0
                    || table.deviceIndex() == message.message().deviceIndex());
        if (!same) {
          continue;
        }
        if (table.line() < message.line()) {
          last = table;
        } else if (noneBetween(message, table)) {
          return Optional.of(table);
        }
      }
      return Optional.ofNullable(last);
    }

    private boolean noneBetween(Found message, SummaryTable table) {
      return found.stream()
          .noneMatch(other ->
              other.source().equals(message.source())
                  && other.line() > message.line()
                  && other.line() < table.line());
    }
  }

  /**
   * Mentions of the error without numbers.
   *
   * @param count how many
   * @param firstLine line of the first, 0 where there is none
   */
  public record Bare(long count, long firstLine) {}

  private record Line(String text, @Nullable LinePrefix prefix, long number) {}

  private static final class Sightings {
    private long line;
    private final String source;
    private long count;

    Sightings(long line, String source) {
      this.line = line;
      this.source = source;
    }
  }

  /** The assembly of one writer; listened to while a message is open, and a few lines longer. */
  private final class Source {
    private final OomAssembly assembly;
    private boolean listening;
    private int patience;

    Source(String name) {
      assembly = new OomAssembly((text, line) -> read(text, line, name));
    }
  }

  private final Map<String, Source> sources =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Source> eldest) {
          if (size() > MAX_SOURCES) {
            close(eldest.getValue());
            return true;
          }
          return false;
        }
      };

  private final Map<OomMessage, Sightings> messages = new LinkedHashMap<>();
  private final Map<String, OomMessage> known = new HashMap<>();
  private int read;
  private int readChars;
  private final Deque<Line> before = new ArrayDeque<>();
  private final SummaryReader summaries = new SummaryReader();
  private final BfcDumpReader dumps = new BfcDumpReader();
  private final TracebackReader places = new TracebackReader();
  private final EngineLog engine = new EngineLog();
  private int listeningCount;
  private long lastNumber;
  private String currentSource = "";
  private long left;
  private long bareCount;
  private long bareLine;
  private OomSettings settings = OomSettings.UNKNOWN;
  private boolean windows;

  private OomLog() {}

  /** Reads a log to its end. */
  public static Contents read(InputStream in) throws IOException {
    OomLog log = new OomLog();
    long lines =
        LogLines.read(
            in,
            (text, number, continued) -> {
              log.line(text, number, continued);
              log.dumps.line(text, number);
              log.places.line(text, number);
              if (EngineLog.mayHave(text)) {
                log.engine.line(text, LinePrefix.of(text).source());
              }
            });
    return log.contents(lines);
  }

  private void line(String text, long number, boolean continued) {
    summaries.line(text, number);
    boolean triggered = TRIGGERS.occursIn(text);
    if (!triggered && listeningCount == 0 && isCutPhrase(text, number)) {
      triggered = true;
      currentSource = LinePrefix.of(before.getLast().text).source();
    }
    if (listeningCount > 0 && endsMessages(text, number, triggered)) {
      sources.values().forEach(this::close);
    }
    lastNumber = number;
    if (!triggered && listeningCount == 0) {
      look(text, number);
      remember(new Line(text, null, number));
      return;
    }
    LinePrefix prefix = continued ? new LinePrefix(currentSource, 0) : LinePrefix.of(text);
    // A line without a name of its own goes on with what was written before it.
    String name = prefix.source().isEmpty() ? currentSource : prefix.source();
    if (triggered) {
      Source source = sources.computeIfAbsent(name, Source::new);
      if (!source.listening) {
        appendBefore(source, name);
      }
      source.patience = PATIENCE_LINES;
      append(source, text.substring(prefix.length()), number);
    } else {
      Source source = sources.get(name);
      if (source != null && source.listening) {
        source.patience--;
        append(source, text.substring(prefix.length()), number);
      } else {
        look(text, number);
        remember(new Line(text, prefix, number));
      }
    }
    currentSource = name;
  }

  /** A fence, or prose after a blank line, is no part of a message. */
  private boolean endsMessages(String text, long number, boolean triggered) {
    return FENCE.matcher(text).find()
        || !triggered && number > lastNumber + 1 && PROSE.matcher(text).find();
  }

  /** Whether a terminal broke a phrase in two: the line before ends with its first half. */
  private boolean isCutPhrase(String text, long number) {
    Line last = before.peekLast();
    if (last == null
        || last.number != number - 1
        || text.isEmpty()
        || !Character.isLowerCase(text.charAt(0)) && text.charAt(0) != ' ') {
      return false;
    }
    StringBuilder joined = new StringBuilder();
    int tail = Math.max(0, last.text.length() - LONGEST_PHRASE);
    CompactText.append(last.text.substring(tail), joined);
    CompactText.append(text.substring(0, Math.min(LONGEST_PHRASE, text.length())), joined);
    return OomAssembly.PHRASES.stream().anyMatch(phrase -> joined.indexOf(phrase) >= 0);
  }

  /** Takes the lines that the same writer wrote just before. */
  private void appendBefore(Source source, String name) {
    Iterator<Line> lines = before.iterator();
    while (lines.hasNext()) {
      Line line = lines.next();
      LinePrefix prefix = line.prefix == null ? LinePrefix.of(line.text) : line.prefix;
      if (prefix.source().isEmpty() || prefix.source().equals(name)) {
        windows |= hasWindowsPath(line.text);
        source.assembly.append(line.text.substring(prefix.length()), line.number);
        lines.remove();
      }
    }
  }

  private static boolean hasWindowsPath(String text) {
    return text.indexOf('\\') >= 0 && WINDOWS_PATH.matcher(text).find();
  }

  private void append(Source source, String content, long number) {
    windows |= content.length() < CHARS_BEFORE && hasWindowsPath(content);
    boolean listening = source.assembly.append(content, number) || source.patience > 0;
    listeningCount += (listening ? 1 : 0) - (source.listening ? 1 : 0);
    source.listening = listening;
  }

  private void close(Source source) {
    source.assembly.end();
    listeningCount -= source.listening ? 1 : 0;
    source.listening = false;
  }

  private void remember(Line line) {
    if (before.size() == LINES_BEFORE) {
      before.removeFirst();
    }
    int length = line.text.length();
    before.addLast(
        length <= CHARS_BEFORE
            ? line
            : new Line(
                line.text.substring(length - CHARS_BEFORE), new LinePrefix("", 0), line.number));
  }

  /** Looks for settings in a line that is no part of a message. */
  private void look(String text, long number) {
    if (text.contains("ALLOC_CONF")) {
      OomSettings assigned = OomSettings.assignedIn(text, number);
      settings = assigned == null ? settings : assigned;
    }
  }

  /** Ranks and retries write the same text again and again, which is read once. */
  private void read(String text, long line, String source) {
    if (isAccount(text)) {
      return;
    }
    OomMessage message = known.get(text);
    if (message == null) {
      if (read == MAX_READ || readChars > MAX_READ_CHARS) {
        left++;
        return;
      }
      read++;
      readChars += text.length();
      message = OomMessageParser.parseCompact(text);
      if (known.size() < MAX_DISTINCT) {
        known.put(text, message);
      }
    }
    add(message, line, source);
  }

  /** vLLM's account of its start begins with the same words as its refusal to start. */
  private static boolean isAccount(String text) {
    return text.startsWith("reememoryondevice", 1) && !text.contains("islessthandesired");
  }

  private void add(OomMessage message, long line, String source) {
    if (!message.hasNumbers()) {
      if (message.bytes(OomMessage.Amount.CAPACITY).isPresent()) {
        return;
      }
      bareCount++;
      bareLine = bareLine == 0 ? line : Math.min(bareLine, line);
      return;
    }
    Sightings sightings = messages.get(message);
    if (sightings == null) {
      if (messages.size() == MAX_DISTINCT) {
        left++;
        return;
      }
      sightings = new Sightings(line, source);
      messages.put(message, sightings);
    }
    sightings.line = Math.min(sightings.line, line);
    sightings.count++;
  }

  private Contents contents(long lines) {
    Collection<Source> all = sources.values();
    all.forEach(this::close);
    List<Found> found = new ArrayList<>();
    messages.forEach((message, sightings) ->
        found.add(new Found(message, sightings.line, sightings.source, sightings.count)));
    found.sort(Comparator.comparingLong(Found::line));
    return new Contents(
        List.copyOf(found),
        new Bare(bareCount, bareLine),
        left,
        lines,
        settings,
        windows,
        summaries.end(),
        dumps.finish(),
        places,
        engine);
  }
}
