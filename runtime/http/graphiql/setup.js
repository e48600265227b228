/** To be imported before monaco: where its workers are, and what its style elements need under the content security policy. */
const workers = { json: 'json-worker.js', graphql: 'graphql-worker.js' };

globalThis.MonacoEnvironment = {
  getWorker: (_id, label) =>
    new Worker(new URL(workers[label] ?? 'editor-worker.js', import.meta.url), { type: 'module' }),
};

// The policy admits styles of this server's files, and of elements with the nonce of this page.
const { nonce } = document.getElementById('settings');
const createElement = document.createElement.bind(document);
document.createElement = (name, options) => {
  const element = createElement(name, options);
  if (name === 'style') element.nonce = nonce;
  return element;
};
