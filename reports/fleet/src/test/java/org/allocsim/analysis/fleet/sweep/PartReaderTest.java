package org.allocsim.analysis.fleet.sweep;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class PartReaderTest {
  private static final int FILES = 100;

  @TempDir private Path folder;

  /** Files of this machine, whose first reads wait until many are open. */
  private static final class SlowStorage implements FleetStorage {
    private static final long serialVersionUID = 1L;
    private final LocalStorage local = new LocalStorage();
    private final transient CountDownLatch open = new CountDownLatch(PartReader.AHEAD);

    @Override
    public Optional<FleetFile> file(String name) throws IOException {
      return local.file(name);
    }

    @Override
    public boolean isFolder(String name) throws IOException {
      return local.isFolder(name);
    }

    @Override
    public List<FleetFile> walk(String name) throws IOException {
      return local.walk(name);
    }

    @Override
    public LocalFile fetch(FleetFile file) throws IOException {
      return local.fetch(file);
    }

    @Override
    public InputStream read(String name) throws IOException {
      open.countDown();
      try {
        assertTrue(open.await(1, TimeUnit.MINUTES), "parts are opened one after the other");
      } catch (InterruptedException e) {
        throw new IOException(e);
      }
      return local.read(name);
    }

    @Override
    public void write(String name, Content content) throws IOException {
      local.write(name, content);
    }
  }

  private SweepJob job(FleetStorage storage) {
    SweepRequest request =
        new SweepRequest(
            "pytorch",
            List.of(),
            List.of("t4"),
            List.of(),
            null,
            null,
            SweepRequest.RECORDED,
            false,
            null,
            null,
            "test");
    return new SweepJob(request, storage, folder.toString());
  }

  private static List<FleetFile> written(SweepJob job, int count) throws IOException {
    List<FleetFile> files = new ArrayList<>();
    for (int file = 0; file < FILES; file++) {
      files.add(new FleetFile("trace" + file, file, 0));
      if (file < count) {
        new TracePart(job.context(), "", files.get(file), "", 0, List.of())
            .write(job.storage(), job.out());
      }
    }
    return files;
  }

  @Test
  @Timeout(120)
  void manyPartsAreOpenAtOnceAndComeInTheirOrder() throws IOException {
    SweepJob job = job(new SlowStorage());
    List<FleetFile> files = written(job, FILES);
    List<FleetFile> read = new ArrayList<>();
    try (PartReader parts = new PartReader(job, files)) {
      for (TracePart part = parts.next(); part != null; part = parts.next()) {
        read.add(part.file());
      }
      assertNull(parts.next());
    }
    assertEquals(files, read);
  }

  @Test
  void aPartThatHasGoneIsNamed() throws IOException {
    SweepJob job = job(new LocalStorage());
    List<FleetFile> files = written(job, 40);
    try (PartReader parts = new PartReader(job, files)) {
      for (int part = 0; part < 40; part++) {
        assertEquals(files.get(part), parts.next().file());
      }
      assertEquals(
          "the finished runs of trace40 have gone",
          assertThrows(IOException.class, parts::next).getMessage());
    }
  }
}
