package org.allocsim.reports.chart.idle;

import java.awt.Color;
import java.util.List;
import org.allocsim.analysis.idle.activity.Activity;
import org.allocsim.analysis.idle.timeline.Cause;
import org.allocsim.analysis.idle.timeline.WorkKind;
import org.allocsim.reports.chart.ChartTheme;

/**
 * The colour of each cause and of each thing that host and GPU do, the same in all charts. A copy
 * has the colour of the cause that it is when the GPU waits for it. Most are those of Okabe and Ito
 * (jfly.uni-koeln.de/color, 2008); causes that rarely occur together share a hue.
 */
public final class ActivityColours {
  /** On light paper and on dark. */
  private record Pair(int light, int dark) {}

  private static final Pair HOST_BUSY = new Pair(0x7C8791, 0x8D98A3);
  private static final Pair HOST_WAITS = new Pair(0xD3D6DA, 0x484E55);

  private ActivityColours() {}

  /** The colour of a GPU that does something. */
  public static Color busy(ChartTheme theme) {
    return of(WorkKind.COMPUTE.id(), theme);
  }

  /** The colour of a GPU that is idle for any cause. */
  public static Color idle(ChartTheme theme) {
    return of(Activity.HOST_WAITS, theme);
  }

  /** The colours of computing, communicating, copying and idling. */
  public static List<Color> ofSteps(ChartTheme theme) {
    return List.of(
        busy(theme),
        of(WorkKind.COMMUNICATE.id(), theme),
        of(WorkKind.FROM_PINNED.id(), theme),
        idle(theme));
  }

  /** The colour of a part of a lane. */
  static Color of(String part, ChartTheme theme) {
    Pair pair = pair(part);
    return theme.either(pair.light, pair.dark);
  }

  private static Pair pair(String part) {
    return switch (part) {
      case Activity.HOST_BUSY -> HOST_BUSY;
      case Activity.HOST_WAITS -> HOST_WAITS;
      default -> {
        for (WorkKind kind : WorkKind.values()) {
          if (kind.id().equals(part)) {
            yield pair(kind);
          }
        }
        for (Cause cause : Cause.values()) {
          if (cause.id().equals(part)) {
            yield pair(cause);
          }
        }
        throw new IllegalArgumentException(part);
      }
    };
  }

  private static Pair pair(WorkKind kind) {
    return switch (kind) {
      case COMPUTE -> new Pair(0x0072B2, 0x1F86C4);
      case COMMUNICATE -> pair(Cause.COLLECTIVE);
      case FROM_PAGEABLE -> pair(Cause.PAGEABLE_COPY);
      case FROM_PINNED -> pair(Cause.BLOCKING_COPY);
      case TO_HOST -> pair(Cause.HOST_READ);
      case MOVE -> new Pair(0x8A8F96, 0x8A8F96);
    };
  }

  private static Pair pair(Cause cause) {
    return switch (cause) {
      case DATA -> new Pair(0xD55E00, 0xD55E00);
      case PAGEABLE_COPY -> new Pair(0xCC79A7, 0xCC79A7);
      case BLOCKING_COPY -> new Pair(0x009E73, 0x009E73);
      case HOST_READ -> new Pair(0x7B4FA3, 0xB08BD6);
      case SYNCHRONIZE -> new Pair(0xB9A3D6, 0x735B9A);
      case EMPTY_CACHE -> new Pair(0xF0E442, 0xF0E442);
      case RETRY -> new Pair(0xA50026, 0xE0555F);
      case RECLAIM -> new Pair(0xD6604D, 0xF08A78);
      case ALLOCATOR -> new Pair(0xA89D00, 0xB5AA1E);
      case LAUNCH -> new Pair(0xE69F00, 0xE69F00);
      case HOST_CODE -> new Pair(0xF3CF85, 0x94712B);
      case STREAM -> new Pair(0x56B4E9, 0x8CCBEE);
      case COLLECTIVE -> new Pair(0x0B3C5D, 0xA9D2F0);
      case GARBAGE_COLLECTION -> new Pair(0x8B5A2B, 0xB98A5E);
      case KERNEL_LOADING -> new Pair(0x8FD6C0, 0x0B6B50);
      case PROFILER -> new Pair(0x8A8F96, 0x8A8F96);
      case SHORT -> new Pair(0xC9CDD2, 0x5A6169);
      case UNKNOWN -> new Pair(0x333333, 0xE6E6E6);
    };
  }
}
