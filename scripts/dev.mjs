import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { fail, helpIfAsked, root, say } from './child.mjs';
import { setup } from './setup.mjs';

const help = `
npm run dev

Compiles on every save and starts the worker of examples/support-agent again, which builds the
workflow bundle anew. Uses the Temporal server at TEMPORAL_ADDRESS, else starts a development
server and prints the address of its UI; uses the shop at UPSTREAM_URL, else starts the lab's
shop at port 4010, without faults. Ctrl-C ends all of it.
`;

const worker = 'dist/examples/support-agent/worker.js';
const ticketCommand =
  'dist/examples/support-agent/start.js examples/support-agent/tickets/02-kettle-stopped-working.json';
const killAfterMs = 10_000;

helpIfAsked(process.argv.slice(2), help);
await setup();

const children = new Set();
const env = { ...process.env, TEMPORAL_ADDRESS: await temporalAddress() };
let running;
let restarting = false;
let wanted = false;
let stopping = false;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => void stopAll());
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

if (!process.env.UPSTREAM_URL) start([join(root, 'dist/src/lab/upstream/main.js')], 'inherit');
say('dev: in another terminal, start a ticket with');
say(`dev:   TEMPORAL_ADDRESS=${env.TEMPORAL_ADDRESS} node ${ticketCommand}`);

const compiler = start(
  [join(root, 'node_modules/typescript/bin/tsc'), '-p', root, '--watch', '--preserveWatchOutput'],
  'pipe',
);
compiler.stdout.on('data', (chunk) => {
  const text = String(chunk);
  process.stdout.write(text);
  if (/Found 0 errors/.test(text)) void restart();
});
compiler.once('exit', (code) => {
  if (!stopping) fail(`the compiler ended with code ${code}; see its message above.`);
});

/** Starts the worker anew; saves that come in while it does so count as one more. */
async function restart() {
  wanted = true;
  if (restarting || stopping) return;
  restarting = true;
  while (wanted && !stopping) {
    wanted = false;
    if (running !== undefined) await end(running);
    say(`dev: starting ${worker}`);
    running = start([join(root, worker)], 'inherit');
    running.once('exit', (code) => {
      if (code)
        say(`dev: the worker ended with code ${code}; it is started again on the next save`);
    });
  }
  restarting = false;
}

function start(args, stdout) {
  const options = { cwd: root, env, stdio: ['ignore', stdout, 'inherit'] };
  const child = spawn(process.execPath, ['--enable-source-maps', ...args], options);
  children.add(child);
  child.once('exit', () => children.delete(child));
  return child;
}

async function end(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const timer = setTimeout(() => child.kill('SIGKILL'), killAfterMs);
  await new Promise((resolve) => {
    child.once('exit', resolve);
    child.kill('SIGTERM');
  });
  clearTimeout(timer);
}

async function stopAll() {
  stopping = true;
  await Promise.all([...children].map(end));
  process.exit(0); // takes a development server of ours with it
}

async function temporalAddress() {
  if (process.env.TEMPORAL_ADDRESS) return process.env.TEMPORAL_ADDRESS;
  const module = pathToFileURL(join(root, 'dist/src/lab/temporal-server.js')).href;
  const attributes = pathToFileURL(join(root, 'dist/src/contract/search-attributes.js')).href;
  const { findTemporalCli, startDevServer } = await import(module);
  const { registeredTypes } = await import(attributes);
  try {
    const cli = await findTemporalCli({ log: say });
    const { address } = await startDevServer({
      cli,
      log: say,
      preferDefaultPorts: true,
      searchAttributes: registeredTypes(),
    });
    say(`dev: the Temporal command is ${cli}`);
    return address;
  } catch (error) {
    if (typeof error?.kind !== 'string') throw error;
    return fail(error.message);
  }
}
