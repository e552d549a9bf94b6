import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { Client, WithStartWorkflowOperation } from '@temporalio/client';
import { holdfast, SearchAttributesMissingError } from 'holdfast';
import type { Check } from '../../src/cli/doctor/check.js';
import { type DoctorOptions, examine } from '../../src/cli/doctor/examine.js';
import { searchAttributeCheck } from '../../src/cli/doctor/search-attributes.js';
import { sdkCheck } from '../../src/cli/doctor/version-checks.js';
import { registeredTypes } from '../../src/contract/search-attributes.js';
import { freePort } from '../../src/lab/free-port.js';
import { findTemporalCli } from '../../src/lab/temporal-server.js';
import { cleanEnv, type HoldfastEnd, runHoldfast } from '../support/holdfast-command.js';
import { readmeCommands } from '../support/readme-block.js';
import { type Rig, startRig } from '../support/rig.js';
import { projectFile } from '../support/root.js';
import { runTemporal } from '../support/temporal-command.js';
import { until } from '../support/until.js';
import { taskImplementations } from '../workflows/fixture/task-implementations.js';

let rig: Rig;
before(async () => {
  rig = await startRig({
    workflows: 'test/ui/fixture/index-workflows.js',
    implementations: taskImplementations(),
    namespaces: ['another'],
    dynamicConfig: { 'history.timerProcessorMaxTimeShift': '"1s"' },
  });
});
after(() => rig?.stop());

const doctor = (...args: readonly string[]): Promise<HoldfastEnd> =>
  runHoldfast(['doctor', ...args], { env: { TEMPORAL_ADDRESS: rig.address } });

/** What one check says, without the time that a process takes. */
async function found(check: string, options: DoctorOptions = {}): Promise<Check> {
  const { address, client } = rig;
  const checks = await examine(client, { address, namespace: 'default', ...options });
  const one = checks.find((each) => each.check === check);
  assert.ok(one, JSON.stringify(checks));
  return one;
}

type Told = { readonly checks: readonly Check[]; readonly faults: number };

const operator = async (...args: readonly string[]): Promise<void> => {
  const ended = await runTemporal(rig.address, ['operator', ...args]);
  assert.equal(ended.code, 0, ended.output);
};

describe('a start with search attributes that the namespace does not have', () => {
  it('is refused on every way, with the command that registers them', async () => {
    const { workflow } = new Client({
      connection: rig.client.connection,
      namespace: 'another',
      plugins: [holdfast({ searchAttributes: true })],
    });
    const options = { taskQueue: rig.taskQueue, workflowId: rig.id('refused'), args: [{}] };
    const startWorkflowOperation = new WithStartWorkflowOperation('agentTask', {
      ...options,
      workflowIdConflictPolicy: 'FAIL',
    });
    startWorkflowOperation.workflowHandle().catch(() => {}); // the update itself is what is asked
    const starts = [
      workflow.start('agentTask', options),
      workflow.signalWithStart('agentTask', { ...options, signal: 'poke' }),
      workflow.executeUpdateWithStart('ask', { startWorkflowOperation }),
    ];
    for (const refused of await Promise.allSettled(starts)) {
      assert.ok(refused.status === 'rejected');
      assert.ok(refused.reason instanceof SearchAttributesMissingError, String(refused.reason));
      assert.match(refused.reason.message, /holdfast doctor --fix/);
    }
  });
});

describe('holdfast doctor', () => {
  it('gives examples, in lines of at most 100 characters', async () => {
    const { stdout } = await doctor('--help');
    assert.match(stdout, /Examples:\n {2}holdfast doctor\n/);
    assert.deepEqual(
      stdout.split('\n').filter((line) => line.length > 100),
      [],
    );
  });

  it('warns of missing search attributes, registers them with --fix, and finds them there the next time', async () => {
    const before = await found('search attributes');
    assert.equal(before.state, 'warning');
    assert.match(before.found, /^missing: HoldfastOutcome, HoldfastDegraded,/);
    assert.match(before.advice ?? '', /doctor --fix/);
    const fixed = await found('search attributes', { fix: true });
    assert.equal(fixed.state, 'ok');
    assert.match(fixed.found, /^registered HoldfastOutcome, .*HoldfastBreakerOpen$/);
    const again = await found('search attributes', { fix: true });
    assert.equal(again.found, 'all four are registered');
    const listed = await runTemporal(rig.address, ['operator', 'search-attribute', 'list']);
    for (const [name, type] of Object.entries(registeredTypes())) {
      assert.match(listed.stdout, new RegExp(`${name}\\s+${type}\\b`));
    }
  });

  it('finds a fault in attributes of another type, and changes nothing', async () => {
    const create = ['search-attribute', 'create', '--namespace', 'another'];
    await operator(...create, '--name', 'HoldfastRetries', '--type', 'Keyword');
    const ended = await doctor('--namespace', 'another', '--fix', '--json');
    assert.equal(ended.code, 1, ended.stderr);
    const { checks, faults } = JSON.parse(ended.stdout) as Told; // the command's own JSON
    const one = checks.find(({ check }) => check === 'search attributes');
    assert.deepEqual([one?.state, faults], ['fault', 1]);
    assert.equal(one?.found, 'HoldfastRetries is registered as KEYWORD, not as INT');
    const listed = await runTemporal(rig.address, [
      ...['operator', 'search-attribute', 'list', '--namespace', 'another'],
    ]);
    assert.doesNotMatch(listed.stdout, /HoldfastOutcome/);
  });

  it('finds that a namespace is not there', async () => {
    const { state, found: said } = await found('namespace', { namespace: 'nowhere' });
    assert.deepEqual([state, said], ['fault', 'there is no namespace nowhere']);
  });

  it('ends with 3 and the address where no server answers', async () => {
    const address = `127.0.0.1:${await freePort()}`;
    const ended = await doctor('--address', address, '--json');
    assert.deepEqual([ended.code, ended.stdout], [3, '']);
    const { error } = JSON.parse(ended.stderr) as {
      readonly error: Readonly<Record<string, string>>;
    };
    assert.equal(error.kind, 'server-unreachable');
    assert.ok(error.message?.includes(address));
  });

  it('finds a ledger that forgets before the namespace does, and one that is not there', async () => {
    await operator('namespace', 'update', '--namespace', 'another', '--retention', '1440h');
    const ledger = rig.ledgerPath;
    const [answers, forgets, long, missing] = await Promise.all([
      found('ledger', { ledger }),
      found('ledger', { ledger, namespace: 'another' }),
      found('ledger', { ledger, namespace: 'another', retentionDays: 60 }),
      found('ledger', { ledger: `${ledger}.none` }),
    ]);
    assert.equal(answers.state, 'ok');
    assert.equal(forgets.state, 'fault');
    assert.match(forgets.found, /for 30 days, and the namespace its workflows for 60 days/);
    assert.equal(long.state, 'ok');
    assert.match(missing.found, /There is no ledger at/);
  });

  it('finds a store of the fleet that does not answer', async () => {
    const fleet = `postgres://app:secret@127.0.0.1:${await freePort()}/holdfast`;
    const { state, found: said } = await found('fleet store', { fleet });
    assert.equal(state, 'fault');
    assert.match(said, /^can't be used: connect ECONNREFUSED/);
    assert.doesNotMatch(said, /secret/);
  });

  it('wants an address of PostgreSQL for the store of a fleet', async () => {
    const { state, found: said } = await found('fleet store', { fleet: 'fleet.db' });
    assert.equal(state, 'fault');
    assert.match(said, /^can't be used: it must be postgres:/);
  });

  it('refuses a namespace without a name', async () => {
    const { code, stderr } = await doctor('--namespace', '');
    assert.equal(code, 2, stderr);
    assert.match(stderr, /--namespace must not be empty/);
  });

  it('looks at the rest where it may not look at the namespace', async () => {
    const { address, client } = rig;
    const workflowService = new Proxy(client.workflowService, {
      get: (service, name) =>
        name === 'describeNamespace'
          ? () => Promise.reject(Object.assign(new Error('denied'), { code: 7 }))
          : Reflect.get(service, name),
    });
    const limited = new Client({ connection: client.connection });
    Object.defineProperty(limited, 'workflowService', { value: workflowService });
    const checks = await examine(limited, { address, namespace: 'default' });
    const states = new Map(checks.map(({ check, state }) => [check, state]));
    assert.equal(states.get('namespace'), 'unchecked');
    assert.notEqual(states.get('search attributes') ?? 'unchecked', 'unchecked');
  });

  it('finds workflows that are retried over their activities', async () => {
    const handle = await rig.client.workflow.start('agentTask', {
      taskQueue: rig.taskQueue,
      workflowId: rig.id('layered'),
      args: [{ steps: [{ id: 'rule', tool: 'answer_by_rule', input: {} }] }],
      retry: { maximumAttempts: 5 },
    });
    await handle.result();
    const { workflowService } = rig.client.connection;
    const request = { namespace: 'default', query: `WorkflowId = '${handle.workflowId}'` };
    await until(
      async () => Number((await workflowService.countWorkflowExecutions(request)).count) === 1,
    );
    const { state, found: said } = await found('retries in layers');
    assert.equal(state, 'warning');
    assert.match(said, /agentTask: 5 attempts of the workflow over 3 attempts of an activity, 15/);
  });

  it('runs as README shows it: what is missing is registered, and the waits of the server are measured', async () => {
    for (const command of readmeCommands('doctor')) {
      const [npx, holdfast, ...args] = command.split(' ');
      assert.deepEqual([npx, holdfast], ['npx', 'holdfast']);
      const ended = await runHoldfast(args, { env: { TEMPORAL_ADDRESS: rig.address } });
      assert.equal(ended.code, 0, ended.stdout + ended.stderr);
      if (!args.includes('--probe')) continue;
      assert.match(
        ended.stdout,
        /^timers +warning +a retry after 200 ms came after \d+ ms, \d+ ms/m,
      );
      assert.match(ended.stdout, /history\.timerProcessorMaxTimeShift/);
    }
  });
});

describe('the script that prepares the namespace of docker-compose.yml', () => {
  it('registers just these attributes, and leaves those alone that are there', async () => {
    const script = projectFile('deploy', 'temporal', 'namespace.sh');
    const named = (await readFile(script, 'utf8')).matchAll(/--name (\w+) --type (\w+)/g);
    const types = Object.fromEntries([...named].map(([, name, type]) => [name, type]));
    assert.deepEqual(types, registeredTypes());
    const cli = await findTemporalCli({ log: () => {} });
    const env = cleanEnv({
      PATH: `${dirname(cli)}${delimiter}${process.env.PATH}`,
      TEMPORAL_ADDRESS: rig.address,
    });
    await promisify(execFile)('sh', [script], { env });
    await promisify(execFile)('sh', [script], { env });
    assert.equal((await found('search attributes')).state, 'ok');
  });
});

describe('the check of search attributes', () => {
  /** A server on which only an operator may look at attributes, and which knows none. */
  const denied = () => Promise.reject(Object.assign(new Error('denied'), { code: 7 }));
  const unknown = ({ query }: { readonly query: string }) =>
    Promise.reject(
      Object.assign(new Error('3 INVALID_ARGUMENT'), {
        code: 3,
        details: `invalid query: invalid search attribute: ${query.split(' ')[0]}`,
      }),
    );
  const client = {
    workflowService: { countWorkflowExecutions: unknown },
    connection: { operatorService: { listSearchAttributes: denied, addSearchAttributes: denied } },
  } as unknown as Client; // as much of one as the check uses

  it('says to whoever has no rights what an operator has to run', async () => {
    const looked = await searchAttributeCheck(client, { namespace: 'mine', mayFix: false });
    assert.equal(looked.state, 'warning');
    const fixed = await searchAttributeCheck(client, { namespace: 'mine', mayFix: true });
    assert.equal(fixed.state, 'fault');
    assert.match(
      fixed.advice ?? '',
      /temporal operator search-attribute create --namespace mine --name HoldfastOutcome --type Keyword/,
    );
  });
});

describe('the check of versions', () => {
  it('finds the packages of an installation in whatever folder', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'holdfast doctor #1 '));
    try {
      for (const name of ['dist', 'node_modules', 'package.json']) {
        await symlink(projectFile(name), join(folder, name));
      }
      const program = join(folder, 'dist/src/cli/doctor/version-checks.js');
      const script = `const { versionChecks } = await import(${JSON.stringify(pathToFileURL(program))});
        console.log(JSON.stringify(versionChecks('/')));`;
      const args = ['--preserve-symlinks', '--input-type=module', '-e', script];
      const { stdout } = await promisify(execFile)(process.execPath, args);
      const one = (JSON.parse(stdout) as Check[]).find(({ check }) => check === 'sdk'); // its own
      assert.match(one?.found ?? '', /^Temporal's packages are all \d/);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  const seen = (version: string, path: string) => ({ name: '@temporalio/client', version, path });
  const cases = [
    ['ok', [seen('1.24.0', 'a'), seen('1.24.0', 'a')]],
    ['warning', [seen('1.24.0', 'a'), seen('1.24.0', 'b')]],
    ['fault', [seen('1.24.0', 'a'), seen('1.23.0', 'b')]],
  ] as const;
  for (const [state, packages] of cases) {
    it(`answers ${state} for ${packages.map((one) => `${one.version} at ${one.path}`).join(' and ')}`, () => {
      assert.equal(sdkCheck(packages).state, state);
    });
  }
});
