package org.allocsim.analysis.prediction;

import java.util.Map;
import java.util.TreeMap;
import org.allocsim.simulator.effect.EffectKind;
import org.allocsim.simulator.effect.EffectLog;
import org.allocsim.simulator.effect.EffectRows;

/**
 * Compares what was predicted with what was recorded: the same actions on the same bytes in the
 * same order, at the same places, where a place is a segment (or run of mapped pages) and the
 * offset in it. Absolute addresses differ between processes.
 */
final class EffectComparison extends EffectRows {
  private final EffectLog recorded;

  /** Predicted segments and runs by address: their end, and how far away the recorded one lies. */
  private final TreeMap<Long, Place> places = new TreeMap<>();

  private int row;
  private String difference;

  private record Place(long end, long distance) {}

  EffectComparison(EffectLog recorded) {
    this.recorded = recorded;
  }

  /** Number of rows that are the same. */
  int rowsEqual() {
    return row;
  }

  /** Whether every recorded row was predicted and nothing else. */
  boolean isExact() {
    return difference == null && row == recorded.count();
  }

  /** What the first difference is; empty without one. */
  String difference() {
    if (difference != null) {
      return difference;
    }
    return isExact() ? "" : "the prediction ends at row " + row + " of " + recorded.count();
  }

  @Override
  protected void row(EffectKind kind, long address, long bytes, int stream) {
    if (difference != null) {
      return;
    }
    if (row == recorded.count()) {
      difference = "predicted more than the " + row + " recorded rows: " + kind.action();
    } else if (recorded.kind(row) != kind
        || recorded.bytes(row) != bytes
        || (kind != EffectKind.SNAPSHOT && recorded.stream(row) != stream)) {
      difference =
          "row %d: recorded %s of %d bytes, predicted %s of %d bytes"
              .formatted(
                  row, recorded.kind(row).action(), recorded.bytes(row), kind.action(), bytes);
    } else if (!isSamePlace(kind, address, bytes)) {
      difference = "row %d: %s of %d bytes at another place".formatted(row, kind.action(), bytes);
    } else {
      row++;
    }
  }

  private boolean isSamePlace(EffectKind kind, long address, long bytes) {
    long distance = recorded.address(row) - address;
    return switch (kind) {
      case SNAPSHOT, OOM -> true;
      case SEGMENT_ALLOC, SEGMENT_MAP -> {
        places.put(address, new Place(address + bytes, distance));
        yield true;
      }
      case SEGMENT_FREE, SEGMENT_UNMAP -> remove(address, address + bytes, distance);
      default -> {
        Map.Entry<Long, Place> place = places.floorEntry(address);
        yield place != null
            && address < place.getValue().end()
            && place.getValue().distance() == distance;
      }
    };
  }

  /** Cuts a range out of the places that cover it. */
  private boolean remove(long from, long to, long distance) {
    long at = from;
    while (at < to) {
      Map.Entry<Long, Place> entry = places.floorEntry(at);
      if (entry == null
          || entry.getValue().end() <= at
          || entry.getValue().distance() != distance) {
        return false;
      }
      Place place = entry.getValue();
      places.remove(entry.getKey());
      if (entry.getKey() < at) {
        places.put(entry.getKey(), new Place(at, distance));
      }
      if (place.end() > to) {
        places.put(to, new Place(place.end(), distance));
      }
      at = place.end();
    }
    return true;
  }
}
