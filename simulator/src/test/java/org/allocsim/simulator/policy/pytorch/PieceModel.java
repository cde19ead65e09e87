package org.allocsim.simulator.policy.pytorch;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import org.allocsim.simulator.device.DeviceMemory;

/**
 * PyTorch's allocator, written a second time from the specification alone: all memory is one list
 * of pieces by address, and every question is answered by looking at all of them. It shares no code
 * with the allocator or with the other naive model, and knows releases by their minor number.
 *
 * <p>It answers with addresses, and counts what a program could see: reserved bytes, failures,
 * retries, synchronisations.
 */
final class PieceModel {
  /** What a piece of memory is. */
  enum State {
    /** Addresses without memory. */
    VOID,
    FREE,
    HELD,
    /** Given back, still in use on another stream. */
    PENDING
  }

  /**
   * Everything that decides.
   *
   * @param minor the release is 2.{@code minor}
   * @param maxSplitBytes {@link Long#MAX_VALUE} where there is none
   * @param limitBytes −1 where there is none
   * @param divisions between powers of two; 0 where the setting is absent
   */
  record Rules(
      int minor,
      boolean expandable,
      long maxSplitBytes,
      long roundingBytes,
      long largeSegmentBytes,
      double collectAbove,
      long limitBytes,
      int divisions,
      boolean reuseInCaptures,
      boolean rejectsBeyondDevice) {}

  /** How a private pool was made. */
  record Kind(boolean servesOnOom, boolean keepsWhole, boolean ownAllocator) {}

  /** What one call of the driver gave: a segment, or a range of addresses. */
  private static final class Land {
    final long start;
    final long bytes;
    final long pageBytes;
    final int stream;
    final House house;
    final boolean small;
    final int age;

    Land(long start, long bytes, long pageBytes, int stream, House house, boolean small, int age) {
      this.start = start;
      this.bytes = bytes;
      this.pageBytes = pageBytes;
      this.stream = stream;
      this.house = house;
      this.small = small;
      this.age = age;
    }

    boolean grows() {
      return pageBytes > 0;
    }
  }

  /** A pool of either kind: the default one or a private one. */
  private static final class House {
    final int number;
    final Kind kind;
    boolean isGivenUp;
    int driverCalls;
    long lookups;

    House(int number, Kind kind) {
      this.number = number;
      this.kind = kind;
    }
  }

  private static final class Piece {
    final Land land;
    long start;
    long bytes;
    State state;
    int holder = -1;
    long lookupsBefore;

    Piece(Land land, long start, long bytes, State state) {
      this.land = land;
      this.start = start;
      this.bytes = bytes;
      this.state = state;
    }
  }

  private static final class Use {
    final Piece piece;
    final int stream;
    long rank;
    boolean isOver;
    boolean isAwaited;

    Use(Piece piece, int stream) {
      this.piece = piece;
      this.stream = stream;
    }
  }

  private static final long MIB = 1L << 20;
  private static final Kind ORDINARY = new Kind(false, false, false);

  private final Rules rules;
  private final DeviceMemory driver;
  private final Comparator<Piece> order;
  private final List<Piece> pieces = new ArrayList<>();
  private final TreeMap<Integer, Kind> kinds = new TreeMap<>();
  private final TreeMap<Integer, House> houses = new TreeMap<>();
  private final House ground = new House(0, ORDINARY);

  /** Uses on other streams; those that are awaited stand in the order of the frees. */
  private final List<Use> uses = new ArrayList<>();

  private int lands;
  long reservedBytes;
  int failures;
  int retries;
  int synchronisations;
  int rejections;
  long privateFreeBytesAtFailure;

  PieceModel(Rules rules, DeviceMemory driver) {
    this.rules = rules;
    this.driver = driver;
    Comparator<Piece> bySize =
        Comparator.<Piece>comparingInt(piece -> piece.land.stream)
            .thenComparingLong(piece -> piece.bytes);
    order =
        (rules.minor() >= 13 ? bySize.thenComparingInt(piece -> piece.land.age) : bySize)
            .thenComparingLong(piece -> piece.start);
  }

  void definePool(int number, Kind kind) {
    kinds.put(number, kind);
  }

  // Requests (sections 2.1 to 2.8)

  /** The address, 0 for no bytes, −1 where the request failed. */
  long allocate(int holder, long askedBytes, int stream, int pool) {
    if (askedBytes == 0) {
      return 0;
    }
    if (askedBytes >= 1L << 60) {
      rejections++;
      return -1;
    }
    boolean inCapture = pool != 0 && rules.minor() < 13;
    if (!inCapture || rules.reuseInCaptures()) {
      seeWhatIsOver();
    }
    long bytes = rounded(askedBytes);
    boolean small = bytes <= MIB;
    House house = ground;
    if (pool != 0) {
      house =
          houses.computeIfAbsent(
              pool, number -> new House(number, kinds.getOrDefault(number, ORDINARY)));
      house.isGivenUp = false;
    }
    boolean grows =
        rules.expandable() && (pool == 0 || (rules.minor() >= 6 && !house.kind.ownAllocator()));
    boolean splitsFinely =
        small || grows || (rules.expandable() && pool != 0 && rules.minor() < 10);
    Piece piece = find(house, small, stream, bytes, grows);
    if (piece == null) {
      long landBytes = landBytes(bytes);
      if (rules.rejectsBeyondDevice()
          && rules.limitBytes() < 0
          && reservedBytes + landBytes > driver.totalBytes()) {
        rejections++;
        return -1;
      }
      releaseOld();
      piece = obtain(house, small, stream, bytes, grows);
      if (piece == null && pool == 0) {
        for (House other : houses.values()) {
          if (piece == null && other.kind.servesOnOom() && !other.isGivenUp) {
            piece = find(other, small, stream, bytes, false);
            splitsFinely = piece == null ? splitsFinely : small;
          }
        }
      }
      if (piece == null && releaseOversize(house, small, stream, bytes)) {
        piece = obtain(house, small, stream, bytes, grows);
      }
      if (piece == null && !inCapture) {
        emptyCache();
        retries++;
        piece = obtain(house, small, stream, bytes, grows);
      }
      if (piece == null) {
        failures++;
        privateFreeBytesAtFailure =
            pieces.stream()
                .filter(each -> each.state == State.FREE && houses.containsValue(each.land.house))
                .mapToLong(each -> each.bytes)
                .sum();
        return -1;
      }
    }
    long restBytes = piece.bytes - bytes;
    boolean splits =
        splitsFinely ? restBytes >= 512 : bytes < rules.maxSplitBytes() && restBytes > MIB;
    if (splits && !piece.land.house.kind.keepsWhole()) {
      cut(piece, bytes);
    }
    piece.state = State.HELD;
    piece.holder = holder;
    return piece.start;
  }

  private long rounded(long bytes) {
    int divisions = rules.divisions();
    if (bytes < 512) {
      return 512;
    }
    if (divisions == 1 && rules.minor() < 4) {
      return bytes;
    }
    if (divisions <= 1 || bytes <= 512L * divisions) {
      return up(bytes, 512);
    }
    long power = 1;
    while (2 * power <= bytes) {
      power *= 2;
    }
    return up(bytes, power / divisions);
  }

  private long landBytes(long bytes) {
    if (bytes <= MIB) {
      return 2 * MIB;
    }
    return bytes < 10 * MIB ? rules.largeSegmentBytes() : up(bytes, 2 * MIB);
  }

  private static long up(long bytes, long unit) {
    long over = bytes % unit;
    return over == 0 ? bytes : bytes - over + unit;
  }

  private List<Piece> free(House house, boolean small) {
    List<Piece> found = new ArrayList<>();
    for (Piece piece : pieces) {
      if (piece.state == State.FREE && piece.land.house == house && piece.land.small == small) {
        found.add(piece);
      }
    }
    found.sort(order);
    return found;
  }

  private boolean collects() {
    return rules.limitBytes() >= 0 && rules.collectAbove() > 0;
  }

  private Piece find(House house, boolean small, int stream, long bytes, boolean grows) {
    if (!small) {
      house.lookups++;
    }
    List<Piece> fitting = free(house, small);
    fitting.removeIf(piece -> piece.land.stream != stream || piece.bytes < bytes);
    int at = 0;
    if (grows) {
      while (at + 1 < fitting.size()
          && fitting.get(at).land.grows()
          && reach(fitting.get(at + 1)) < reach(fitting.get(at))) {
        at++;
      }
    } else {
      while (at < fitting.size() && fitting.get(at).land.grows()) {
        at++;
      }
    }
    if (at >= fitting.size()) {
      return null;
    }
    Piece piece = fitting.get(at);
    boolean isOversize = bytes >= rules.maxSplitBytes();
    boolean fits =
        isOversize
            ? piece.bytes < bytes + rules.roundingBytes()
            : piece.bytes < rules.maxSplitBytes();
    return fits || rules.maxSplitBytes() == Long.MAX_VALUE ? piece : null;
  }

  private long reach(Piece piece) {
    Piece next = beside(piece, 1);
    return piece.bytes + (next != null && next.state == State.VOID ? next.bytes : 0);
  }

  private Piece beside(Piece piece, int step) {
    int at = pieces.indexOf(piece) + step;
    boolean exists = at >= 0 && at < pieces.size() && pieces.get(at).land == piece.land;
    return exists ? pieces.get(at) : null;
  }

  private boolean isWhole(Piece piece) {
    return piece.bytes == piece.land.bytes;
  }

  // Pieces

  /** Leaves a piece its first bytes; the rest becomes a piece of its own. */
  private Piece cut(Piece piece, long bytes) {
    Piece rest = new Piece(piece.land, piece.start + bytes, piece.bytes - bytes, piece.state);
    rest.lookupsBefore = piece.land.house.lookups;
    piece.bytes = bytes;
    pieces.add(pieces.indexOf(piece) + 1, rest);
    return rest;
  }

  /** Makes one of a piece and the neighbours that are what it is. */
  private void join(Piece piece) {
    Piece before = beside(piece, -1);
    if (before != null && before.state == piece.state) {
      piece.start = before.start;
      piece.bytes += before.bytes;
      pieces.remove(before);
    }
    Piece after = beside(piece, 1);
    if (after != null && after.state == piece.state) {
      piece.bytes += after.bytes;
      pieces.remove(after);
    }
    piece.lookupsBefore = piece.land.house.lookups;
  }

  private void place(Piece piece) {
    int at = 0;
    while (at < pieces.size() && pieces.get(at).start < piece.start) {
      at++;
    }
    pieces.add(at, piece);
  }

  private void makeFree(Piece piece) {
    piece.state = State.FREE;
    piece.holder = -1;
    join(piece);
  }

  // Memory from the driver (sections 2.7 and 4)

  private Piece obtain(House house, boolean small, int stream, long bytes, boolean grows) {
    long landBytes = landBytes(bytes);
    if (rules.limitBytes() >= 0 && reservedBytes + landBytes > rules.limitBytes()) {
      return null;
    }
    Piece piece;
    if (grows) {
      piece = extend(house, small, stream, bytes);
    } else {
      long start = driver.allocate(landBytes);
      piece =
          start == DeviceMemory.REFUSED ? null : found(start, landBytes, 0, stream, house, small);
      reservedBytes += piece == null ? 0 : landBytes;
    }
    if (piece != null) {
      house.driverCalls++;
    }
    return piece;
  }

  private Piece found(
      long start, long bytes, long pageBytes, int stream, House house, boolean small) {
    Land land = new Land(start, bytes, pageBytes, stream, house, small, lands++);
    Piece piece = new Piece(land, start, bytes, pageBytes > 0 ? State.VOID : State.FREE);
    piece.lookupsBefore = house.lookups;
    place(piece);
    return piece;
  }

  private Piece extend(House house, boolean small, int stream, long bytes) {
    Piece piece = beginning(house, small, stream, bytes);
    if (piece == null) {
      return null;
    }
    if (piece.state == State.VOID) {
      piece = fill(piece, Math.min(bytes, piece.bytes));
    }
    while (piece != null && piece.bytes < bytes) {
      Piece next = beside(piece, 1);
      piece = fill(next, Math.min(bytes - piece.bytes, next.bytes));
    }
    return piece;
  }

  /** The first void after which, with the free piece before it, enough is in one stretch. */
  private Piece beginning(House house, boolean small, int stream, long bytes) {
    for (Piece piece : List.copyOf(pieces)) {
      boolean isCandidate =
          piece.state == State.VOID
              && piece.land.house == house
              && piece.land.small == small
              && piece.land.stream == stream;
      if (isCandidate) {
        Piece before = beside(piece, -1);
        Piece first = before != null && before.state == State.FREE ? before : piece;
        long sum = 0;
        for (Piece each = first; each != null && isNobodys(each); each = beside(each, 1)) {
          sum += each.bytes;
        }
        if (sum >= bytes) {
          return first;
        }
      }
    }
    long pageBytes = small ? 2 * MIB : rules.largeSegmentBytes();
    long total = driver.totalBytes();
    long rangeBytes = up(total + total / 8, pageBytes);
    long start = driver.reserve(rangeBytes, pageBytes, stream);
    return start == DeviceMemory.REFUSED
        ? null
        : found(start, rangeBytes, pageBytes, stream, house, small);
  }

  private static boolean isNobodys(Piece piece) {
    return piece.state == State.VOID || piece.state == State.FREE;
  }

  private Piece fill(Piece piece, long neededBytes) {
    long pageBytes = piece.land.pageBytes;
    long bytes = up(neededBytes, pageBytes);
    if (!driver.map(piece.start, bytes, pageBytes)) {
      return null;
    }
    reservedBytes += bytes;
    if (bytes < piece.bytes) {
      cut(piece, bytes);
    }
    makeFree(piece);
    return piece;
  }

  // Memory back to the driver (sections 2.9 to 2.11 and 4.5)

  private void releaseWhole(Piece piece) {
    if (!isWhole(piece)) {
      throw new IllegalStateException("the release would free a part of a segment");
    }
    driver.free(piece.start, piece.bytes);
    reservedBytes -= piece.bytes;
    piece.land.house.driverCalls--;
    pieces.remove(piece);
  }

  private void empty(Piece piece) {
    long pageBytes = piece.land.pageBytes;
    long from = up(piece.start - piece.land.start, pageBytes);
    long to = piece.start - piece.land.start + piece.bytes;
    to -= to % pageBytes;
    if (from >= to) {
      return;
    }
    Piece middle = piece;
    long leadBytes = piece.land.start + from - piece.start;
    if (leadBytes > 0) {
      middle = cut(piece, leadBytes);
      piece.lookupsBefore = piece.land.house.lookups;
    }
    if (middle.bytes > to - from) {
      cut(middle, to - from);
    }
    driver.unmap(middle.start, middle.bytes, pageBytes);
    reservedBytes -= middle.bytes;
    middle.land.house.driverCalls--;
    middle.state = State.VOID;
    join(middle);
    if (isWhole(middle)) {
      pieces.remove(middle);
      driver.unreserve(middle.start, middle.bytes);
    }
  }

  private void releaseOld() {
    if (!collects()) {
      return;
    }
    long keptBytes = (long) (rules.collectAbove() * (double) rules.limitBytes());
    long missingBytes = reservedBytes - keptBytes;
    List<Piece> whole = free(ground, false);
    whole.removeIf(piece -> !isWhole(piece));
    boolean finds = true;
    while (missingBytes > 0 && finds && !whole.isEmpty()) {
      double age = 0;
      for (Piece piece : whole) {
        age += ground.lookups - piece.lookupsBefore;
      }
      age /= whole.size();
      finds = false;
      for (Piece piece : List.copyOf(whole)) {
        if (!piece.land.grows() && ground.lookups - piece.lookupsBefore >= age) {
          finds = true;
          missingBytes -= piece.bytes;
          whole.remove(piece);
          releaseWhole(piece);
        }
      }
    }
  }

  private boolean releaseOversize(House house, boolean small, int stream, long bytes) {
    if (rules.maxSplitBytes() == Long.MAX_VALUE) {
      return false;
    }
    long neededBytes = Math.max(bytes, rules.maxSplitBytes());
    List<Piece> ofStream = free(house, small);
    ofStream.removeIf(piece -> piece.land.stream != stream);
    int at = 0;
    while (at < ofStream.size() && ofStream.get(at).bytes < neededBytes) {
      at++;
    }
    if (at < ofStream.size() && !ofStream.get(at).land.grows()) {
      releaseWhole(ofStream.get(at));
      return true;
    }
    long releasedBytes = 0;
    for (int i = at - 1; i >= 0 && releasedBytes < neededBytes; i--) {
      Piece piece = ofStream.get(i);
      if (piece.bytes < rules.maxSplitBytes()) {
        break;
      }
      if (!piece.land.grows()) {
        releasedBytes += piece.bytes;
        releaseWhole(piece);
      }
    }
    return releasedBytes >= neededBytes;
  }

  private void releaseAll(House house, boolean small) {
    List<Piece> free = free(house, small);
    for (Piece piece : free) {
      if (!piece.land.grows() && isWhole(piece)) {
        releaseWhole(piece);
      }
    }
    for (Piece piece : free) {
      if (piece.land.grows()) {
        empty(piece);
      }
    }
  }

  void emptyCache() {
    waitFor(null);
    releaseAll(ground, false);
    releaseAll(ground, true);
    for (House house : List.copyOf(houses.values())) {
      if (house.isGivenUp) {
        releaseGivenUp(house);
      }
    }
  }

  private void releaseGivenUp(House house) {
    releaseAll(house, true);
    releaseAll(house, false);
    if (house.driverCalls == 0) {
      houses.remove(house.number);
    }
  }

  void giveUpPool(int number) {
    House house = houses.get(number);
    if (house != null) {
      house.isGivenUp = true;
    }
  }

  void emptyPool(int number) {
    House house = houses.get(number);
    if (house == null) {
      synchronisations++;
    } else if (house.isGivenUp) {
      waitFor(house);
      releaseGivenUp(house);
    }
  }

  // Frees and uses on other streams (section 3)

  private Piece heldBy(int holder) {
    for (Piece piece : pieces) {
      if (piece.holder == holder) {
        return piece;
      }
    }
    return null;
  }

  void free(int holder) {
    Piece piece = heldBy(holder);
    if (piece == null) {
      return;
    }
    List<Use> itsUses = uses.stream().filter(use -> use.piece == piece).toList();
    if (itsUses.isEmpty()) {
      makeFree(piece);
      return;
    }
    piece.state = State.PENDING;
    // Awaited uses stand behind all that were awaited before.
    uses.removeAll(itsUses);
    for (Use use : itsUses) {
      use.isAwaited = true;
      uses.add(use);
    }
  }

  void use(int holder, int stream, long rank) {
    Piece piece = heldBy(holder);
    if (piece == null || piece.land.stream == stream) {
      return;
    }
    Use use = null;
    for (Use known : uses) {
      if (known.piece == piece && known.stream == stream) {
        use = known;
      }
    }
    if (use == null) {
      use = new Use(piece, stream);
      uses.add(use);
    }
    use.rank = rank;
    use.isOver = false;
  }

  /** The uses of one allocation are over, on one stream or, where it is negative, on all. */
  void useIsOver(int holder, int stream) {
    for (Use use : uses) {
      use.isOver |= use.piece.holder == holder && (stream < 0 || use.stream == stream);
    }
  }

  void synchronize() {
    uses.forEach(use -> use.isOver = true);
  }

  private void seeWhatIsOver() {
    while (true) {
      Use next = null;
      List<Integer> heldUp = new ArrayList<>();
      for (Use use : uses) {
        if (use.isAwaited && !use.isOver) {
          heldUp.add(use.stream);
        } else if (use.isAwaited && !heldUp.contains(use.stream)) {
          next = next == null || use.rank < next.rank ? use : next;
        }
      }
      if (next == null) {
        return;
      }
      int stream = next.stream;
      see(
          uses.stream()
              .filter(use -> use.isAwaited && use.stream == stream)
              .findFirst()
              .orElseThrow());
    }
  }

  private void see(Use use) {
    uses.remove(use);
    if (uses.stream().noneMatch(other -> other.piece == use.piece)) {
      makeFree(use.piece);
    }
  }

  private void waitFor(House only) {
    synchronisations++;
    uses.stream()
        .filter(use -> use.isAwaited && (only == null || use.piece.land.house == only))
        .sorted(Comparator.comparingLong(use -> use.rank))
        .toList()
        .forEach(this::see);
  }

  /** Every piece of memory: address, bytes, state. */
  String layout() {
    StringBuilder text = new StringBuilder();
    for (Piece piece : pieces) {
      if (piece.state != State.VOID) {
        text.append(piece.start).append(' ').append(piece.bytes).append(' ');
        text.append(piece.state).append(' ').append(piece.land.house.number).append('\n');
      }
    }
    return text.toString();
  }
}
