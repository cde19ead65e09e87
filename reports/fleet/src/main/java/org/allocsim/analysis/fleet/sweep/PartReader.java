package org.allocsim.analysis.fleet.sweep;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Iterator;
import java.util.Queue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * The parts of a sweep in the order of their traces. Some are read ahead: storage that takes long
 * to open a file serves many at once.
 */
final class PartReader implements AutoCloseable {
  /** Parts that are read or wait for their turn. */
  static final int AHEAD = 32;

  private final SweepJob job;
  private final Iterator<FleetFile> files;
  private final ExecutorService readers = Executors.newVirtualThreadPerTaskExecutor();
  private final Queue<Future<TracePart>> ahead = new ArrayDeque<>();

  PartReader(SweepJob job, Collection<FleetFile> files) {
    this.job = job;
    this.files = files.iterator();
  }

  /**
   * The next part; null after the last.
   *
   * @throws IOException where storage fails, or the part is missing
   */
  @Nullable TracePart next() throws IOException {
    while (ahead.size() < AHEAD && files.hasNext()) {
      FleetFile file = files.next();
      ahead.add(readers.submit(() -> read(file)));
    }
    Future<TracePart> next = ahead.poll();
    if (next == null) {
      return null;
    }
    try {
      return next.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException failed) {
        throw failed;
      }
      throw new IllegalStateException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException();
    }
  }

  private TracePart read(FleetFile file) throws IOException {
    return TracePart.read(job.storage(), job.out(), job.context(), file.name())
        .filter(TracePart::hasRequestedRows)
        .orElseThrow(() -> new IOException("the finished runs of " + file.name() + " have gone"));
  }

  @Override
  public void close() {
    readers.shutdownNow();
  }
}
