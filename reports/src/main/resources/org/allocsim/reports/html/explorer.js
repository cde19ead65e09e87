/* Timeline and map together: one run, one time cursor, one filter. */

/** The blocks of one moment that another does not have. */
function without(blocks, others) {
  const known = new Set(others);
  return blocks.filter((block) => !known.has(block));
}

/** How long a reader rests between two letters before the search begins. */
const TYPING_MILLIS = 60;

/** Lines, categories or stacks in the list of what is held. */
const HOLDERS_SHOWN = 10;

/** Boxes of flame graphs that are drawn anew with every step of the time cursor. */
const MANY_BOXES = 200;

class Explorer {
  constructor(data, results, view) {
    this.data = data;
    this.results = results;
    this.view = view;
    this.runs = new Map();
    this.reading = new Map();
    // What takes long waits until the page is on the screen.
    this.opened = new Promise((resume) => (this.tellOpened = resume));
    this.cursor = 0;
    /** The marked moment of each trace. */
    this.marks = [];
    this.filter = { text: '', min: null, max: null, stream: '' };
    this.get = (id) => document.getElementById(id);
    this.timeline = new Timeline(this.get('timeline'), (at) => this.moveTo(at));
    this.unused = new UnusedStrip(this.get('unused'), this.timeline);
    this.timeline.follower = this.unused;
    this.busy = new BusyStrip(this.get('busy'), this.get('busy-legend'));
    this.timeline.onLines = () => this.showValues(this.cursor);
    this.timeline.onHover = (at) => this.showValues(at ?? this.cursor, at !== null);
    this.map = new SegmentMap(this.get('map'), (what, block, segment, event) =>
      what === 'choose' ? this.choose(block) : this.showTip(block, segment, event),
    );
    this.layers = new LayerPicture(this.get('layer-legend'), this.timeline);
    this.track = new StepTrack(this.get('track'), this.timeline, (from, to) => this.timeline.clampView(from, to));
    this.flame = new FlameGraph(this.get('flame'), this.get('flame-facts'));
    this.between = new RunDifference(this);
    this.events = new EventList(this, this.get('events'), this.get('event-facts'));
    this.timeline.onDraw = () => {
      this.layers.schedule();
      this.track.draw();
    };
    this.listen();
  }

  /** Shows another trace, with its first run. */
  async openTrace(number) {
    this.number = number;
    this.about = this.data.traces[number];
    this.rows = this.view.rows(this.results, number);
    this.known = this.results.traces?.[number] ?? this.results;
    this.trace = await Trace.load(number, this.about);
    this.runs.clear();
    this.fillChoices();
    this.get('filter-stream').replaceChildren(
      element('option', { value: '' }, 'all streams'),
      ...this.trace.streams.map((s) => element('option', { value: String(s) }, this.trace.streamName(s))),
    );
    const hasStacks = this.about.stacks.some((stack) => stack !== '');
    this.get('colour').value = this.map.scheme = hasStacks ? 'line' : 'age';
    this.get('layer-by').value = this.layers.by = hasStacks ? 'line' : 'category';
    this.get('axis').disabled = !this.trace.isTimed;
    this.get('axis').value = 'event';
    this.timeline.steps = this.about.steps.begins;
    this.setAxis();
    this.track.show(this.trace);
    this.get('lines').replaceChildren(...this.trace.lines.slice(0, 200).map((line) => element('option', { value: line })));
  }

  setAxis() {
    this.timeline.setAxis(this.get('axis').value === 'time' && this.trace.isTimed ? new TimeAxis(this.trace) : new EventAxis(this.trace.events));
  }

  fillChoices() {
    const options = () =>
      this.about.runs
        .slice()
        .sort((a, b) => a.row - b.row)
        .map((run) => element('option', { value: String(run.row) }, run.label + (run.whole ? '' : ' (key moments)')));
    this.get('run').replaceChildren(...options());
    this.get('other').replaceChildren(element('option', { value: '' }, 'none'), ...options());
  }

  /** The lines that hold most at the failure and at the peak get a colour, which they keep. */
  rankLines() {
    const { trace, run } = this;
    const most = new Float64Array(trace.lines.length);
    for (const { name, at } of run.moments) {
      if (name === 'end') continue;
      const sums = new Float64Array(most.length);
      for (const block of run.aliveBlocks(at)) sums[trace.lineOf[trace.stack[block]]] += run.block[block];
      sums.forEach((bytes, line) => (most[line] = Math.max(most[line], bytes)));
    }
    const ranked = [...most.keys()].filter((line) => most[line] > 0).sort((a, b) => most[b] - most[a]);
    trace.places = new Map(ranked.slice(0, LINE_COLOURS.length).map((line, place) => [line, place]));
  }

  /** A run as soon as there is something to show of it: of a long trace its preview. */
  async load(row) {
    if (!this.runs.has(row)) {
      const about = this.about.runs.find((run) => run.row === row);
      if (this.runs.size > 2) {
        const kept = [this.run, this.other].filter(Boolean).map((run) => run.about.row);
        for (const key of this.runs.keys()) if (!kept.includes(key)) this.runs.delete(key);
      }
      this.runs.set(row, await (about.preview ? Run.preview : Run.load)(this.trace, about));
    }
    return this.runs.get(row);
  }

  /** A whole run; it is read once, however many ask. */
  async whole(about) {
    if (!this.reading.has(about.id)) {
      this.reading.set(about.id, Run.load(this.trace, about).finally(() => this.reading.delete(about.id)));
    }
    return this.reading.get(about.id);
  }

  /** Puts the whole of what is in view in the place of its preview, one run after the other. */
  async complete() {
    const { trace } = this;
    await this.opened;
    for (const role of ['run', 'other']) {
      const shown = this[role];
      if (!shown || shown.isWhole || !shown.about.whole) continue;
      const whole = await this.whole(shown.about);
      if (role === 'run') await gently(this.events.index(whole));
      if (trace !== this.trace) return;
      this.runs.set(shown.about.row, whole);
      for (const each of ['run', 'other']) if (this[each] === shown) this[each] = whole;
      this.showKept();
      this.applyFilter();
    }
  }

  /** Shows the run whose figures are in a row. */
  async openRun(row) {
    const isFirst = !this.run || this.run.trace !== this.trace;
    this.run = await this.load(row);
    this.get('run').value = String(row);
    if (isFirst) {
      this.other = null;
      this.get('other').value = '';
      this.cursor = (this.run.moments.find(({ name }) => name === 'first_oom') || this.run.moments[0]).at;
      this.rankLines();
      this.map.reset();
      this.timeline.setMark(this.mark);
    }
    this.map.chosen = -1;
    this.timeline.setBand(null);
    this.get('block').replaceChildren();
    this.get('run-choice').hidden = this.about.runs.length < 2;
    this.showFigures(row);
    this.showJumps();
    this.showKept();
    this.applyFilter();
    const { about } = this.run;
    this.get('busy-part').hidden = !about.busy;
    if (about.busy) await this.busy.show(about, this.rowOf(row));
    if (this.onRun) this.onRun(row);
    this.completed = this.complete();
  }

  async openOther(row) {
    this.other = row === '' ? null : await this.load(Number(row));
    this.showSeries();
    this.showValues(this.cursor);
    this.completed = Promise.all([this.completed, this.complete()]);
  }

  /** Says which blocks the map lacks. */
  showKept() {
    const { isWhole, about } = this.run;
    this.get('kept').hidden = isWhole;
    this.get('kept').textContent = about.whole
      ? 'The blocks of this long run are still being read; until then the map shows the nearest key moment.'
      : 'For this run the page contains blocks at the key moments only; the map shows the nearest one.';
  }

  /** Figures of a run that no table has. */
  showFigures(row) {
    const list = this.get('figures');
    list.hidden = !this.view.isAlone;
    if (list.hidden) return;
    const result = this.rowOf(row);
    const shown = this.view.columns.filter((c) => !c.optional || (result[c.key] ?? null) !== null);
    list.replaceChildren(
      ...shown.map((column) => {
        const value = column.value ? column.value(result) : result[column.key];
        return element(
          'div',
          {},
          element('dt', { title: column.note || '' }, column.label),
          element(
            'dd',
            { dataset: { key: column.key, value: JSON.stringify(value ?? null) }, title: /bytes$/.test(column.key) ? countText(value) + ' B' : '' },
            column.text(value, result),
          ),
        );
      }),
    );
  }

  showJumps() {
    const names = { peak: 'Peak', first_oom: 'Out of memory', end: 'End' };
    this.get('jumps').replaceChildren(
      ...this.run.moments.map(({ name, at }) =>
        element('button', { type: 'button', dataset: { moment: name }, onclick: () => this.jump(at) }, names[name]),
      ),
    );
  }

  jump(at) {
    this.timeline.reveal(at);
    this.moveTo(at);
  }

  /** Figures of a run; a page about several ranks has them in its tables only. */
  rowOf(number) {
    return this.rows[number] ?? {};
  }

  /** Limit of the allocator or size of the device, whichever is less; null if unknown. */
  limitOf(number) {
    const row = this.rowOf(number);
    const { known } = this;
    const all = [
      row.limit_bytes, row.capacity_bytes, known.limit_bytes,
      known.capacity_bytes, known.device_bytes, this.about.most_bytes,
    ].filter((bytes) => typeof bytes === 'number');
    return all.length ? Math.min(...all) : null;
  }

  showSeries() {
    const { series } = this.run;
    const shown = { reserved: series.reserved, allocated: series.allocated, requested: series.requested };
    if (series.active !== series.allocated) shown.active = series.active;
    if (this.filtered) shown.filtered = this.filtered;
    if (this.other) shown.other = this.other.series.reserved;
    this.timeline.show(shown, this.trace.events, this.limitOf(this.run.about.row), this.run.about.failures.map((f) => f[0]));
    this.shown = shown;
    this.unused.show(series.unused, this.other ? this.other.series.unused : null);
  }

  /** The share of reserved memory that is in no block in use, after a request. */
  unusedAt(run, at) {
    return run.isWhole ? unusedShare(run.series.reserved.at(at), run.series.active.at(at)) : run.series.unused.at(at);
  }

  showUnused(at) {
    const share = this.unusedAt(this.run, at);
    const output = this.get('unused-value');
    output.textContent = percentText(share) + (this.other ? `, ${percentText(this.unusedAt(this.other, at))} of ${this.other.about.label} (dashed)` : '');
    output.dataset.value = share;
  }

  /** The legend, with the values at a position. */
  showValues(at, isHover = false) {
    if (!this.shown) return;
    const lines = this.timeline.lines().filter((line) => this.shown[line.key]).map((line) =>
      line.key === 'other' ? { ...line, label: this.other.about.label, note: 'reserved by ' + this.other.about.label } : line,
    );
    const legend = this.get('legend');
    const keys = lines.map((line) => line.key + line.note + line.width).join();
    if (legend.dataset.keys !== keys) {
      legend.dataset.keys = keys;
      legend.replaceChildren(
        ...lines.map((line) => {
          // The layers are what is requested.
          const swatch = element('i', { className: 'swatch ' + (line.width === 0 ? 'layers' : line.fill ? 'area' : 'line') });
          swatch.style.setProperty('--swatch', `var(${line.colour})`);
          return element(
            'li', { title: line.note }, swatch, element('span', {}, line.label),
            element('output', { dataset: { series: line.key } }),
          );
        }),
      );
    }
    for (const line of lines) {
      const output = legend.querySelector(`[data-series=${line.key}]`);
      const value = this.shown[line.key].at(at);
      output.textContent = bytesText(value);
      output.dataset.value = value;
    }
    this.showUnused(at);
    const time = this.trace.isTimed ? ', ' + durationText(this.trace.nanos(at)) + ' after the first' : '';
    this.get('moment').textContent = `${isHover ? 'Under the pointer' : 'At the cursor'}: event ${countText(at)} of ${countText(this.trace.events)}${this.trace.requestAt(at)}${this.trace.stepAt(at)}${time}`;
  }

  /** Puts the time cursor at a position. */
  moveTo(at) {
    this.cursor = Math.min(this.trace.events - 1, Math.max(0, Math.round(at)));
    this.timeline.setCursor(this.cursor);
    if (this.moving) return;
    this.moving = requestAnimationFrame(() => {
      this.moving = 0;
      this.showMoment();
    });
  }

  /** The marked moment of the trace in view; 0 where none is. */
  get mark() {
    return this.marks[this.number] ?? 0;
  }

  /** Marks a moment, that of the time cursor unless another is given, to compare others with. */
  setMark(at = this.cursor, number = this.number) {
    this.marks[number] = Math.min(this.data.traces[number].events - 1, Math.max(0, Math.round(at)));
    this.timeline.setMark(this.mark);
  }

  showMoment() {
    this.showValues(this.cursor);
    this.get('position').value = this.cursor;
    const at = this.run.known(this.cursor);
    this.layout = new Layout(this.run, at, this.get('order').value);
    const failure = this.failure();
    this.map.failed = failure ? [failure.bytes, 'at ' + failure.line] : null;
    this.map.show(this.layout);
    this.showMapLegend();
    const totals = this.layout.totals();
    const waiting = totals.waiting ? `, ${bytesText(totals.waiting)} waiting for a stream` : '';
    this.get('map-facts').textContent =
      `After event ${countText(at)}: ${bytesText(totals.held)} held in ${countOf(this.layout.segments.filter((s) => !s.isOutside).length, 'segment')}; ` +
      `${countOf(this.layout.blocks.length, 'block')} of ${bytesText(totals.inUse)}${waiting}; ${bytesText(totals.free)} free, at most ${bytesText(this.layout.largestFree())} in one piece.`;
    this.get('map').setAttribute('aria-label', 'Segment map. ' + this.get('map-facts').textContent);
    this.showHolders();
    this.showFailed(failure, totals);
    // Many boxes take the browser long: they wait until the time cursor rests.
    clearTimeout(this.resting);
    const boxes = () => {
      this.showFlame();
      this.between.show();
    };
    if (this.flame.count + this.between.flame.count > MANY_BOXES) this.resting = setTimeout(boxes, 120);
    else boxes();
    this.events.show();
    this.layers.show(this.run);
  }

  /** The request that failed at the time cursor; null where none did. */
  failure() {
    const found = this.run.about.failures.find(([at]) => at === this.cursor);
    if (!found) return null;
    const block = this.trace.blockAt(found[0]);
    return { at: found[0], bytes: found[1], block, line: block < 0 ? NO_STACK : this.trace.lineName(block) };
  }

  /** What is known of the request that failed at the time cursor, for the side panel. */
  showFailed(failure, totals) {
    const holder = this.get('failed');
    holder.hidden = !failure;
    this.showNothing();
    if (!failure) return;
    const { trace } = this;
    holder.dataset.bytes = failure.bytes;
    const limit = this.limitOf(this.run.about.row);
    const rows = [
      ['request', failure.block < 0 ? 'not known' : trace.requestName(failure.block)],
      ['asked for', `${bytesText(failure.bytes)} (${countText(failure.bytes)} B)`],
      ['free here', `${bytesText(totals.free)} cached, at most ${bytesText(this.layout.largestFree())} in one piece`],
    ];
    if (limit !== null) rows.push(['beyond', `${bytesText(Math.max(0, limit - totals.held))} up to the limit of ${bytesText(limit)}`]);
    holder.replaceChildren(
      element('p', { className: 'failed-line' }, element('b', {}, 'Failed here: '), failure.line),
      ...rows.map(([name, text]) => element('div', {}, element('b', {}, name), ' ' + text)),
      ...(failure.block >= 0 ? this.frames(failure.block) : []),
    );
  }

  /** Says how to select something where nothing is. */
  showNothing() {
    this.get('nothing').hidden = !this.get('failed').hidden || this.get('block').hasChildNodes();
  }

  /** The whole stack of a block, to be opened. */
  frames(block) {
    const frames = this.trace.fullStack(block);
    if (!frames.length) return [];
    return [
      element(
        'details', {},
        element('summary', {}, countOf(frames.length, 'frame')),
        element('ol', { className: 'frames' }, ...frames.map((frame) => element('li', {}, frame))),
      ),
    ];
  }

  showFlame() {
    const { trace, run } = this;
    const of = this.get('flame-of').value;
    const isOverTime = of === 'time';
    const isDifference = of === 'gained' || of === 'given';
    const isKnown = of === 'cursor' || run.isWhole;
    this.get('difference').hidden = !isDifference || !isKnown;
    const byCategory = this.get('flame-by').value === 'category';
    const key = [of, isOverTime || this.layout.at, isDifference && this.mark, byCategory, run.about.id, run.isWhole, JSON.stringify(this.filter)].join();
    if (!isKnown || key === this.flameKey) return;
    this.flameKey = key;
    function* all(matches) {
      for (let i = 0; i < trace.birth.length; i++) if (run.done[i] >= 0 && matches(i)) yield i;
    }
    let blocks = isOverTime ? all(this.map.matches) : Array.from(this.layout.blocks).filter(this.map.matches);
    if (isDifference) {
      const before = Array.from(run.aliveBlocks(this.mark)).filter(this.map.matches);
      const gained = without(blocks, before);
      const given = without(before, blocks);
      const sum = (each) => bytesText(each.reduce((bytes, i) => bytes + run.block[i], 0));
      this.get('difference').textContent =
        `Between the moments after events ${countText(this.mark)} (marked) and ${countText(this.layout.at)}: ` +
        `${countOf(gained.length, 'block')} of ${sum(gained)} gained, ${countOf(given.length, 'block')} of ${sum(given)} freed.`;
      blocks = of === 'gained' ? gained : given;
    }
    const weight = isOverTime
      ? (i) => trace.size[i] * Math.max(0, Math.min(run.done[i], trace.events) - trace.birth[i])
      : (i) => run.block[i];
    const format = isOverTime ? (bytes) => `${bytesText(bytes / trace.events)} on average` : bytesText;
    this.flame.show(flameTree(trace, blocks, weight, byCategory), format);
  }

  showMapLegend() {
    this.get('map-legend').replaceChildren(
      ...this.map.legend().map(({ name, colour: value }) => {
        const swatch = element('i', { className: 'swatch area' });
        swatch.style.setProperty('--swatch', `var(${value})`);
        return element('li', {}, swatch, element('span', { title: name }, name));
      }),
    );
  }

  /** How what is held is listed: by a number of each block, with names and colours. */
  grouping() {
    const { trace } = this;
    const by = this.get('group-by').value;
    const { stacks, categories } = trace.about;
    return {
      by,
      ...{
        line: { key: (i) => trace.lineOf[trace.stack[i]], name: (key) => trace.lines[key], colour: (key) => trace.lineColour(key) },
        category: { key: (i) => trace.category[i], name: (key) => categories[key], colour: (key) => CATEGORY_COLOURS[key] },
        stack: { key: (i) => trace.stack[i], name: (key) => stacks[key] || NO_STACK, colour: (key) => trace.lineColour(trace.lineOf[key]) },
      }[by],
    };
  }

  /** The ten that hold most at the time cursor. */
  showHolders() {
    const group = this.grouping();
    const holders = this.layout.holders(this.map.matches, group.key);
    const total = holders.reduce((sum, h) => sum + h.bytes, 0);
    const most = holders.length ? holders[0].bytes : 1;
    const failure = this.failure();
    this.get('holders-title').textContent = { line: 'Largest lines', category: 'Largest categories', stack: 'Largest stacks' }[group.by];
    this.get('holders-of').textContent = group.by === 'stack' ? 'stack, innermost frame first' : group.by;
    this.get('holders').replaceChildren(
      ...holders.slice(0, HOLDERS_SHOWN).map((h) => {
        const name = group.name(h.key);
        const swatch = element('i', { className: 'swatch area' });
        swatch.style.setProperty('--swatch', `var(${group.colour(h.key)})`);
        const bar = element('i', { className: 'holder-bar' });
        bar.style.setProperty('--swatch', `var(${group.colour(h.key)})`);
        bar.style.width = (100 * h.bytes) / most + '%';
        const isFailed = group.by === 'line' && failure && failure.line === name;
        return element(
          'tr', { dataset: { name, bytes: h.bytes } },
          element(
            'th', { scope: 'row' },
            element(
              'div', { className: 'holder' }, swatch,
              element('button', { type: 'button', title: `${name}; click to show only its blocks`, onclick: () => this.filterBy(group.by, name) }, group.by === 'line' ? shortLine(name) : name),
              isFailed ? element('span', { className: 'tag failed-tag', title: 'The request that failed here is of this line.' }, 'failed') : null,
            ),
            bar,
          ),
          element('td', { dataset: { key: 'bytes' } }, bytesText(h.bytes)),
          element('td', {}, total ? percentText(h.bytes / total) : '–'),
          element('td', { dataset: { key: 'blocks' } }, countText(h.blocks)),
        );
      }),
    );
    const rest = holders.slice(HOLDERS_SHOWN);
    const restBytes = rest.reduce((sum, h) => sum + h.bytes, 0);
    this.get('more-holders').textContent = rest.length
      ? `and ${countText(rest.length)} more of ${bytesText(restBytes)}`
      : holders.length ? '' : 'Nothing is held here' + (this.isFiltered ? ' that matches the search.' : '.');
  }

  /** Shows only the blocks of a line, a category or a stack; a second time all again. */
  filterBy(by, name) {
    const input = this.get('filter-stack');
    const text = `${by} ${name}`;
    input.value = input.value === text ? '' : text;
    this.readFilter();
  }

  readFilter() {
    const min = parseBytes(this.get('filter-min').value);
    const max = parseBytes(this.get('filter-max').value);
    this.get('filter-min').setAttribute('aria-invalid', String(Number.isNaN(min)));
    this.get('filter-max').setAttribute('aria-invalid', String(Number.isNaN(max)));
    const filter = {
      text: this.get('filter-stack').value.trim(),
      min: Number.isNaN(min) ? null : min,
      max: Number.isNaN(max) ? null : max,
      stream: this.get('filter-stream').value,
    };
    if (JSON.stringify(filter) === JSON.stringify(this.filter)) return;
    this.filter = filter;
    this.applyFilter();
  }

  get isFiltered() {
    const { text, min, max, stream } = this.filter;
    return Boolean(text || min !== null || max !== null || stream !== '');
  }

  /** Which blocks of a run pass search and filter; streams of other traces are those of the same name. */
  matcher(trace, run) {
    if (!this.isFiltered) return always;
    const { text, min, max, stream } = this.filter;
    const asked = queryMatcher(text, trace, run);
    const wanted = stream === '' ? '' : this.trace.streamName(Number(stream));
    return (block) =>
      asked(block) &&
      (min === null || trace.size[block] >= min) &&
      (max === null || trace.size[block] <= max) &&
      (wanted === '' || trace.streamName(trace.stream[block]) === wanted);
  }

  /** Sums up what passes the filter, and shows it then. */
  async sumFiltered() {
    const filter = (this.summed = {});
    const { trace, run, map } = this;
    this.get('matches').hidden = !this.isFiltered;
    if (!this.isFiltered) return;
    if (!run.isWhole) {
      this.get('matches').textContent = 'searched at key moments only';
      return;
    }
    let matched = 0;
    const counted = (block) => {
      const is = map.matches(block);
      matched += is ? 1 : 0;
      return is;
    };
    const series = await gently(running(trace.events, trace.birth, run.done, trace.size, counted), () => this.summed !== filter);
    if (!series || this.summed !== filter) return;
    this.filtered = series;
    this.get('matches').dataset.blocks = matched;
    this.get('matches').textContent = matched
      ? `${countOf(matched, 'block')} found, together at most ${bytesText(series.peak())}`
      : 'nothing found';
    this.showSeries();
    this.showValues(this.cursor);
  }

  applyFilter() {
    this.map.isFiltered = this.isFiltered;
    this.map.matches = this.matcher(this.trace, this.run);
    this.filtered = null;
    this.layers.isFaded = this.isFiltered;
    this.sumFiltered();
    this.get('filter-clear').disabled = !this.isFiltered;
    this.showSeries();
    this.moveTo(this.cursor);
  }

  describe(block) {
    const { trace, run } = this;
    const end = run.done[block];
    const born = trace.birth[block];
    const lived = end >= trace.events ? 'still allocated at the end' : `freed at event ${countText(run.freed[block])}`;
    const time =
      trace.isTimed && end < trace.events ? `, ${trace.about.time_step > 1 ? 'about ' : ''}${durationText(trace.nanos(end) - trace.nanos(born))}` : '';
    const waits = end > run.freed[block] && end < trace.events ? `, reusable at ${countText(end)}` : '';
    return [
      ['request', trace.requestName(block)],
      ['requested', `${bytesText(trace.size[block])} (${countText(trace.size[block])} B)`],
      ['block', `${bytesText(run.block[block])} at ${run.addressText(run.address[block])}`],
      ['lifetime', `event ${countText(born)}, ${lived}${waits} (${countText(Math.min(end, trace.events) - born)} events${time})`],
      ['stream', trace.streamName(trace.stream[block])],
      ['for', `${trace.categoryName(block)} (${trace.certaintyName(block)})`],
      ['stack', trace.stackName(block) || 'not recorded'],
    ];
  }

  showTip(block, segment, event) {
    const tip = this.get('tip');
    tip.hidden = !segment;
    if (!segment) return;
    const rows =
      block >= 0
        ? this.describe(block)
        : [['free', 'memory outside any block']];
    rows.push(['in', `${segmentName(segment)} of ${bytesText(segment.bytes)} since event ${countText(segment.born)}`]);
    tip.dataset.block = block;
    tip.replaceChildren(...rows.map(([name, text]) => element('div', {}, element('b', {}, name), ' ' + text)));
    const holder = this.get('map-holder').getBoundingClientRect();
    const x = event.clientX - holder.left;
    const y = event.clientY - holder.top;
    tip.style.left = Math.max(0, Math.min(x + 14, holder.width - tip.offsetWidth)) + 'px';
    tip.style.top = y + 18 + 'px';
  }

  /** Marks a block, with its lifetime on the timeline. */
  choose(block) {
    this.map.choose(block);
    const panel = this.get('block');
    if (block < 0) {
      this.timeline.setBand(null);
      panel.replaceChildren();
      this.showNothing();
      return;
    }
    this.timeline.setBand([this.trace.birth[block], this.run.done[block]]);
    panel.dataset.block = block;
    const parts = [
      ...this.describe(block).map(([name, text]) => element('div', {}, element('b', {}, name), ' ' + text)),
      ...this.frames(block),
      element('button', { type: 'button', onclick: () => this.jump(this.trace.birth[block]) }, 'Go to its allocation'),
      this.run.freed[block] < this.trace.events
        ? element('button', { type: 'button', onclick: () => this.jump(this.run.freed[block] - 1) }, 'Go to its free')
        : null,
    ];
    panel.replaceChildren(element('p', { className: 'block-title' }, 'Selected block'), ...parts.filter(Boolean));
    this.showNothing();
    panel.parentElement.scrollTop = panel.offsetTop - panel.parentElement.offsetTop;
  }

  step(direction, isFar) {
    const visible = (this.timeline.view.to - this.timeline.view.from) / 100;
    this.jump(this.cursor + direction * (isFar ? Math.max(1, Math.round(visible)) : 1));
  }

  /** Goes to where the previous or the next step begins. */
  stepTo(direction) {
    const { begins } = this.about.steps;
    const found = direction > 0 ? begins.find((at) => at > this.cursor) : begins.findLast((at) => at < this.cursor);
    if (found !== undefined) this.jump(found);
  }

  async nextRun(direction) {
    const select = this.get('run');
    const next = select.selectedIndex + direction;
    if (next >= 0 && next < select.options.length) await this.openRun(Number(select.options[next].value));
  }

  listen() {
    const on = (id, event, call) => this.get(id).addEventListener(event, call);
    on('run', 'change', () => this.openRun(Number(this.get('run').value)));
    on('other', 'change', () => this.openOther(this.get('other').value));
    on('position', 'change', () => this.jump(Number(this.get('position').value) || 0));
    on('colour', 'change', () => {
      this.map.scheme = this.get('colour').value;
      this.showMapLegend();
      this.map.schedule();
    });
    on('order', 'change', () => this.showMoment());
    on('layer-by', 'change', () => {
      this.layers.by = this.get('layer-by').value;
      this.layers.schedule();
    });
    on('axis', 'change', () => this.setAxis());
    on('group-by', 'change', () => this.showHolders());
    on('flame-of', 'change', () => this.showFlame());
    on('flame-by', 'change', () => this.showFlame());
    on('mark', 'click', () => {
      this.setMark();
      if (!['gained', 'given'].includes(this.get('flame-of').value)) this.get('flame-of').value = 'gained';
      this.showFlame();
      this.between.show();
    });
    on('find-next', 'click', () => this.events.jump(1));
    on('find-before', 'click', () => this.events.jump(-1));
    for (const id of ['filter-stack', 'filter-min', 'filter-max', 'filter-stream']) on(id, 'change', () => this.readFilter());
    // What is typed counts at once, but not every letter of a quick writer.
    for (const id of ['filter-stack', 'filter-min', 'filter-max']) {
      on(id, 'input', () => {
        clearTimeout(this.typing);
        this.typing = setTimeout(() => this.readFilter(), TYPING_MILLIS);
      });
    }
    on('filter-stack', 'keydown', (event) => {
      if (event.key !== 'Enter') return;
      this.readFilter();
      this.events.jump(event.shiftKey ? -1 : 1);
    });
    addEventListener('keydown', (event) => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || /INPUT|SELECT|TEXTAREA/.test(event.target.tagName)) return;
      event.preventDefault();
      this.get('filter-stack').focus();
    });
    on('filter-clear', 'click', () => {
      for (const id of ['filter-stack', 'filter-min', 'filter-max', 'filter-stream']) this.get(id).value = '';
      this.readFilter();
    });
    on('zoom-in', 'click', () => this.timeline.zoom(0.5, this.cursor));
    on('zoom-out', 'click', () => this.timeline.zoom(2, this.cursor));
    on('pan-left', 'click', () => this.timeline.pan(-0.5));
    on('pan-right', 'click', () => this.timeline.pan(0.5));
    on('reset', 'click', () => this.timeline.reset());
    on('map-in', 'click', () => this.map.zoom(0.5));
    on('map-out', 'click', () => this.map.zoom(2));
    on('map-reset', 'click', () => this.map.reset());
    on('timeline', 'keydown', (event) => this.timelineKey(event));
    on('map', 'keydown', (event) => this.mapKey(event));
  }

  timelineKey(event) {
    const keys = {
      ArrowLeft: () => this.step(-1, event.shiftKey),
      ArrowRight: () => this.step(1, event.shiftKey),
      PageUp: () => this.timeline.pan(-0.5),
      PageDown: () => this.timeline.pan(0.5),
      Home: () => this.jump(0),
      End: () => this.jump(this.trace.events - 1),
      '+': () => this.timeline.zoom(0.5, this.cursor),
      '=': () => this.timeline.zoom(0.5, this.cursor),
      '-': () => this.timeline.zoom(2, this.cursor),
      0: () => this.timeline.reset(),
      p: () => this.jump(this.run.moments.find((moment) => moment.name === 'peak').at),
      o: () => {
        const moment = this.run.moments.find((each) => each.name === 'first_oom');
        if (moment) this.jump(moment.at);
      },
      ',': () => this.stepTo(-1),
      '.': () => this.stepTo(1),
      n: () => this.events.jump(1),
      b: () => this.events.jump(-1),
      m: () => this.get('mark').click(),
      d: () => this.get('take-from').click(),
      '[': () => this.nextRun(-1),
      ']': () => this.nextRun(1),
    };
    this.handle(event, keys);
  }

  mapKey(event) {
    const keys = {
      ArrowRight: () => this.choose(this.map.neighbour(1)),
      ArrowLeft: () => this.choose(this.map.neighbour(-1)),
      ArrowDown: () => this.map.pan(1),
      ArrowUp: () => this.map.pan(-1),
      PageDown: () => this.map.pan(this.map.lines() / 2),
      PageUp: () => this.map.pan(-this.map.lines() / 2),
      '+': () => this.map.zoom(0.5),
      '=': () => this.map.zoom(0.5),
      '-': () => this.map.zoom(2),
      0: () => this.map.reset(),
      Escape: () => this.choose(-1),
    };
    this.handle(event, keys);
  }

  handle(event, keys) {
    if (event.ctrlKey || event.altKey || event.metaKey || !keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  }

  restyle() {
    this.layers.restyle();
    this.timeline.restyle();
    this.unused.restyle();
    this.busy.restyle();
    this.track.draw();
    this.map.draw();
  }
}
