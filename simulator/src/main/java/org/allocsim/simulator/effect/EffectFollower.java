package org.allocsim.simulator.effect;

/**
 * Compares what a policy does with a recording, row by row, up to the first difference. Its
 * position is the recorded row that the policy must produce next.
 */
public final class EffectFollower extends EffectRows {
  private final EffectLog recording;
  private int position;
  private boolean diverged;

  @SuppressWarnings("NullAway.Init") // asked for only after a difference
  private EffectKind actualKind;

  private long actualAddress;
  private long actualBytes;
  private int actualStream;

  /** A follower at a row of a recording. */
  public EffectFollower(EffectLog recording, int startRow) {
    this.recording = recording;
    this.position = startRow;
  }

  /** The recorded row that comes next: all rows before it were produced as recorded. */
  public int position() {
    return position;
  }

  /** Whether the policy did something other than the recorded row at {@link #position()}. */
  public boolean hasDiverged() {
    return diverged;
  }

  /** What the policy did instead of the recorded row. */
  public EffectKind actualKind() {
    return actualKind;
  }

  /** Address of what the policy did instead. */
  public long actualAddress() {
    return actualAddress;
  }

  /** Bytes of what the policy did instead. */
  public long actualBytes() {
    return actualBytes;
  }

  /** Stream number of what the policy did instead. */
  public int actualStream() {
    return actualStream;
  }

  /** Passes over a recorded row that no request explains. */
  public void skipRow() {
    position++;
  }

  @Override
  protected void row(EffectKind kind, long address, long bytes, int stream) {
    if (diverged) {
      return;
    }
    if (position < recording.count()
        && recording.kind(position) == kind
        && recording.address(position) == address
        && recording.bytes(position) == bytes
        && (kind == EffectKind.SNAPSHOT || recording.stream(position) == stream)) {
      position++;
      return;
    }
    diverged = true;
    actualKind = kind;
    actualAddress = address;
    actualBytes = bytes;
    actualStream = stream;
  }
}
