/* Puts the page together. */

const THEMES = ['auto', 'light', 'dark'];

function parsed(id) {
  return JSON.parse(document.getElementById(id).textContent);
}

/** Rows in sight before a reader asks for all. */
const FIRST_ROWS = 12;

/** Of an answer about one run, whose figures stand in its own parts. */
const SINGLE_RUN = { isAlone: false, group: () => null, first: '', rows: (results) => [results], columns: [], isRun: () => true, why: () => null, name: () => '', shortName: () => '' };

/** Measured against predicted peaks, with the line on which they are equal. */
function drawAgreement(holder, rows) {
  const points = rows.filter((row) => row.measured_peak_bytes > 0);
  if (!points.length) {
    holder.closest('section').hidden = true;
    return null;
  }
  const sorted = points.slice().sort((a, b) => a.predicted_peak_bytes - b.predicted_peak_bytes);
  const top = 1.08 * Math.max(...points.flatMap((row) => [row.predicted_peak_bytes, row.measured_peak_bytes]));
  const x = [0, ...sorted.map((row) => row.predicted_peak_bytes), top];
  const size = () => ({ width: Math.min(560, Math.max(240, holder.clientWidth)), height: 380 });
  const plot = new uPlot(
    {
      ...size(),
      padding: [12, 20, 0, 0],
      legend: { show: false },
      cursor: { drag: { x: false, y: false }, points: { show: false } },
      scales: { x: { time: false, range: () => [0, top] }, y: { range: () => [0, top] } },
      axes: [
        styledAxis({ splits: () => byteTicks(top, 5), values: (u, t) => t.map((v) => axisBytes(v, t[1] || v)), label: 'predicted peak', size: 30, labelSize: 18 }),
        styledAxis({ ...byteAxis(5), label: 'measured peak', labelSize: 20 }),
      ],
      series: [
        {},
        { stroke: () => colour('--ink-soft'), width: 1, dash: [5, 4], points: { show: false } },
        { stroke: () => colour('--blue'), width: 0, paths: () => null, points: { show: true, size: 9, fill: () => colour('--blue') } },
      ],
    },
    [x, x, [null, ...sorted.map((row) => row.measured_peak_bytes), null]],
    holder,
  );
  new ResizeObserver(() => plot.setSize(size())).observe(holder);
  return plot;
}

function setTheme(theme) {
  if (theme === 'auto') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

async function start() {
  const data = parsed('data');
  const results = parsed('results');
  const hasRuns = data.traces.some((trace) => trace.runs.length > 0);
  // The figures of a single run stand below its explorer.
  const hasTable = data.tables.length > 0 && !data.is_alone;
  const view = data.tables.length > 0 ? describedView(data.tables, data.is_alone) : hasRuns ? SINGLE_RUN : null;
  const get = (id) => document.getElementById(id);
  const redraw = [() => COLOURS.clear()];
  document.querySelectorAll('table.plain').forEach(makeSortable);
  get('theme').addEventListener('change', () => {
    setTheme(get('theme').value);
    redraw.forEach((call) => call());
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => redraw.forEach((call) => call()));
  let theme = 'auto';
  addEventListener('beforeprint', () => {
    theme = get('theme').value;
    setTheme('light');
    document.documentElement.classList.add('printing');
    redraw.forEach((call) => call());
  });
  addEventListener('afterprint', () => {
    setTheme(theme);
    document.documentElement.classList.remove('printing');
    redraw.forEach((call) => call());
  });
  if (get('copy')) {
    get('copy').addEventListener('click', async () => {
      await navigator.clipboard.writeText(get('paste').textContent);
      get('copy').textContent = 'Copied';
      setTimeout(() => (get('copy').textContent = 'Copy'), 2000);
    });
  }

  if (!view) {
    for (const id of ['table', 'overview', 'charts', 'agreement', 'explorer', 'views']) get(id).closest('section').hidden = true;
    document.querySelector('.help').hidden = true;
    document.documentElement.dataset.ready = 'true';
    return;
  }

  if (!hasTable) for (const id of ['table', 'charts']) get(id).closest('section').hidden = true;
  const runsOf = (number) => (data.traces[number] ? data.traces[number].runs : []);
  const table = new ResultTable(get('table'), view, (row) => {
    page.explorer.openRun(row);
    get('explorer').scrollIntoView({ behavior: 'smooth' });
  });
  const page = { data, results, table, explorer: null, overview: null };
  globalThis.allocsim = page;
  const isAgreement = data.command === 'validate';
  get('agreement').hidden = !isAgreement;
  if (isAgreement) {
    let plot = drawAgreement(get('agreement-chart'), results.cases);
    redraw.push(() => plot && plot.redraw(false));
  }
  const bars = new BarCharts(get('bars'), data.command, view);
  const distributions = [
    ['sizes', new Distribution(get('sizes'), 'Sizes of allocations', 'requested size')],
    ['lifetimes', new Distribution(get('lifetimes'), 'Lifetimes of allocations', 'time from allocation to free')],
  ];
  redraw.push(() => distributions.forEach(([, chart]) => chart.restyle()));
  page.distributions = Object.fromEntries(distributions);
  let isWhole = false;
  const showRows = (number) => {
    const rows = view.rows(results, number);
    const about = data.traces[number];
    const highlights = new Set(about ? about.highlights : []);
    const isShown = (row) => row < FIRST_ROWS || highlights.has(row);
    const spare = rows.filter((_, row) => !isShown(row)).length;
    const tags = new Map();
    if (about && about.recorded !== null) tags.set(about.recorded, 'as recorded');
    // Bars are as long as those in sight let them be.
    table.show(rows, new Set(runsOf(number).map((run) => run.row)), tags, (row) => isWhole || isShown(row));
    bars.show(rows, (row) => isWhole || isShown(row), highlights);
    get('table').classList.toggle('whole', isWhole);
    get('all-rows').hidden = spare === 0;
    get('all-rows').setAttribute('aria-pressed', String(isWhole));
    get('all-rows').textContent = isWhole ? 'Show the first rows' : `Show all ${rows.length} rows`;
    get('bar-hint').hidden = !view.columns.some((column) => column.bar);
    get('bar-parts').hidden = !table.parts;
    get('run-hint').hidden = !hasRuns;
    get('help').hidden = !hasRuns;
    get('charts').hidden = !hasTable || !bars.holder.hasChildNodes();
  };
  get('all-rows').addEventListener('click', () => {
    isWhole = !isWhole;
    showRows(Number(get('trace').value) || 0);
    if (page.explorer && page.explorer.run) table.mark(page.explorer.run.about.row);
  });
  const showDistributions = (number) => {
    const trace = (results.traces || [results])[number];
    for (const [key, chart] of distributions) {
      get(key).hidden = !trace || !(trace[key] || []).length;
      if (!get(key).hidden) chart.show(trace[key]);
    }
  };
  const open = async (number) => {
    showRows(number);
    showDistributions(number);
    const isRecorded = runsOf(number).length > 0;
    get('explorer').hidden = get('views').hidden = !isRecorded;
    // One run is shown by the timeline below.
    get('overview').hidden = !isRecorded || !hasTable || runsOf(number).length < 2;
    if (!isRecorded) return;
    await page.explorer.openTrace(number);
    const { opens } = data.traces[number];
    await page.explorer.openRun(opens.row);
    if (opens.other !== null) {
      document.getElementById('other').value = String(opens.other);
      await page.explorer.openOther(String(opens.other));
    }
    if (get('overview').hidden) return;
    const rows = view.rows(results, number);
    await page.overview.show(data.traces[number], (row) => rows[row].failed_requests ?? (rows[row].passes === false ? 1 : 0));
  };
  if (hasRuns) {
    page.explorer = new Explorer(data, results, view);
    page.overview = new Overview(
      get('overview-chart'), get('overview-legend'), get('overview-caption'), (row) => page.explorer.limitOf(row),
    );
    page.explorer.onRun = (row) => {
      table.mark(row);
    };
    page.explorer.between.fill();
    redraw.push(() => page.explorer.restyle());
    redraw.push(() => page.overview.draw());
  }
  const choice = get('trace');
  get('trace-choice').hidden = data.traces.length < 2;
  // Beside the run that it is about.
  if (data.place === 'first') {
    get('run-choice').before(get('trace-choice'));
    // As in the bar of a browser.
    document.querySelector('header .theme').before(document.querySelector('.search'));
  }
  choice.replaceChildren(
    ...data.traces.map((trace, i) => element('option', { value: String(i) }, trace.name)),
  );
  choice.addEventListener('change', () => open(Number(choice.value)));
  page.open = open;
  const state = hasRuns ? new PageState(page) : null;
  page.state = state;
  await open(0);
  if (state) {
    state.begin();
    await state.read();
  }
  // Two frames later all is on the screen.
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      page.openedMillis = performance.now();
      document.documentElement.dataset.ready = 'true';
      if (page.explorer) page.explorer.tellOpened();
    }),
  );
}

start().catch((error) => {
  const notice = document.getElementById('notice');
  notice.hidden = false;
  notice.textContent = 'The page cannot be shown: ' + error.message + '. It needs a browser from 2023 or later.';
  throw error;
});
