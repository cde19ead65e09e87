/* The page around the engine: it hands files and questions to a worker and shows the answers. */

const FORMS = { page: 'text/html', text: 'text/plain', json: 'application/json', csv: 'text/csv' };

const get = (id) => document.getElementById(id);
const failure = get('failure');
const status = get('status');
const progress = get('progress');
const waiting = new Map();
let engine = null;
let last = Promise.resolve();
let calls = 0;
let fileName = '';
let urls = [];

/** WebAssembly with garbage collection: a module of one array type is valid. */
function hasWebAssemblyGc() {
  return typeof WebAssembly === 'object'
    && WebAssembly.validate(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 94, 120, 1));
}

async function fetched(name) {
  const response = await fetch(name);
  if (!response.ok) throw new Error(`the server has no ${name} (${response.status})`);
  return response;
}

/** The engine's bytes; null where the browser cannot run them. */
async function webAssembly() {
  return hasWebAssemblyGc() ? (await fetched('engine.wasm')).arrayBuffer() : null;
}

/** What the engine reads of its own program: device profiles and parts of pages, texts by path. */
async function engineFiles() {
  return (await fetched('files.json')).json();
}

/** From here on neither the page nor a worker that it starts can connect to anything. */
function disconnect() {
  const policy = document.createElement('meta');
  policy.httpEquiv = 'Content-Security-Policy';
  policy.content = "connect-src 'none'";
  document.head.append(policy);
}

/** A worker from a blob obeys this page's policies. */
function startWorker() {
  const script = `import ${JSON.stringify(new URL('worker.js', location.href).href)};`;
  const url = URL.createObjectURL(new Blob([script], { type: 'text/javascript' }));
  engine = new Worker(url, { type: 'module' });
  engine.onmessage = ({ data }) => {
    if (data.task !== undefined) return show(data.task, data.share);
    const { resolve, reject } = waiting.get(data.call);
    waiting.delete(data.call);
    if (data.failure) reject(new Error(data.failure));
    else resolve(data.value);
  };
  engine.onerror = (event) => {
    const reason = new Error(`The engine stopped (${event.message || 'one of its files is missing'}). Load the page again, or use a newer browser.`);
    waiting.forEach(({ reject }) => reject(reason));
    waiting.clear();
  };
}

async function start() {
  const [bytes, files] = await Promise.all([webAssembly(), engineFiles()]);
  disconnect();
  startWorker();
  await call('start', [bytes, files], bytes ? [bytes] : []);
}

function call(name, parts, transfer = []) {
  return new Promise((resolve, reject) => {
    waiting.set(++calls, { resolve, reject });
    engine.postMessage({ call: calls, name, parts }, transfer);
  });
}

function show(task, share) {
  status.textContent = task ? task[0].toUpperCase() + task.slice(1) + (share > 0 ? ` ${Math.round(share * 100)} %` : ' …') : '';
  progress.hidden = !task;
  if (share > 0) progress.value = share;
  else progress.removeAttribute('value');
}

function fail(message) {
  show('');
  failure.textContent = message.replace(/^allocsim: /, '');
  failure.hidden = false;
}

/** Does one thing after the other. */
function work(task, action) {
  last = last.then(async () => {
    failure.hidden = true;
    get('ask').disabled = true;
    show(task, 0);
    try {
      await action();
      show('');
    } catch (e) {
      fail(e.message);
    } finally {
      get('ask').disabled = false;
    }
  });
}

/** Reads a file and answers the first question about it. */
function open(file) {
  work('reading', async () => {
    get('questions').hidden = true;
    get('result').hidden = true;
    fileName = '';
    get('file-name').textContent = '';
    const bytes = await file.arrayBuffer();
    await call('open', [file.name, bytes], [bytes]);
    fileName = file.name;
    get('file-name').textContent = file.name;
    get('questions').hidden = false;
    ask('diagnose');
  });
}

function ask(question) {
  if (!fileName) return;
  work(question === 'view' ? 'replaying' : question, async () => {
    const options = [];
    for (const input of get('questions').querySelectorAll('input')) {
      if (input.value.trim()) options.push(input.name, input.value.trim());
    }
    const answer = await call('ask', [question, options, Object.keys(FORMS)]);
    urls.forEach((url) => URL.revokeObjectURL(url));
    urls = [];
    const base = fileName.replace(/\.[^.]*$/, '') + '-' + question;
    const endings = { page: 'html', text: 'txt', json: 'json', csv: 'csv' };
    for (const [form, type] of Object.entries(FORMS)) {
      const link = get('save-' + form);
      link.hidden = !answer[form];
      if (!answer[form]) continue;
      const url = URL.createObjectURL(new Blob([answer[form]], { type: type + ';charset=utf-8' }));
      urls.push(url);
      link.href = url;
      link.download = base + '.' + endings[form];
    }
    get('text').textContent = new TextDecoder().decode(answer.text);
    get('result-title').textContent = document.querySelector(`button[value=${question}]`).textContent;
    get('result').hidden = false;
    get('page').src = get('save-page').href;
    get('result').dataset.question = question;
    for (const button of get('ask').querySelectorAll('button')) {
      button.setAttribute('aria-pressed', button.value === question);
    }
    get('result-title').focus();
  });
}

get('file').addEventListener('change', (event) => event.target.files[0] && open(event.target.files[0]));
get('questions').addEventListener('submit', (event) => {
  event.preventDefault();
  ask(event.submitter ? event.submitter.value : 'diagnose');
});
for (const name of ['dragenter', 'dragover', 'dragleave', 'drop']) {
  addEventListener(name, (event) => {
    event.preventDefault();
    get('drop').classList.toggle('over', name === 'dragenter' || name === 'dragover');
    if (name === 'drop' && event.dataTransfer.files[0]) open(event.dataTransfer.files[0]);
  });
}
work('loading', start);
