package org.allocsim.reports.html;

import java.util.Map;

/**
 * One policy's run as a page shows it; every column is deflated.
 *
 * @param about what a reader needs to know, for JSON
 * @param timeline memory over time in buckets
 * @param blocks every block and every change of what is reserved
 * @param moments what is held at the peak, at the first failed request and at the end
 */
@SuppressWarnings("ArrayRecordComponent")
public record PolicyRecording(
    Map<String, Object> about, byte[] timeline, byte[] blocks, byte[] moments) {}
