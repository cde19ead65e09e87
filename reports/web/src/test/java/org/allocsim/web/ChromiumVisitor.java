package org.allocsim.web;

import java.nio.file.Path;
import java.util.List;
import org.allocsim.reports.cli.Browser;

/** Chromium, driven by Selenium. */
final class ChromiumVisitor implements Visitor {
  private final Browser browser = Browser.start();

  @Override
  public void visit(String address) {
    browser.visit(address);
  }

  @Override
  public void resize(int width, int height) {
    browser.resize(width, height);
  }

  @Override
  public void beforeEachPage(String script) {
    browser.beforeEachPage(script);
  }

  @Override
  public Object run(String script, Object... arguments) {
    return browser.run(script, arguments);
  }

  @Override
  public Object await(String script, Object... arguments) {
    return browser.await(script, arguments);
  }

  @Override
  public void until(String condition) {
    browser.until(condition);
  }

  @Override
  public void click(String selector) {
    browser.click(selector);
  }

  @Override
  public void type(String selector, String text) {
    browser.type(selector, text);
  }

  @Override
  public void choose(String selector, Path file) {
    browser.type(selector, file.toString());
  }

  @Override
  public List<String> complaints() {
    return browser.complaints();
  }

  @Override
  public String accessibilityFaults() {
    return browser.accessibilityFaults().toString();
  }

  @Override
  public void close() {
    browser.close();
  }
}
