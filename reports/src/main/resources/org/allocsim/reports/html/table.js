/* The table of results: every figure comes from the JSON that the command writes. */

const seconds = (value) => (value === null || value === undefined ? '–' : durationText(value * 1e9));

/** Whether some request of a run failed. */
const failsRequests = (row) => row.failed_requests > 0 || row.passes === false;

const missing = (value) => value === null || value === undefined;

/** How a value of each unit is written. */
const UNIT_TEXTS = {
  bytes: bytesText,
  nanos: (value) => (missing(value) ? '–' : durationText(value)),
  seconds,
  count: countText,
  ratio: percentText,
  number: (value) => (missing(value) ? '–' : value.toFixed(2)),
  mean_bytes: bytesText,
  rate: (value) => (missing(value) ? '–' : (value / 1e6).toFixed(2) + ' M/s'),
  flag: (value) => (missing(value) ? '–' : value ? 'yes' : 'no'),
  text: (value) => (missing(value) ? '–' : value),
};

/** The value at a JSON Pointer. */
const valueAt = (tree, pointer) => pointer.split('/').slice(1).reduce((value, key) => value[key], tree);

/** The rows and columns of tables that describe themselves. */
function describedView(tables, isAlone) {
  const about = new Map();
  const words = (row) => about.get(row).words;
  return {
    isAlone,
    rows: (results, number) => {
      const rows = valueAt(results, tables[number].pointer);
      tables[number].rows.forEach((each, i) => about.set(rows[i], each));
      return rows;
    },
    isRun: (row) => about.get(row).why === null,
    group: (row) => about.get(row).group,
    why: (row) => about.get(row).why,
    name: (row) => about.get(row).name,
    // A setting of PyTorch says enough without the policy's name.
    shortName: (row) => (row.options && row.options.conf) || about.get(row).name,
    first: tables[0].first,
    columns: tables[0].columns.map((column) => ({
      ...column,
      bar: ['peak_reserved_bytes', 'measured_peak_bytes'].includes(column.key),
      value: column.shown ? (row) => words(row)[column.key] : undefined,
      wide: column.worded || column.unit === 'text',
      text: column.worded ? (value, row) => words(row)[column.key] : UNIT_TEXTS[column.unit],
    })),
  };
}

/** Length of a whole bar: the maximum, unless a few values would leave the others no room. */
function barScale(values) {
  const sorted = values.filter((value) => value > 0).sort((a, b) => a - b);
  if (!sorted.length) return 1;
  const typical = 3 * sorted[Math.floor((sorted.length - 1) / 2)];
  return sorted.at(-1) > typical ? uncutNear(typical, sorted) : sorted.at(-1);
}

/** A scale that cuts no bar that is only a little longer. */
function uncutNear(scale, values) {
  return values
    .slice()
    .sort((a, b) => a - b)
    .reduce((reached, value) => (value > reached && value <= 1.3 * reached ? value : reached), scale);
}

/** Lets readers sort a table whose rows the page came with; cells without a value come last. */
function makeSortable(table) {
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const headings = [...table.tHead.rows[0].cells].filter((cell) => rows.length > 1 && !cell.querySelector('.unseen'));
  const sort = (heading) => {
    const isUpwards = heading.getAttribute('aria-sort') !== 'ascending';
    const isOfNumbers = rows.some((row) => row.cells[heading.cellIndex].dataset.value !== undefined);
    const value = (row) => {
      const cell = row.cells[heading.cellIndex];
      if (!isOfNumbers) return cell.textContent;
      return cell.dataset.value === undefined ? null : Number(cell.dataset.value);
    };
    const order = (a, b) => {
      const [x, y] = [value(a), value(b)];
      if (x === null || y === null) return Number(x === null) - Number(y === null);
      return (isUpwards ? 1 : -1) * (x < y ? -1 : x > y ? 1 : 0);
    };
    body.append(...rows.slice().sort(order));
    for (const each of headings) {
      const arrow = each !== heading ? '' : isUpwards ? ' ▲' : ' ▼';
      each.setAttribute('aria-sort', each !== heading ? 'none' : isUpwards ? 'ascending' : 'descending');
      each.firstChild.textContent = each.firstChild.dataset.label + arrow;
    }
  };
  for (const heading of headings) {
    const label = heading.textContent;
    heading.setAttribute('aria-sort', 'none');
    heading.replaceChildren(
      element('button', { type: 'button', dataset: { label }, title: heading.title, onclick: () => sort(heading) }, label),
    );
  }
}

class ResultTable {
  constructor(table, view, onPick) {
    this.table = table;
    this.view = view;
    this.onPick = onPick;
    this.sorted = null;
  }

  /** `tags` has a word about some rows; only some are in sight at first. */
  show(rows, recorded, tags, isShown) {
    this.tags = tags;
    this.isShown = isShown;
    this.rows = rows.map((row, number) => ({ row, number }));
    this.recorded = recorded;
    this.columns = this.view.columns.filter(
      (column) => !column.optional || rows.some((row) => row[column.key] !== null && row[column.key] !== undefined),
    );
    this.table.classList.toggle('many', this.columns.length > 10);
    this.most = barScale(
      rows.filter((_, number) => isShown(number)).flatMap((row) => this.columns.filter((c) => c.bar).map((c) => row[c.key] || 0)),
    );
    /** What the parts of bars show. */
    this.parts = rows.some((row) => row.slack_at_peak_bytes || row.rounding_at_peak_bytes);
    this.render();
  }

  value(column, row) {
    return column.value ? column.value(row) : row[column.key];
  }

  sort(column) {
    const isSame = this.sorted && this.sorted.column === column;
    this.sorted = { column, descending: isSame ? !this.sorted.descending : false };
    this.render();
    this.table.querySelectorAll('thead button')[column + 1].focus();
  }

  ordered() {
    if (!this.sorted) return this.rows;
    const { column, descending } = this.sorted;
    const value = (entry) =>
      column < 0 ? this.view.name(entry.row) : this.value(this.columns[column], entry.row);
    return this.rows.slice().sort((a, b) => {
      const runs = Number(this.view.isRun(b.row)) - Number(this.view.isRun(a.row));
      if (runs) return runs;
      const [x, y] = [value(a), value(b)];
      const order = x === y ? 0 : x === null || x === undefined ? 1 : y === null || y === undefined ? -1 : x < y ? -1 : 1;
      return (descending ? -order : order) || a.number - b.number;
    });
  }

  heading(label, place, note) {
    const isSorted = this.sorted && this.sorted.column === place;
    const arrow = isSorted ? (this.sorted.descending ? ' ▼' : ' ▲') : '';
    return element(
      'th',
      {
        scope: 'col',
        'aria-sort': isSorted ? (this.sorted.descending ? 'descending' : 'ascending') : 'none',
        className: place < 0 ? 'name' : '',
      },
      element('button', { type: 'button', title: note || '', onclick: () => this.sort(place) }, label + arrow),
    );
  }

  render() {
    const head = element(
      'tr',
      {},
      this.heading(this.view.first, -1),
      ...this.columns.map((column, i) => this.heading(column.label, i, column.note)),
    );
    const body = [];
    let group = null;
    for (const { row, number } of this.ordered()) {
      // Groups stay together as long as nobody sorts by a column.
      const own = this.sorted ? null : this.view.group(row);
      if (own && own !== group) {
        const isSpare = !this.rows.some((each) => this.view.group(each.row) === own && this.isShown(each.number));
        body.push(
          element('tr', { className: isSpare ? 'group-row spare' : 'group-row' }, element('th', { colSpan: this.columns.length + 1, scope: 'rowgroup' }, own)),
        );
        group = own;
      }
      body.push(this.line(row, number));
    }
    this.table.replaceChildren(
      this.table.caption || '',
      element('thead', {}, head),
      element('tbody', {}, ...body),
    );
    this.mark(this.picked);
  }

  line(row, number) {
    const name = this.view.name(row);
    const canShow = this.recorded.has(number);
    const label = canShow
      ? element('button', { type: 'button', className: 'pick', title: 'Show on the timeline', onclick: () => this.onPick(number) }, ...breakable(name))
      : element('span', {}, ...breakable(name));
    const tag = this.tags.get(number);
    const line = element(
      'tr', { dataset: { row: number } },
      element('th', { scope: 'row' }, label, tag ? element('span', { className: 'tag' }, tag) : null),
    );
    line.classList.toggle('spare', !this.isShown(number));
    if (!this.view.isRun(row)) {
      line.classList.add('not-run');
      line.append(element('td', { colSpan: this.columns.length }, this.view.why(row)));
      return line;
    }
    for (const column of this.columns) {
      const value = this.value(column, row);
      const cell = element(
        'td',
        { className: (column.wide ? 'wide' : '') + (column.bar ? ' barred' : ''), dataset: { key: column.key, value: JSON.stringify(value ?? null) } },
        column.text(value, row),
      );
      if (column.bar) {
        cell.title = countText(value) + ' B';
        cell.append(this.bar(row, value));
        cell.classList.toggle('beyond', value > this.most);
      }
      line.append(cell);
    }
    if (failsRequests(row)) line.classList.add('fails');
    return line;
  }

  /** A bar to the scale of the column: what was in use in its peak, rounding, and the rest. */
  bar(row, value) {
    const share = (bytes) => ((100 * bytes) / this.most).toFixed(2) + '%';
    const slack = row.slack_at_peak_bytes ?? 0;
    const rounding = row.rounding_at_peak_bytes ?? 0;
    const part = (name, bytes) => {
      const made = element('i', { className: name });
      made.style.width = share(Math.max(0, bytes));
      return made;
    };
    return element(
      'span',
      { className: 'bar', 'aria-hidden': 'true' },
      part('used', value - slack - rounding),
      part('rounding', rounding),
      part('cached', slack),
    );
  }

  mark(number) {
    this.picked = number;
    for (const line of this.table.querySelectorAll('tbody tr')) {
      const is = line.dataset.row === String(number);
      line.classList.toggle('picked', is);
      if (is) line.setAttribute('aria-current', 'true');
      else line.removeAttribute('aria-current');
    }
  }
}
