package org.allocsim.simulator.policy.umpire;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.allocsim.simulator.policy.RequestScript;

/** Umpire's pools as their rules read: driver blocks that hold lists of pieces, all scanned. */
final class NaiveUmpirePool {
  private static final class Piece {
    final long address;
    long bytes;
    boolean free = true;
    long freedAs;

    Piece(long address, long bytes) {
      this.address = address;
      this.bytes = bytes;
    }
  }

  private final boolean quick;
  private final long first;
  private final long next;
  private final CoalesceHeuristic heuristic;
  private final long capacityBytes;
  private final List<List<Piece>> driverBlocks = new ArrayList<>();
  private final Map<Integer, Piece> live = new HashMap<>();
  private long nextAddress = RequestScript.BASE;
  private long taken;
  private long frees;
  private long usedBytes;
  long highWatermark;

  NaiveUmpirePool(
      boolean quick, long first, long next, CoalesceHeuristic heuristic, long capacityBytes) {
    this.quick = quick;
    this.first = first;
    this.next = next;
    this.heuristic = heuristic;
    this.capacityBytes = capacityBytes;
  }

  private static long bytes(List<Piece> driverBlock) {
    return driverBlock.stream().mapToLong(piece -> piece.bytes).sum();
  }

  private static boolean isWhole(List<Piece> driverBlock) {
    return driverBlock.size() == 1 && driverBlock.getFirst().free;
  }

  long actualBytes() {
    return driverBlocks.stream().mapToLong(NaiveUmpirePool::bytes).sum();
  }

  long releasableBytes() {
    return driverBlocks.stream()
        .filter(NaiveUmpirePool::isWhole)
        .mapToLong(NaiveUmpirePool::bytes)
        .sum();
  }

  long releasableBlocks() {
    return driverBlocks.stream().filter(NaiveUmpirePool::isWhole).count();
  }

  private long freePieces() {
    return driverBlocks.stream().flatMap(List::stream).filter(piece -> piece.free).count();
  }

  /** Address, or −1. */
  long allocate(int id, long requested) {
    Piece piece = take((requested + 15) / 16 * 16);
    if (piece == null) {
      return -1;
    }
    live.put(id, piece);
    return piece.address;
  }

  private Piece take(long bytes) {
    Comparator<Piece> order = Comparator.comparingLong(piece -> piece.bytes);
    Comparator<Piece> best =
        order.thenComparingLong(piece -> quick ? piece.freedAs : piece.address);
    Piece found =
        driverBlocks.stream()
            .flatMap(List::stream)
            .filter(piece -> piece.free && piece.bytes >= bytes)
            .min(best)
            .orElse(null);
    if (found == null) {
      long size = Math.max(bytes, driverBlocks.isEmpty() ? first : next);
      found = obtain(size);
      if (found == null) {
        release();
        found = obtain(size);
      }
      if (found == null) {
        return null;
      }
    }
    if (found.bytes > bytes) {
      Piece rest = new Piece(found.address + bytes, found.bytes - bytes);
      rest.freedAs = ++frees;
      List<Piece> driverBlock = blockOf(found);
      driverBlock.add(driverBlock.indexOf(found) + 1, rest);
      found.bytes = bytes;
    }
    found.free = false;
    usedBytes += bytes;
    highWatermark = Math.max(highWatermark, usedBytes);
    return found;
  }

  private List<Piece> blockOf(Piece piece) {
    return driverBlocks.stream().filter(each -> each.contains(piece)).findFirst().orElseThrow();
  }

  private Piece obtain(long size) {
    long asked = size + 16;
    if (asked > capacityBytes - taken) {
      return null;
    }
    taken += asked;
    Piece piece = new Piece(nextAddress, size);
    nextAddress += (asked + 255) / 256 * 256;
    driverBlocks.add(new ArrayList<>(List.of(piece)));
    return piece;
  }

  private void release() {
    driverBlocks.removeIf(driverBlock -> {
      if (isWhole(driverBlock)) {
        taken -= bytes(driverBlock) + 16;
        return true;
      }
      return false;
    });
  }

  void free(int id) {
    Piece piece = live.remove(id);
    if (piece == null) {
      return;
    }
    releaseToDevice(piece);
    long suggested =
        heuristic.suggestedBytes(
            actualBytes(), releasableBytes(), releasableBlocks(), highWatermark);
    if (suggested == 0 || (quick ? freePieces() : releasableBlocks()) <= 1) {
      return;
    }
    release();
    long actual = actualBytes();
    if (actual < suggested) {
      Piece missing = take((suggested - actual + 15) / 16 * 16);
      if (missing != null) {
        releaseToDevice(missing);
      }
    }
  }

  private void releaseToDevice(Piece piece) {
    usedBytes -= piece.bytes;
    piece.free = true;
    List<Piece> driverBlock = blockOf(piece);
    int at = driverBlock.indexOf(piece);
    if (at + 1 < driverBlock.size() && driverBlock.get(at + 1).free) {
      piece.bytes += driverBlock.remove(at + 1).bytes;
    }
    Piece merged = piece;
    if (at > 0 && driverBlock.get(at - 1).free) {
      merged = driverBlock.get(at - 1);
      merged.bytes += driverBlock.remove(at).bytes;
    }
    merged.freedAs = ++frees;
  }
}
