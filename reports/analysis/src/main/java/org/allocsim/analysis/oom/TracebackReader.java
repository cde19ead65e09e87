package org.allocsim.analysis.oom;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.allocsim.analysis.moment.FrameKind;
import org.allocsim.simulator.trace.StackTable.Frame;

/**
 * Finds the tracebacks of Python that end with an out-of-memory message: line by line, also where
 * several ranks write in turn, in constant memory.
 */
public final class TracebackReader {
  /** Tracebacks that are kept. */
  private static final int MAX_TRACEBACKS = OomLog.MAX_DISTINCT;

  private static final int MAX_SOURCES = 256;

  /** Lines between the end of a traceback and the line to which a message is counted. */
  private static final int NEAR_LINES = 4;

  private static final Pattern FRAME =
      Pattern.compile("File \"([^\"]{1,1000})\", line (\\d{1,9})(?:, in (.{1,200}))?");

  /**
   * Where a request that failed was made.
   *
   * @param own the innermost frame of the program's own code; empty where there is none
   * @param innermost the innermost frame of all
   */
  public record Place(Optional<Frame> own, Frame innermost) {
    private static Place of(Optional<Place> outer, Frame frame) {
      Optional<Frame> own =
          FrameKind.of(frame) == FrameKind.PROGRAM ? Optional.of(frame) : outer.flatMap(Place::own);
      return new Place(own, frame);
    }
  }

  /** The open traceback of each writer. */
  private final Map<String, Place> open =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Place> eldest) {
          return size() > MAX_SOURCES;
        }
      };

  private final NavigableMap<Long, Place> places = new TreeMap<>();

  /** The next line of the log. */
  void line(String text, long number) {
    if (text.contains("File \"")) {
      Matcher frame = FRAME.matcher(text);
      if (frame.find()) {
        String function = frame.group(3);
        open.merge(
            source(text),
            Place.of(
                Optional.empty(),
                new Frame(
                    frame.group(1),
                    Integer.parseInt(frame.group(2)),
                    function == null ? "" : function)),
            (outer, inner) -> Place.of(Optional.of(outer), inner.innermost));
      }
    } else if (text.contains("Traceback (most recent")) {
      open.remove(source(text));
    } else if (text.contains("out of memory") || text.contains("OutOfMemory")) {
      Place place = open.remove(source(text));
      if (place != null && places.size() < MAX_TRACEBACKS) {
        places.put(number, place);
      }
    }
  }

  private static String source(String text) {
    return LinePrefix.of(text).source();
  }

  /** Where the request of a message was made; empty where no traceback leads to it. */
  public Optional<Place> of(OomLog.Found message) {
    Map.Entry<Long, Place> before = places.floorEntry(message.line() + NEAR_LINES);
    return before == null || before.getKey() < message.line() - NEAR_LINES
        ? Optional.empty()
        : Optional.of(before.getValue());
  }
}
