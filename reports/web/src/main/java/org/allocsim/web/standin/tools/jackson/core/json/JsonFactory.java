package org.allocsim.web.standin.tools.jackson.core.json;

import java.nio.charset.StandardCharsets;
import org.allocsim.web.standin.tools.jackson.core.JsonParser;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;

/** Makes readers of JSON. */
public final class JsonFactory {
  private final StreamReadConstraints constraints;

  /** Makes readers that refuse what these constraints do not allow. */
  public JsonFactory(StreamReadConstraints constraints) {
    this.constraints = constraints;
  }

  /** The start of another maker. */
  public static JsonFactoryBuilder builder() {
    return new JsonFactoryBuilder();
  }

  /** A reader of a text in UTF-8. */
  public JsonParser createParser(ObjectReadContext context, byte[] text) {
    return createParser(context, new String(text, StandardCharsets.UTF_8));
  }

  /** A reader of a text. */
  public JsonParser createParser(ObjectReadContext context, String text) {
    return new JsonParser(text, constraints);
  }
}
