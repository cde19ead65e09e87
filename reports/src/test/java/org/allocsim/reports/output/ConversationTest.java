package org.allocsim.reports.output;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class ConversationTest {
  /** Says what it was asked, and ends with the number of arguments. */
  private static int echo(PrintWriter out, PrintWriter err, String... arguments) {
    out.println(String.join("|", arguments));
    err.print("\"said\"");
    return arguments.length;
  }

  private static String hold(String lines) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    int exitCode =
        new Conversation(ConversationTest::echo)
            .hold(new ByteArrayInputStream(lines.getBytes(StandardCharsets.UTF_8)), out);
    assertEquals(ExitCodes.DONE, exitCode);
    return out.toString(StandardCharsets.UTF_8);
  }

  @Test
  void eachLineIsACommandLineAndGetsALine() throws IOException {
    assertEquals(
        """
        {"exit_code":2,"out":"peak|ä\\nb\\n","err":"\\"said\\""}
        {"exit_code":0,"out":"\\n","err":"\\"said\\""}
        """,
        hold("{\"arguments\": [\"peak\", \"ä\\nb\"]}\n{\"arguments\": []}\n"));
    assertEquals("", hold(""));
  }

  @Test
  void otherLinesAreRefused() {
    for (String line :
        new String[] {"peak", "{}", "{\"arguments\": [1]}", "{\"arguments\": \"a\"}"}) {
      assertThrows(IOException.class, () -> hold(line + "\n"), line);
    }
  }
}
