/* Puts the page together. */

const THEMES = ['auto', 'light', 'dark'];

function parsed(id) {
  return JSON.parse(document.getElementById(id).textContent);
}

/** Reserved memory of all runs in one chart; the run in view stands out. */
class Overview {
  constructor(holder, caption) {
    this.holder = holder;
    this.caption = caption;
    this.picked = -1;
    new ResizeObserver(() => {
      if (this.plot) this.plot.setSize({ width: holder.clientWidth, height: 260 });
    }).observe(holder);
  }

  async show(about) {
    this.about = about;
    this.runs = [];
    for (const run of about.runs) {
      const { starts, extremes } = readBuckets(new Columns(await inflate(run.id + '-timeline')), run);
      const { least, greatest } = extremes.reserved;
      this.runs.push({ about: run, series: new BucketSeries(starts, least, greatest, about.events) });
    }
    this.draw();
  }

  draw() {
    if (!this.runs) return;
    const points = Math.min(500, this.about.events);
    const x = Array.from({ length: points }, (_, i) => (i * this.about.events) / points);
    const values = this.runs.map(({ series }) =>
      x.map((at, i) => {
        series.range(Math.floor(at), Math.floor(((i + 1) * this.about.events) / points));
        return series.max;
      }),
    );
    const peaks = values.map((column) => column.reduce((a, b) => Math.max(a, b), 0));
    // A policy that takes the whole card at once would press all others to the floor.
    const top = 1.05 * barScale(peaks);
    const hidden = peaks.filter((peak) => peak > top).length;
    this.rest =
      `Reserved memory of ${this.runs.length} runs. ` +
      (hidden ? `${hidden} of them ${hidden === 1 ? 'reaches' : 'reach'} beyond the top. ` : '');
    if (this.plot) this.plot.destroy();
    this.plot = new uPlot(
      {
        width: Math.max(200, this.holder.clientWidth),
        height: 260,
        padding: [10, 12, 0, 0],
        legend: { show: false },
        cursor: { y: false, drag: { x: false, y: false }, points: { show: false }, focus: { prox: 24 } },
        focus: { alpha: 1 },
        scales: { x: { time: false, range: () => [0, this.about.events] }, y: { range: () => [0, top] } },
        axes: [
          styledAxis({ values: (u, ticks) => ticks.map((tick) => countText(tick)), label: 'request number', size: 30, labelSize: 18 }),
          styledAxis(byteAxis(5)),
        ],
        series: [
          {},
          ...this.runs.map(({ about }) => ({
            label: about.label,
            stroke: () => colour(about.row === this.picked ? '--vermillion' : about.row === this.near ? '--blue' : '--faint-line'),
            width: about.row === this.picked ? 2.4 : 1.1,
            points: { show: false },
          })),
        ],
        hooks: {
          setSeries: [(u, place) => this.point(place)],
        },
      },
      [x, ...values],
      this.holder,
    );
    this.point(null);
  }

  point(place) {
    const run = place ? this.runs[place - 1] : null;
    const near = run ? run.about.row : -1;
    if (near !== this.near) {
      this.near = near;
      if (this.plot) this.plot.redraw(false);
    }
    const name = run || this.runs.find(({ about }) => about.row === this.picked);
    this.caption.textContent = this.rest + (name ? `${run ? 'Under the pointer (blue)' : 'In view above (red)'}: ${name.about.label}.` : '');
  }

  pick(row) {
    this.picked = row;
    this.draw();
  }
}

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
  return new uPlot(
    {
      width: Math.min(560, Math.max(240, holder.clientWidth)),
      height: 380,
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
}

function setTheme(theme) {
  if (theme === 'auto') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

async function start() {
  const data = parsed('data');
  const results = parsed('results');
  const view = VIEWS[data.command];
  const get = (id) => document.getElementById(id);
  const redraw = [];
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
  const hasRuns = data.traces.some((trace) => trace.runs.length > 0);
  const open = async (number) => {
    table.show(view.rows(results, number), new Set(runsOf(number).map((run) => run.row)));
    const isRecorded = runsOf(number).length > 0;
    get('explorer').hidden = !isRecorded;
    get('overview').hidden = !isRecorded;
    if (!isRecorded) return;
    await page.explorer.openTrace(number);
    const { opens } = data.traces[number];
    await page.explorer.openRun(opens.row);
    if (opens.other !== null) {
      document.getElementById('other').value = String(opens.other);
      await page.explorer.openOther(String(opens.other));
    }
    await page.overview.show(data.traces[number]);
  };
  if (hasRuns) {
    page.overview = new Overview(get('overview-chart'), get('overview-caption'));
    page.explorer = new Explorer(data, results, view);
    page.explorer.onRun = (row) => {
      table.mark(row);
      page.overview.pick(row);
    };
    redraw.push(() => page.explorer.restyle());
    redraw.push(() => page.overview.draw());
  }
  const choice = get('trace');
  get('trace-choice').hidden = data.traces.length < 2;
  choice.replaceChildren(
    ...data.traces.map((trace, i) => element('option', { value: String(i) }, trace.name)),
  );
  choice.addEventListener('change', () => open(Number(choice.value)));
  await open(0);
  // Two frames later all is on the screen.
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      page.openedMillis = performance.now();
      document.documentElement.dataset.ready = 'true';
    }),
  );
}

start().catch((error) => {
  const notice = document.getElementById('notice');
  notice.hidden = false;
  notice.textContent = 'The page cannot be shown: ' + error.message + '. It needs a browser of 2023 or later.';
  throw error;
});
