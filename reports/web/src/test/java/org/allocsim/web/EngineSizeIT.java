package org.allocsim.web;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;

/** The engine is small enough for a page that is visited once. */
class EngineSizeIT {
  private static final int MAX_BYTES = 630_000;

  @Test
  void theEngineIsAtMost630KilobytesPacked() throws IOException {
    Path engine = Path.of(System.getProperty("allocsim.site"), "engine.wasm");
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (OutputStream out = new Smallest(packed)) {
      Files.copy(engine, out);
    }
    assertTrue(packed.size() <= MAX_BYTES, packed.size() + " bytes");
  }

  private static final class Smallest extends GZIPOutputStream {
    Smallest(OutputStream out) throws IOException {
      super(out);
      def.setLevel(Deflater.BEST_COMPRESSION);
    }
  }
}
