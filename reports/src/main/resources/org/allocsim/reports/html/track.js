/* Above the timeline: the steps of the program, and below them its phases. */

const TRACK_ROW = 17;
const TRACK_GAP = 2;

/** Colours of the phases of training; others take turns. */
const PHASE_COLOURS = { forward: '--phase-forward', backward: '--phase-backward', optimizer: '--phase-optimizer' };

class StepTrack {
  /** `onZoom` is called with the first event of a step or phase and the first after it. */
  constructor(holder, timeline, onZoom) {
    this.holder = holder;
    this.canvas = holder.querySelector('canvas');
    this.timeline = timeline;
    this.onZoom = onZoom;
    this.rows = [];
    this.boxes = [];
    this.width = holder.clientWidth;
    new ResizeObserver(() => {
      this.width = holder.clientWidth;
      this.draw();
    }).observe(holder);
    this.canvas.addEventListener('click', (event) => {
      const box = this.boxAt(event);
      if (box) onZoom(box.from, box.to);
    });
    this.canvas.addEventListener('pointermove', (event) => {
      const box = this.boxAt(event);
      this.canvas.title = box ? `${box.name}, events ${countText(box.from)} to ${countText(box.to - 1)}; click to zoom` : '';
      this.canvas.style.cursor = box ? 'pointer' : 'default';
    });
  }

  show(trace) {
    const { steps, phases } = trace.about;
    this.begins = steps.begins;
    const stepRow = this.begins.slice(1).map((to, i) => ({ name: String(i + 1), long: `step ${i + 1}`, from: this.begins[i], to, fill: i % 2 ? '--step-odd' : '--step-even' }));
    const names = [...new Set(phases.map(([name]) => name))];
    const phaseRow = phases.map(([name, from, to]) => ({ name, long: name, from, to, fill: PHASE_COLOURS[name] ?? (names.indexOf(name) % 2 ? '--step-odd' : '--step-even') }));
    this.rows = [stepRow, phaseRow].filter((row) => row.length);
    this.holder.hidden = this.rows.length === 0;
    const parts = [stepRow.length ? countOf(stepRow.length, 'step') : '', phaseRow.length ? 'phases: ' + names.slice(0, 6).join(', ') : ''];
    this.canvas.setAttribute('aria-label', 'On the axis: ' + parts.filter(Boolean).join('; '));
    this.draw();
  }

  boxAt(event) {
    const { left, top } = this.canvas.getBoundingClientRect();
    const x = event.clientX - left;
    const row = Math.floor((event.clientY - top) / (TRACK_ROW + TRACK_GAP));
    return this.boxes.find((box) => box.row === row && x >= box.x && x < box.x + Math.max(2, box.width)) ?? null;
  }

  draw() {
    const { canvas, rows, timeline, width } = this;
    if (this.holder.hidden || !width) return;
    const ratio = devicePixelRatio || 1;
    const height = rows.length * (TRACK_ROW + TRACK_GAP);
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
      canvas.style.height = height + 'px';
    }
    const ctx = canvas.getContext('2d');
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    ctx.clearRect(0, 0, width, height);
    ctx.font = '11.5px system-ui, sans-serif';
    ctx.textBaseline = 'middle';
    const plot = Math.max(50, width - AXIS - EDGE);
    this.boxes = [];
    rows.forEach((row, number) => {
      const y = number * (TRACK_ROW + TRACK_GAP);
      ctx.fillStyle = colour('--ink-soft');
      ctx.textAlign = 'right';
      ctx.fillText(row[0].long.startsWith('step ') ? 'steps' : 'phases', AXIS - 8, y + TRACK_ROW / 2);
      ctx.textAlign = 'left';
      let drawnTo = -1;
      for (const box of row) {
        const x0 = Math.max(0, timeline.fraction(box.from) * plot);
        const x1 = Math.min(plot, timeline.fraction(box.to) * plot);
        // What ends inside a pixel that is painted already cannot be seen.
        if (x1 <= 0 || x0 >= plot || x1 - drawnTo < 0.5) continue;
        drawnTo = Math.max(x1, x0 + 0.7);
        const shown = Math.max(0.7, x1 - x0 - (x1 - x0 > 4 ? 1 : 0));
        ctx.fillStyle = colour(box.fill);
        ctx.fillRect(AXIS + x0, y, shown, TRACK_ROW);
        this.boxes.push({ ...box, name: box.long, row: number, x: AXIS + x0, width: shown });
        const text = [box.long, box.name].find((each) => 6.2 * each.length + 8 < shown);
        if (text) {
          ctx.fillStyle = colour('--ink');
          ctx.fillText(text, AXIS + x0 + 4, y + TRACK_ROW / 2 + 0.5);
        }
      }
    });
  }
}
