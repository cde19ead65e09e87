package org.allocsim.web;

import java.nio.file.Path;
import java.util.List;

/** A browser that someone visits the page with. */
interface Visitor extends AutoCloseable {
  /** Opens what a server has at an address. */
  void visit(String address);

  /** Gives the page this many pixels. */
  void resize(int width, int height);

  /** Has a script run in every page before its own. */
  void beforeEachPage(String script);

  /** What a script returns: null, a boolean, a number, a text, or a list or map of them. */
  Object run(String script, Object... arguments);

  /** As {@link #run}, where the script calls its last argument with what it found. */
  Object await(String script, Object... arguments);

  /** Waits until an expression is true. */
  void until(String condition);

  /** Clicks an element, as with a mouse. */
  void click(String selector);

  /** Writes into a field. */
  void type(String selector, String text);

  /** Chooses a file, as in the dialogue of a field for files. */
  void choose(String selector, Path file);

  /** Complaints of the browser about the page since the last call, in a line each. */
  List<String> complaints();

  /** What axe-core finds that is serious or critical, as JSON. */
  String accessibilityFaults();

  /** What an element shows. */
  default String text(String selector) {
    return (String) run("return document.querySelector(arguments[0]).innerText.trim()", selector);
  }

  /** Whether a reader sees an element. */
  default boolean isShown(String selector) {
    return (Boolean) run("return document.querySelector(arguments[0]).checkVisibility()", selector);
  }

  @Override
  void close();
}
