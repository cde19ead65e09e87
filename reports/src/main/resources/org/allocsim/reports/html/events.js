/* The list of events, and the search in it. */

const EVENTS_SHOWN = 60;

class EventList {
  constructor(explorer, body, facts) {
    this.explorer = explorer;
    this.body = body;
    this.facts = facts;
  }

  /** Finds the event at every position: a block's number plus one, negative where it is given back. */
  *index(run) {
    if (this.run === run) return;
    const { trace } = run;
    const at = new Int32Array(trace.events);
    yield* each(trace.birth.length, (i) => {
      at[trace.birth[i]] = i + 1;
      if (run.freed[i] >= 0 && run.freed[i] < trace.events) at[run.freed[i]] = -(i + 1);
    });
    this.run = run;
    this.at = at;
  }

  matches(block) {
    return this.explorer.map.matches(block);
  }

  /** Positions of events that match, from one on in a direction. */
  find(from, direction, wanted) {
    const found = [];
    for (let at = from; at >= 0 && at < this.at.length && found.length < wanted; at += direction) {
      const block = Math.abs(this.at[at]) - 1;
      if (block >= 0 && this.matches(block)) found.push(at);
    }
    return found;
  }

  jump(direction) {
    if (!this.run) return;
    const [next] = this.find(this.explorer.cursor + direction, direction, 1);
    if (next !== undefined) this.explorer.jump(next);
  }

  show() {
    const { run, cursor, trace } = this.explorer;
    if (!run || !run.isWhole) {
      this.body.replaceChildren();
      this.facts.textContent = 'The list needs all blocks of the run; this page does not contain them, or is still reading them.';
      return;
    }
    atOnce(this.index(run));
    const before = this.find(cursor - 1, -1, EVENTS_SHOWN / 4).reverse();
    const after = this.find(cursor, 1, EVENTS_SHOWN - before.length);
    const rows = [...before, ...after];
    this.facts.textContent = rows.length
      ? `Events around the time cursor${this.explorer.map.isFiltered ? ' that match the search and the filter' : ''}; n and b go to the next and the previous one.`
      : 'No event matches the search and the filter.';
    this.body.replaceChildren(
      ...rows.map((at) => {
        const code = this.at[at];
        const block = Math.abs(code) - 1;
        const name = code > 0 ? (run.done[block] < 0 ? 'failed' : 'allocate') : 'free';
        return element(
          'tr', { className: at === cursor ? 'picked' : '' },
          element('td', {}, element('button', { type: 'button', className: 'pick', onclick: () => this.explorer.jump(at) }, countText(at))),
          element('td', {}, trace.requestName(block)),
          element('td', { className: 'name' }, name),
          element('td', {}, bytesText(trace.size[block])),
          element('td', {}, run.done[block] < 0 ? '–' : run.addressText(run.address[block])),
          element('td', { className: 'name' }, trace.streamName(trace.stream[block])),
          element('td', { className: 'name' }, trace.categoryName(block)),
          element('th', { scope: 'row' }, element('button', { type: 'button', className: 'pick', title: trace.stackName(block), onclick: () => this.explorer.choose(block) }, trace.stackName(block) || NO_STACK)),
        );
      }),
    );
  }
}
