/* The page around the engine: it hands files and questions to a worker and shows the answers. */

const FORMS = { page: 'text/html', text: 'text/plain', json: 'application/json', csv: 'text/csv' };

const get = (id) => document.getElementById(id);
const failure = get('failure');
const status = get('status');
const progress = get('progress');
let fileName = '';
let urls = [];

/** A worker from a blob obeys this page's policy: it can send nothing either. */
function worker() {
  const script = `import ${JSON.stringify(new URL('worker.js', location.href).href)};`;
  const url = URL.createObjectURL(new Blob([script], { type: 'text/javascript' }));
  return new Worker(url, { type: 'module' });
}

const engine = worker();
const waiting = new Map();
let calls = 0;

engine.onerror = (event) => fail('The engine could not be started: ' + (event.message || 'its files are missing') + '. Load the page again, or use a newer browser.');
engine.onmessage = ({ data }) => {
  if (data.task !== undefined) return show(data.task, data.share);
  const { resolve, reject } = waiting.get(data.call);
  waiting.delete(data.call);
  if (data.failure) reject(new Error(data.failure));
  else resolve(data.value);
};

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

async function work(task, action) {
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
}

function open(file) {
  return work('reading', async () => {
    get('questions').hidden = true;
    get('result').hidden = true;
    const bytes = await file.arrayBuffer();
    await call('open', [file.name, bytes], [bytes]);
    fileName = file.name;
    get('file-name').textContent = file.name;
    get('questions').hidden = false;
  });
}

function ask(question) {
  return work(question === 'view' ? 'replaying' : question, async () => {
    const options = [];
    for (const input of get('questions').querySelectorAll('input')) {
      if (input.value.trim()) options.push(input.name, input.value.trim());
    }
    const answer = await call('ask', [question, options]);
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
work('loading', () => call('start', []));
