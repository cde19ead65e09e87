package org.allocsim.web.standin.tools.jackson.core.json;

import org.allocsim.web.standin.tools.jackson.core.TSFBuilder;

/** What a reader refuses. */
public final class JsonFactoryBuilder extends TSFBuilder {
  JsonFactoryBuilder() {}

  /** A maker of such readers. */
  @Override
  public JsonFactory build() {
    return super.build();
  }
}
