package org.allocsim.analysis.serving;

import org.allocsim.analysis.serving.kvcache.CacheCallLog;
import org.allocsim.analysis.serving.kvcache.CacheLayout;

/**
 * A cache's calls of the driver in one serving of requests.
 *
 * @param layout what it takes at the start
 * @param calls what it asked for then
 * @param result how it served
 */
public record CacheRecording(CacheLayout layout, CacheCallLog calls, ServingResult result) {}
