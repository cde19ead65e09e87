/* The engine's side: loads it as WebAssembly, or as JavaScript where a browser lacks what it needs. */

import './functions.js';
import { Decompress } from './fzstd/fzstd.js';

/** Texts of the program's files by path. */
let texts = {};

/** The SHA-256 of the open file; null on a page from a place that the browser takes for unsafe. */
let digest = null;

self.allocsimHost = {
  progress: (task, share) => postMessage({ task, share }),
  digest: () => digest,
  text: (path) => texts[path] ?? null,
  zstandard() {
    let chunks = [];
    let failure = '';
    const decoder = new Decompress((chunk) => chunks.push(chunk));
    return {
      push(stored, length, isLast) {
        chunks = [];
        try {
          decoder.push(new Uint8Array(stored.buffer, stored.byteOffset, length).slice(), isLast);
        } catch (e) {
          failure = e.message;
          return null;
        }
        const plain = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
        let at = 0;
        for (const chunk of chunks) {
          plain.set(chunk, at);
          at += chunk.length;
        }
        return new Int8Array(plain.buffer);
      },
      failure: () => failure,
    };
  },
};

let engine = null;

const actions = {
  /** Takes the engine's WebAssembly, or null where the browser cannot run it, and the files that it reads. */
  async start(bytes, files) {
    texts = files;
    if (bytes) {
      const { load } = await import('./runtime.js');
      engine = (await load(bytes)).exports;
    } else {
      engine = await import('./engine.js');
    }
    engine.main([]);
  },
  async open(name, bytes) {
    digest = self.crypto.subtle ? new Int8Array(await crypto.subtle.digest('SHA-256', bytes)) : null;
    const failure = engine.open(name, new Int8Array(bytes));
    if (failure) throw new Error(failure);
  },
  ask(question, options, forms) {
    const failure = engine.ask(question, options);
    if (failure) throw new Error(failure);
    const answer = {};
    for (const form of forms) {
      const unwritten = engine.write(form);
      if (unwritten) throw new Error(unwritten);
      const bytes = engine.written();
      if (bytes) answer[form] = new Uint8Array(bytes);
    }
    return answer;
  },
};

onmessage = async ({ data }) => {
  try {
    postMessage({ call: data.call, value: await actions[data.name](...data.parts) });
  } catch (e) {
    postMessage({ call: data.call, failure: e.message });
  }
};
