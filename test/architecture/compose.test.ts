import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { projectFile, projectRoot } from '../support/root.js';

const compose = readFileSync(projectFile('docker-compose.yml'), 'utf8');
const dockerfile = readFileSync(projectFile('deploy/Dockerfile'), 'utf8');
const exactVersion = /^[a-z0-9/.-]+:v?\d+\.\d+(\.\d+)?(-[a-z0-9.-]+)?$/;

const version = spawnSync('docker-compose', ['version', '--short'], { encoding: 'utf8' });
const missing =
  version.status === 0
    ? false
    : 'docker-compose is not on the PATH (Debian: apt-get install docker-compose)';

describe('docker-compose.yml', () => {
  it('is accepted by docker-compose', { skip: missing }, () => {
    const answer = spawnSync('docker-compose', ['config', '-q'], {
      cwd: projectRoot(),
      encoding: 'utf8',
    });
    assert.equal(answer.stderr, '');
    assert.equal(answer.status, 0);
  });

  it('holds server, database, UI, worker, upstream, metrics and dashboards', { skip: missing }, () => {
    const answer = spawnSync('docker-compose', ['config', '--services'], {
      cwd: projectRoot(),
      encoding: 'utf8',
    });
    const services = answer.stdout.trim().split('\n');
    for (const name of ['postgres', 'temporal', 'ui', 'worker', 'upstream', 'prometheus', 'grafana']) {
      assert.ok(services.includes(name), `${name} is not among ${services.join(', ')}`);
    }
  });

  it('takes every image by an exact version', () => {
    const images = [...compose.matchAll(/^\s*image: (.+)$/gm)].map(([, image]) => image ?? '');
    assert.ok(images.length >= 5);
    for (const image of images) assert.match(image, exactVersion);
  });

  it('opens ports on this machine only', () => {
    const ports = [...compose.matchAll(/^\s*- '([\d.:]+:\d+)'$/gm)].map(([, port]) => port ?? '');
    assert.ok(ports.length >= 2);
    for (const port of ports) assert.match(port, /^127\.0\.0\.1:\d+:\d+$/);
  });

  it('mounts and runs only files that are there', () => {
    const mounted = [...compose.matchAll(/\.\/(deploy\/[\w./-]+):/g)].map(([, path]) => path ?? '');
    const run = [...compose.matchAll(/'((?:dist|deploy)\/[\w./-]+\.m?js)'/g)].map(
      ([, path]) => path ?? '',
    );
    assert.ok(mounted.length >= 3 && run.length >= 3);
    for (const path of [...mounted, ...run]) assert.ok(existsSync(projectFile(path)), path);
  });
});

describe('the Dockerfile', () => {
  it('takes its base by an exact version', () => {
    const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image ?? '');
    assert.ok(bases.length >= 1);
    for (const base of bases) assert.match(base, exactVersion);
  });

  it('installs what is locked and builds from source', () => {
    assert.match(dockerfile, /^RUN npm ci$/m);
    assert.match(dockerfile, /^RUN node scripts\/build\.mjs/m);
  });

  it('does not run as root', () => {
    assert.match(dockerfile, /^USER node$/m);
  });
});
