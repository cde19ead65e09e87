/* Bars that compare runs, and distributions. Their figures are those of the JSON. */

const CALL_PURPOSES = [
  { label: 'cuMemAlloc', colour: '--blue', is: (call) => call === 'cuMemAlloc' },
  { label: 'cuMemFree', colour: '--sky', is: (call) => call === 'cuMemFree' },
  { label: 'mapping', colour: '--green', is: (call) => /AddressReserve|Create|Map$|SetAccess/.test(call) },
  { label: 'unmapping', colour: '--mint', is: (call) => /Unmap|Release|AddressFree/.test(call) },
  { label: 'cuMemAllocAsync, cuMemFreeAsync', colour: '--purple', is: (call) => /Async|Trim/.test(call) },
  { label: 'waiting for the GPU', colour: '--vermillion', is: (call) => /^waiting/.test(call) },
];

const PEAK_PARTS = [
  { key: 'requested_bytes', label: 'requested', colour: '--blue' },
  { key: 'rounding_bytes', label: 'rounding', colour: '--orange' },
  { key: 'pending_free_bytes', label: 'waiting to be freed on another stream', colour: '--yellow' },
  { key: 'inactive_split_bytes', label: 'free in segments in use (stuck)', colour: '--vermillion' },
  { key: 'releasable_bytes', label: 'wholly free segments (releasable)', colour: '--sky' },
  { key: 'other_streams_bytes', label: 'free, of other streams', colour: '--purple' },
  { key: 'private_pools_bytes', label: 'free, of private pools', colour: '--green' },
  { key: 'preallocated_bytes', label: 'reserved ahead of need', colour: '--other' },
];

/** For each command, what bars show of its rows. */
const BARS = {
  compare: [
    {
      title: 'Where reserved memory goes at its peak',
      showsFailures: true,
      text: bytesText,
      parts: (row) => PEAK_PARTS.map((part) => ({ ...part, value: row.reserved_at_peak[part.key] })),
    },
    {
      title: 'Time in driver calls',
      text: (value) => seconds(value),
      parts: (row) =>
        CALL_PURPOSES.map((purpose) => ({
          ...purpose,
          value: Object.entries(row.driver_seconds_by_call)
            .filter(([call]) => purpose.is(call))
            .reduce((sum, [, value]) => sum + value, 0),
        })),
    },
  ],
  tune: [
    {
      title: 'Where reserved memory goes at its peak',
      showsFailures: true,
      text: bytesText,
      parts: (row) => [
        { label: 'allocated', colour: '--blue', value: row.peak_reserved_bytes - row.slack_at_peak_bytes },
        { label: 'slack: reserved but not allocated', colour: '--sky', value: row.slack_at_peak_bytes },
      ],
    },
    {
      title: 'Time in driver calls',
      text: (value) => seconds(value),
      parts: (row) => [{ label: 'minimum time in the driver', colour: '--purple', value: row.driver_seconds }],
    },
  ],
};

const sumOf = (parts) => parts.reduce((sum, part) => sum + part.value, 0);

/** Lying bars of the runs, one chart beside the other. */
class BarCharts {
  constructor(holder, command, view) {
    this.holder = holder;
    this.charts = BARS[command] || [];
    this.view = view;
  }

  show(rows, isShown, key) {
    const shown = rows.map((row, number) => ({ row, number })).filter(({ row, number }) => this.view.isRun(row) && isShown(number));
    this.holder.replaceChildren(
      ...(shown.length ? this.charts.map((chart) => this.chart(chart, shown, key)) : []),
    );
  }

  chart(chart, shown, key) {
    const all = shown.map(({ row }) => chart.parts(row));
    // What stands out is never cut.
    const relevant = all.filter((_, i) => key.has(shown[i].number)).map(sumOf);
    const scale = uncutNear(Math.max(barScale(all.map(sumOf)), ...relevant), all.map(sumOf));
    const used = all[0].filter((_, i) => all.some((parts) => parts[i].value > 0));
    return element(
      'figure',
      { className: 'bars' },
      element('figcaption', {}, chart.title),
      element(
        'ul',
        { className: 'legend' },
        ...used.map(({ label, colour: value }) => {
          const swatch = element('i', { className: 'swatch area' });
          swatch.style.setProperty('--swatch', `var(${value})`);
          return element('li', {}, swatch, element('span', {}, label));
        }),
      ),
      element(
        'ol',
        {},
        ...shown.map(({ row, number }) => this.line(chart, row, number, scale, key.has(number))),
      ),
    );
  }

  line(chart, row, number, scale, isKey) {
    const parts = chart.parts(row);
    const sum = sumOf(parts);
    const isCut = sum > scale;
    let left = scale;
    const strip = element('span', { className: isCut ? 'strip cut' : 'strip' });
    for (const part of parts) {
      const drawn = Math.min(left, part.value);
      left -= drawn;
      if (drawn <= 0) continue;
      const piece = element('i', {
        title: `${part.label}: ${chart.text(part.value)}`,
        dataset: { part: part.key || part.label, value: String(part.value) },
      });
      piece.style.width = ((100 * drawn) / scale).toFixed(3) + '%';
      piece.style.background = `var(${part.colour})`;
      strip.append(piece);
    }
    const fails = failsRequests(row);
    return element(
      'li',
      { className: (isKey ? 'key-run' : '') + (fails && chart.showsFailures ? ' fails' : ''), dataset: { row: number } },
      element('span', { className: 'run-name', title: this.view.name(row) }, ...breakable(this.view.shortName(row))),
      strip,
      element('span', { className: 'sum', dataset: { value: String(sum) } }, chart.text(sum) + (isCut ? ' (bar cut)' : '') + (fails && chart.showsFailures ? ', fails' : '')),
    );
  }
}

/** The lower end of a bin. */
function binLabel(bin) {
  if ('from_bytes' in bin) return axisBytes(bin.from_bytes, bin.from_bytes);
  const from = bin.from_nanos ?? bin.from_requests;
  if (from === null || from === undefined) return 'never freed';
  if (from === 0) return '0';
  return typeof bin.from_nanos === 'number' ? shortDuration(from) : countText(from);
}

/** 20 µs: whole numbers of the largest unit. */
function shortDuration(nanos) {
  const units = ['ns', 'µs', 'ms', 's'];
  if (nanos === 0) return '0';
  let unit = 0;
  let value = nanos;
  while (unit < 3 && value >= 1000) {
    value /= 1000;
    unit++;
  }
  return `${value} ${units[unit]}`;
}

/** How many allocations there are in each bin, and what they come to. */
class Distribution {
  constructor(holder, title, quantity) {
    this.holder = holder;
    this.title = title;
    this.quantity = quantity;
    new ResizeObserver(() => this.draw()).observe(holder);
  }

  show(bins) {
    this.bins = bins;
    this.width = 0;
    this.draw();
  }

  restyle() {
    this.width = 0;
    this.draw();
  }

  draw() {
    const width = this.holder.clientWidth;
    if (!this.bins || !this.bins.length || width === 0 || Math.abs(width - this.width) < 2) return;
    this.width = width;
    const labels = this.bins.map(binLabel);
    const x = labels.map((_, i) => i);
    this.plots = [
      this.plot('number', width, x, this.bins.map((bin) => bin.allocations), labels, '--blue', {
        splits: (u, axis, min, max) => countTicks(max),
        values: (u, ticks) => ticks.map(countText),
        size: AXIS,
      }),
      this.plot('total size', width, x, this.bins.map((bin) => bin.requested_bytes), labels, '--orange', byteAxis(3)),
    ];
    this.holder.replaceChildren(
      element('figcaption', {}, this.title),
      ...this.plots.map(({ caption, plot }) => element('div', {}, element('p', { className: 'hint' }, caption), plot.root)),
    );
  }

  plot(name, width, x, values, labels, colourName, yAxis) {
    const top = 1.06 * Math.max(1, ...values);
    const step = Math.max(1, Math.ceil((labels.length * 58) / Math.max(100, width - AXIS)));
    const plot = new uPlot(
      {
        width,
        height: 150,
        padding: [8, 36, 0, 0],
        legend: { show: false },
        cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
        scales: {
          x: { time: false, range: () => [-0.5, labels.length - 0.5] },
          y: { range: () => [0, top] },
        },
        axes: [
          styledAxis({
            splits: () => x.filter((i) => i % step === 0),
            values: (u, ticks) => ticks.map((tick) => labels[tick]),
            grid: { show: false },
            size: 30,
          }),
          styledAxis(yAxis),
        ],
        series: [
          {},
          {
            stroke: () => colour(colourName),
            fill: () => colour(colourName),
            paths: uPlot.paths.bars({ size: [0.8, 60] }),
            points: { show: false },
          },
        ],
      },
      [x, values],
    );
    plot.root.setAttribute('role', 'img');
    plot.root.setAttribute('aria-label', `${this.title}: ${name} by ${this.quantity}`);
    return { caption: `${name} by ${this.quantity}, from`, plot };
  }
}

/** Ticks at round counts. */
function countTicks(max) {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, max / 4)));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((each) => max / each <= 5);
  const ticks = [];
  for (let tick = 0; tick <= max; tick += step) ticks.push(tick);
  return ticks;
}
