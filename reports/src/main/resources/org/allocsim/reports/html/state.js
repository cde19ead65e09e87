/* What is shown stands in the address, so that a link shows the same. */

const STATE_CHOICES = ['colour', 'order', 'filter-stack', 'filter-min', 'filter-max', 'filter-stream', 'layer-by', 'axis', 'group-by', 'flame-of', 'flame-by', 'from-at', 'to-at', 'between-of', 'between-by', 'theme'];

class PageState {
  constructor(page) {
    this.page = page;
    this.get = (id) => document.getElementById(id);
    this.isReading = true;
  }

  /** The address of what is shown. */
  text() {
    const { explorer } = this.page;
    const { view } = explorer.timeline;
    const state = new URLSearchParams();
    const put = (key, value, usual) => String(value) !== String(usual) && state.set(key, value);
    put('trace', this.get('trace').value || '0', '0');
    state.set('run', this.get('run').value);
    put('other', this.get('other').value, '');
    state.set('at', explorer.cursor);
    put('mark', explorer.mark, 0);
    const { between } = explorer;
    put('from-run', this.get('from-run').value, '');
    if (between.from && between.from.number !== explorer.number) put('from-mark', explorer.marks[between.from.number] ?? 0, 0);
    if (view.from > 0 || view.to < explorer.trace.events) {
      state.set('from', Math.round(view.from));
      state.set('to', Math.round(view.to));
    }
    for (const id of STATE_CHOICES) put(id, this.get(id).value, this.usual[id]);
    if (explorer.map.chosen >= 0) state.set('block', explorer.map.chosen);
    if (explorer.flame.path.length) state.set('frames', JSON.stringify(explorer.flame.path));
    if (between.flame.path.length) state.set('between-frames', JSON.stringify(between.flame.path));
    return state.toString();
  }

  /** Keeps the usual choices, which the address leaves out. */
  begin() {
    this.usual = Object.fromEntries(STATE_CHOICES.map((id) => [id, this.get(id).value]));
    const write = () => this.write();
    addEventListener('change', write);
    addEventListener('click', write);
    addEventListener('keyup', write);
    addEventListener('wheel', write, { passive: true });
    addEventListener('hashchange', () => location.hash.slice(1) !== this.written && this.read());
  }

  write() {
    if (this.isReading) return;
    clearTimeout(this.pending);
    this.pending = setTimeout(() => {
      this.written = this.text();
      history.replaceState(null, '', '#' + this.written);
    }, 150);
  }

  /** Frames of an address; none where they are wrong. */
  path(text) {
    try {
      const path = JSON.parse(text ?? '[]');
      return Array.isArray(path) ? path.map(String) : [];
    } catch {
      return [];
    }
  }

  /** Shows what the address says; wrong values are passed over. */
  async read() {
    this.isReading = true;
    const state = new URLSearchParams(location.hash.slice(1));
    const { explorer } = this.page;
    const number = (key) => (/^\d+(\.\d+)?$/.test(state.get(key) ?? '') ? Number(state.get(key)) : null);
    const has = (id, value) => [...this.get(id).options].some((option) => option.value === value);
    if (state.has('trace') && has('trace', state.get('trace')) && state.get('trace') !== this.get('trace').value) {
      this.get('trace').value = state.get('trace');
      await this.page.open(Number(state.get('trace')));
    }
    if (state.has('run') && has('run', state.get('run')) && state.get('run') !== this.get('run').value) await explorer.openRun(Number(state.get('run')));
    if (state.has('other') && has('other', state.get('other'))) {
      this.get('other').value = state.get('other');
      await explorer.openOther(state.get('other'));
    }
    if (number('mark') !== null) explorer.setMark(number('mark'));
    if (state.has('from-run') && has('from-run', state.get('from-run'))) {
      const name = state.get('from-run');
      if (name && number('from-mark') !== null) explorer.setMark(number('from-mark'), Number(name.split('.')[0]));
      explorer.between.chosen = explorer.between.choose(name);
      // The whole of a long run is read once the page is on the screen.
      if (!explorer.data.traces.some((trace) => trace.runs.some((run) => run.preview))) await explorer.between.chosen;
    }
    for (const id of STATE_CHOICES) {
      const field = this.get(id);
      const value = state.get(id);
      if (value === null || (field.options && !has(id, value))) continue;
      field.value = value;
      field.dispatchEvent(new Event('change'));
    }
    if (number('from') !== null && number('to') !== null) explorer.timeline.clampView(number('from'), number('to'));
    if (number('at') !== null) explorer.moveTo(number('at'));
    explorer.flame.path = this.path(state.get('frames'));
    explorer.between.flame.path = this.path(state.get('between-frames'));
    explorer.between.flame.draw();
    const block = number('block');
    if (block !== null && block < explorer.trace.birth.length && explorer.run.isWhole) explorer.choose(block);
    this.isReading = false;
  }
}
