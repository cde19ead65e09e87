package org.allocsim.reports.html;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.allocsim.reports.document.Column;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.document.Table;
import org.allocsim.reports.document.Unit;

/**
 * What the page needs to know of a table beyond its figures, which it takes from the JSON: columns
 * with their units and explanations, and the words that stand for figures.
 */
final class PageTable {
  private PageTable() {}

  /**
   * The tables of a document that the page's program draws as one, which can be sorted: the first
   * whose rows are in the JSON, and others with its columns.
   */
  static List<Table<?>> drawn(Document<?> document) {
    List<Table<?>> tables =
        document.tables().stream().filter(table -> table.pointer() != null).toList();
    return tables.stream()
        .filter(table -> table.shape().equals(tables.getFirst().shape()))
        .toList();
  }

  static <R> Map<String, Object> of(Table<R> table) {
    Column<R> naming = table.naming();
    // Also what has no key: a page shows what the terminal does.
    List<Column<R>> columns = new ArrayList<>(table.shape().columns());
    columns.removeIf(column -> column.label() == null || column.equals(naming));
    List<Object> rows = new ArrayList<>();
    for (R row : table.rows()) {
      Map<String, Object> about = new LinkedHashMap<>();
      about.put("name", table.name(row));
      String why = table.skipped().apply(row);
      about.put("why", why);
      about.put("group", table.group().apply(row));
      Map<String, Object> words = new LinkedHashMap<>();
      if (why == null) {
        columns.stream()
            .filter(column -> column.isWorded() || column.key() == null)
            .forEach(column -> words.put(column.name(), column.text(row)));
      }
      about.put("words", words);
      rows.add(about);
    }
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("pointer", table.pointer());
    map.put("first", naming.label());
    map.put("columns", columns.stream().map(PageTable::column).toList());
    map.put("rows", rows);
    return map;
  }

  private static Map<String, Object> column(Column<?> column) {
    Map<String, Object> map = new LinkedHashMap<>();
    Unit unit = column.unit();
    map.put("key", column.name());
    map.put("shown", column.key() == null);
    map.put("label", column.label());
    map.put("note", column.explanation());
    map.put(
        "unit", column.isWorded() || unit == null ? "text" : unit.name().toLowerCase(Locale.ROOT));
    map.put("optional", column.isOptional());
    map.put("worded", column.isWorded() || column.key() == null);
    return map;
  }
}
