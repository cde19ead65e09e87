package org.allocsim.web.standin.tools.jackson.core;

import org.allocsim.web.standin.tools.jackson.core.json.JsonFactory;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;

/** What a reader refuses. */
public abstract class TSFBuilder {
  private StreamReadConstraints constraints = StreamReadConstraints.defaults();

  /** Only files of the program ask for features, and those files are in order. */
  public TSFBuilder enable(StreamReadFeature feature) {
    return this;
  }

  /** Sets how long and deep a text may be. */
  public TSFBuilder streamReadConstraints(StreamReadConstraints wanted) {
    constraints = wanted;
    return this;
  }

  /** A maker of such readers. */
  public JsonFactory build() {
    return new JsonFactory(constraints);
  }
}
