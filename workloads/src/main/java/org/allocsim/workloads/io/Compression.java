package org.allocsim.workloads.io;

import com.github.luben.zstd.ZstdInputStream;
import com.github.luben.zstd.ZstdOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.HexFormat;
import java.util.Locale;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.tukaani.xz.LZMA2Options;
import org.tukaani.xz.XZInputStream;
import org.tukaani.xz.XZOutputStream;

/**
 * How a file is compressed. A file that is read shows it by its first bytes, never by its name; for
 * a file that is written the name decides.
 */
public enum Compression {
  /** Not compressed. */
  NONE("none", ""),
  /** gzip (RFC 1952), also several members in a row. */
  GZIP("gzip", "1f8b"),
  /** xz, also several streams in a row. */
  XZ("xz", "fd377a585a00"),
  /** Zstandard (RFC 8878), also several frames in a row. */
  ZSTD("zstd", "28b52ffd");

  /** Length of the longest signature. */
  static final int SIGNATURE_BYTES = 6;

  /** Maximum memory a decoder may take for its dictionary, in KiB; xz -9 needs 65 MiB. */
  private static final int XZ_MEMORY_KIB = 160 << 10;

  /** Largest window of a zstd frame, as a power of two: 128 MiB, the format's usual limit. */
  private static final int ZSTD_WINDOW_LOG = 27;

  private static final int BUFFER_BYTES = 1 << 16;

  private static final int XZ_LEVEL = 6;

  private final String label;

  /** First bytes of a file, in hexadecimal. */
  private final String signature;

  Compression(String label, String signature) {
    this.label = label;
    this.signature = signature;
  }

  /** Name of the format for messages. */
  public String label() {
    return label;
  }

  /** The compression of a file that starts with these bytes. */
  public static Compression of(byte[] start, int length) {
    String hex = HexFormat.of().formatHex(start, 0, Math.min(length, SIGNATURE_BYTES));
    for (Compression compression : values()) {
      if (compression != NONE && hex.startsWith(compression.signature)) {
        return compression;
      }
    }
    return NONE;
  }

  /** The compression that the ending of a file's name stands for. */
  public static Compression ofName(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    if (lower.endsWith(".gz")) {
      return GZIP;
    }
    if (lower.endsWith(".xz")) {
      return XZ;
    }
    return lower.endsWith(".zst") ? ZSTD : NONE;
  }

  /** The name without the ending that stands for a compression. */
  public static String plainName(String name) {
    return ofName(name) == NONE ? name : name.substring(0, name.lastIndexOf('.'));
  }

  /** A stream that compresses what is written; closing it finishes the file. */
  public OutputStream encode(OutputStream compressed) throws IOException {
    return switch (this) {
      case NONE -> compressed;
      case GZIP -> new GZIPOutputStream(compressed, BUFFER_BYTES);
      case XZ -> new XZOutputStream(compressed, new LZMA2Options(XZ_LEVEL));
      case ZSTD -> new ZstdOutputStream(compressed);
    };
  }

  /** A stream of the plain bytes. */
  InputStream decode(InputStream compressed) throws IOException {
    return switch (this) {
      case NONE -> compressed;
      case GZIP -> new GZIPInputStream(compressed, BUFFER_BYTES);
      case XZ -> new XZInputStream(compressed, XZ_MEMORY_KIB);
      case ZSTD -> new ZstdInputStream(compressed).setLongMax(ZSTD_WINDOW_LOG);
    };
  }
}
