package org.allocsim.web;

/** The page in Firefox. */
class WebPageFirefoxIT extends WebPageContract {
  @Override
  Visitor open() {
    return new FirefoxVisitor();
  }
}
