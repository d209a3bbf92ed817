import { existsSync, linkSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openHttpClient } from '../support/http-client.js';
import { openOwnPlace, type OwnWorld, serveOwnPlace, textOf } from '../support/own-place.js';
import type { SdkClient } from '../support/sdk-clients.js';

// What Tidegate keeps for itself lies in the workspace here. No tool may show it or change it, whoever calls.

const state = '.local/state/tidegate';

describe('state in the workspace, as after `cd ~ && tidegate serve`', () => {
  let world: OwnWorld;
  let agent: SdkClient;
  let operator: SdkClient;
  beforeAll(async () => {
    const place = await openOwnPlace({ state: 'inside' });
    world = await serveOwnPlace(place);
    agent = await world.client('agent:mallory');
    operator = await world.client();
    writeFileSync(join(place.stateDir, 'secrets.json'), '{"KEPT":"kept-secret-value"}', { mode: 0o600 });
    symlinkSync(join(state, 'token'), place.at('link'));
    symlinkSync(state, place.at('folder'));
    linkSync(join(place.stateDir, 'token'), place.at('second-name'));
  });
  afterAll(() => world.close());

  const spellings = () => [
    `${state}/token`,
    `./${state}/token`,
    `.local/../${state}/token`,
    world.place.at(state, 'token'),
    `.LOCAL/state/tidegate/token`,
    'link',
    'folder/token',
    'second-name',
  ];

  it('[15.1] an agent with the default profile cannot read the token, so it cannot become admin', async () => {
    const found: string[] = [];
    for (const client of [agent, operator]) {
      for (const file_path of spellings()) found.push(await textOf(client, 'Read', { file_path }));
      for (const path of ['.', state, `${state}/token`, 'folder', 'link', 'second-name'])
        for (const include_ignored of [true, false])
          found.push(
            await textOf(client, 'Grep', { pattern: '.', path, output_mode: 'content', include_ignored }),
          );
    }
    expect(found.filter((text) => text.includes(world.place.token()))).toEqual([]);
    expect(found.filter((text) => text.includes('kept-secret-value'))).toEqual([]);
    // The control, by the same calls: a file beside it is read and found.
    expect(await textOf(agent, 'Read', { file_path: 'neighbour.txt' })).toContain('an ordinary file');
    expect(await textOf(agent, 'Grep', { pattern: 'ordinary', output_mode: 'content' })).toContain(
      'neighbour.txt',
    );
  });

  it('[15.1] control: the token makes its holder an admin', async () => {
    const http = openHttpClient(world.gate.base);
    const body = JSON.stringify({ principal: 'agent:mallory', admin: true });
    const ask = async (secret: string) =>
      (
        await http.send('/api/grants', body, {
          headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
        })
      ).status;
    expect(await ask('no-token')).toBe(401);
    expect(await ask(world.place.token())).toBe(200);
    http.close();
  });

  it('[15.1] files of Tidegate get the same answer as missing files', async () => {
    const absent = 'absent';
    const swap = (text: string, path: string) => text.replaceAll(path, '<path>');
    for (const path of [`${state}/token`, `${state}/state.db`, `${state}/trust.json`, state]) {
      for (const [tool, argument] of [
        ['Read', 'file_path'],
        ['Grep', 'path'],
        ['Glob', 'path'],
      ] as const) {
        const more = { pattern: '*' };
        const own = swap(await textOf(agent, tool, { [argument]: path, ...(tool !== 'Read' && more) }), path);
        const none = `${absent}/x`;
        expect(own).toBe(
          swap(await textOf(agent, tool, { [argument]: none, ...(tool !== 'Read' && more) }), none),
        );
      }
    }
  });

  it('[15.1] appears in no list and no search', async () => {
    for (const client of [agent, operator]) {
      for (const pattern of ['**', '**/*', `${state}/*`, '**/token', '**/state.db*', '**/trust.json']) {
        const listed = await textOf(client, 'Glob', { pattern, include_ignored: true });
        expect(listed).not.toMatch(/tidegate\/(?:token|state|trust|secrets)/);
        expect(listed).not.toContain('second-name');
      }
    }
    expect(await textOf(agent, 'Glob', { pattern: '**' })).toContain('neighbour.txt');
  });

  it('[15.1] cannot be written, not even by the operator', async () => {
    const before = readFileSync(join(world.place.stateDir, 'trust.json'), 'utf8');
    const writer = await world.client('agent:writer', 'coding');
    for (const client of [writer, operator]) {
      for (const name of ['trust.json', 'new.json', 'deep/new.json']) {
        for (const file_path of [`${state}/${name}`, `folder/${name}`, world.place.at(state, name)]) {
          const answer = await textOf(client, 'Write', { file_path, content: '{}' });
          expect(answer).toContain('protected');
          const edited = await textOf(client, 'Edit', { file_path, old_string: '{', new_string: '[' });
          expect(edited).toMatch(/protected/);
        }
      }
    }
    expect(readFileSync(join(world.place.stateDir, 'trust.json'), 'utf8')).toBe(before);
    expect(existsSync(join(world.place.stateDir, 'new.json'))).toBe(false);
    expect(await textOf(writer, 'Write', { file_path: '.local/state/other.txt', content: 'x' })).toContain(
      'other.txt',
    );
  });

  it('[15.1] a sandboxed command finds nothing there and cannot move it away', async () => {
    const runner = await world.client('agent:runner', 'execution');
    const { token, stateDir } = { token: world.place.token(), stateDir: world.place.stateDir };
    const inode = statSync(stateDir).ino;
    for (const client of [runner, operator]) {
      const commands = [
        `cat ${state}/token ${stateDir}/token link folder/token; ls -A ${state}`,
        `grep -rh . ${state} .local 2>/dev/null; find . -name token -size +0`,
        `mv ${state} gone; mv .local gone; mv .local/state gone; cat gone/token gone/state/tidegate/token`,
        `ln ${state}/token hard; cat hard; cp -r .local copy; cat copy/state/tidegate/token`,
        `echo x > ${state}/token; rm -rf ${state}; sqlite3 ${state}/state.db .dump`,
      ];
      for (const command of commands) {
        const answer = await textOf(client, 'Bash', { command });
        expect(answer).not.toContain(token);
        expect(answer).toContain('bubblewrap');
      }
    }
    expect([statSync(stateDir).ino, world.place.token()]).toEqual([inode, token]);
    expect(await textOf(runner, 'Bash', { command: 'cat neighbour.txt' })).toContain('an ordinary file');
  });
});

describe('store, log, profiles and model in the workspace', () => {
  let world: OwnWorld;
  let agent: SdkClient;
  let operator: SdkClient;
  const config = {
    store: { file: './data/rights.db' },
    log: { file: './logs/gate.log' },
    access: { profiles: './rules/who.yaml', model: './rules/model.fga' },
    servers: { hidden_one: { command: 'true', enabled: false } },
  };
  const profiles =
    'profiles:\n  odd: { tools: [Read, Glob, Grep, Write, Edit, Bash, BashOutput, KillBash] }\n';

  beforeAll(async () => {
    const place = await openOwnPlace({
      state: 'outside',
      config,
      files: {
        'rules/who.yaml': profiles,
        'rules/model.fga': 'model\n  schema 1.1\n',
        'logs/other.log': 'an ordinary log',
        '.tidegate/plugins.yaml': 'plugins: {}\n',
      },
    });
    world = await serveOwnPlace(place);
    agent = await world.client('agent:odd', 'odd');
    operator = await world.client();
  });
  afterAll(() => world.close());

  it('[15.2] the store is absent for every caller and every tool', async () => {
    for (const client of [agent, operator]) {
      for (const name of ['rights.db', 'rights.db-wal', 'rights.db-shm']) {
        expect(existsSync(world.place.at('data', name))).toBe(true);
        expect(await textOf(client, 'Read', { file_path: `data/${name}` })).toContain('does not exist');
        expect(await textOf(client, 'Write', { file_path: `data/${name}`, content: '' })).toContain(
          'protected',
        );
      }
      const found = await textOf(client, 'Glob', { pattern: 'data/**', include_ignored: true });
      expect(found).not.toContain('rights.db');
      const grep = { pattern: 'SQLite', path: '.', output_mode: 'files_with_matches', include_ignored: true };
      expect(await textOf(client, 'Grep', grep)).not.toContain('rights.db');
    }
  });

  it('[15.2] sqlite3 in the sandbox cannot make its caller an admin', async () => {
    const before = statSync(world.place.at('data', 'rights.db')).ino;
    const insert = 'sqlite3 data/rights.db "select count(*) from audit; create table t(x)"';
    for (const client of [agent, operator]) {
      for (const command of [
        `ls -la data; ${insert}`,
        'cat data/rights.db data/rights.db-wal | strings | head; mv data d; ls d; cp data/rights.db x; sqlite3 x .tables',
        'ln data/rights.db y; rm -f data/rights.db*; echo x > data/rights.db-wal; ls y',
      ]) {
        const answer = await textOf(client, 'Bash', { command });
        expect(answer).toContain('bubblewrap');
        expect(answer).not.toMatch(/rights\.db-shm|SQLite format|CREATE TABLE/);
      }
    }
    expect(statSync(world.place.at('data', 'rights.db')).ino).toBe(before);
    // The store goes on: a grant is made and read.
    expect(await textOf(agent, 'Read', { file_path: 'neighbour.txt' })).toContain('an ordinary file');
    // The control: the same command on a database that is not ours.
    const control = 'sqlite3 mine.db "create table t(x); select count(*) from t"';
    expect(await textOf(agent, 'Bash', { command: control })).toContain('0');
  });

  it('[15.2] reading next to the store leaves its locks alone: WAL and shm stay, and lists stay complete', async () => {
    const { runGate } = await import('../support/run-program.js');
    for (let count = 0; count < 3; count += 1) {
      await textOf(agent, 'Read', { file_path: 'data/rights.db' });
      await textOf(agent, 'Grep', { pattern: 'x', path: 'data/rights.db' });
      await textOf(agent, 'Grep', { pattern: 'x', path: 'data', include_ignored: true });
      const listed = await runGate(world.place, ['token', 'list', '--json']);
      expect(listed.status).toBe(0);
    }
    expect(existsSync(world.place.at('data', 'rights.db-wal'))).toBe(true);
    expect((await agent.tools()).map(({ name }) => name)).toContain('Read');
  });

  it('[15.2] profiles and model cannot be written, and only the operator can read them', async () => {
    for (const path of ['rules/who.yaml', 'rules/model.fga', '.tidegate/plugins.yaml', 'tidegate.yaml']) {
      const before = readFileSync(world.place.at(path), 'utf8');
      for (const client of [agent, operator]) {
        expect(await textOf(client, 'Write', { file_path: path, content: 'x' })).toContain('protected');
        const command = `echo x > ${path}; sed -i s/a/b/ ${path}; mv ${path} moved; rm -f ${path}; mv $(dirname ${path}) m`;
        expect(await textOf(client, 'Bash', { command })).toContain('bubblewrap');
      }
      expect(readFileSync(world.place.at(path), 'utf8')).toBe(before);
      expect(await textOf(operator, 'Read', { file_path: path })).toContain(before.slice(0, 5).trim());
      expect(await textOf(agent, 'Read', { file_path: path })).toContain('does not exist');
      expect(await textOf(operator, 'Bash', { command: `cat ${path}` })).toContain(before.slice(0, 5).trim());
    }
    expect(await textOf(agent, 'Bash', { command: 'echo x > rules/new.txt; cat rules/new.txt' })).toContain(
      'x',
    );
  });

  it('[15.16] tidegate.yaml reveals servers only to the operator', async () => {
    const reads = [
      await textOf(agent, 'Read', { file_path: 'tidegate.yaml' }),
      await textOf(agent, 'Grep', { pattern: 'hidden_one', output_mode: 'content', include_ignored: true }),
      await textOf(agent, 'Grep', { pattern: 'hidden', path: 'tidegate.yaml', output_mode: 'content' }),
      await textOf(agent, 'Glob', { pattern: '*.yaml' }),
      await textOf(agent, 'Bash', {
        command: 'cat tidegate.yaml; grep -r hidden_ . ; cat < tidegate.yaml; cp tidegate.yaml c; cat c',
      }),
    ];
    expect(reads.filter((text) => text.includes('hidden_one'))).toEqual([]);
    expect(reads[3]).not.toContain('tidegate.yaml');
    expect(reads[0]).toBe(
      (await textOf(agent, 'Read', { file_path: 'nothing.yaml' })).replaceAll('nothing', 'tidegate'),
    );
    // The control: the operator sees it by the same calls.
    expect(await textOf(operator, 'Read', { file_path: 'tidegate.yaml' })).toContain('hidden_one');
    expect(await textOf(operator, 'Grep', { pattern: 'hidden_one', output_mode: 'content' })).toContain(
      'hidden_one',
    );
    expect(await textOf(operator, 'Bash', { command: 'cat tidegate.yaml' })).toContain('hidden_one');
  });

  it('[15.41] the log is absent, and cannot be replaced with a link', async () => {
    writeFileSync(world.place.at('logs', 'gate.log.1'), 'rotated');
    for (const client of [agent, operator]) {
      expect(await textOf(client, 'Read', { file_path: 'logs/gate.log' })).toContain('does not exist');
      expect(await textOf(client, 'Read', { file_path: 'logs/gate.log.1' })).toContain('does not exist');
      expect(await textOf(client, 'Write', { file_path: 'logs/gate.log', content: '' })).toContain(
        'protected',
      );
      const command =
        'cat logs/gate.log logs/gate.log.1; rm -f logs/gate.log; ln -sf ../victim logs/gate.log; mv logs l; mkfifo logs/gate.log; echo done';
      const answer = await textOf(client, 'Bash', { command });
      expect(answer).toContain('done');
      expect(answer).not.toMatch(/rotated|"msg"/);
    }
    expect(statSync(world.place.at('logs', 'gate.log')).isFile()).toBe(true);
    expect(await textOf(agent, 'Bash', { command: 'cat logs/other.log' })).toContain('an ordinary log');
  });
});

describe('command output that is too long for a result', () => {
  let world: OwnWorld;
  beforeAll(async () => {
    world = await serveOwnPlace(await openOwnPlace({ state: 'outside' }));
  });
  afterAll(() => world.close());

  it('[15.40] can be read by the principal that ran the command, and by no other', async () => {
    const [ana, eve] = [
      await world.client('agent:ana', 'execution'),
      await world.client('agent:eve', 'execution'),
    ];
    const said = await textOf(ana, 'Bash', { command: 'seq 1 200000 | sed s/^/canary-of-ana-/' });
    const file = /\.tidegate\/output\/[\w/.-]+\.txt/.exec(said)?.[0] ?? '';
    expect(file).not.toBe('');
    expect(await textOf(ana, 'Read', { file_path: file })).toContain('canary-of-ana-1');
    expect(await textOf(ana, 'Bash', { command: `head -2 ${file}` })).toContain('canary-of-ana-1');
    expect(await textOf(ana, 'Grep', { pattern: 'ana-77$', path: file, output_mode: 'content' })).toContain(
      'ana-77',
    );
    const operator = await world.client();
    for (const other of [eve, operator]) {
      const tries = [
        await textOf(other, 'Read', { file_path: file }),
        await textOf(other, 'Grep', {
          pattern: 'canary',
          path: '.tidegate',
          output_mode: 'content',
          include_ignored: true,
        }),
        await textOf(other, 'Glob', { pattern: '.tidegate/**', include_ignored: true }),
        await textOf(other, 'Bash', {
          command: `head -2 ${file}; find .tidegate; grep -rh canary-of . | head -3`,
        }),
      ];
      expect(
        tries.filter((text) => /canary-of-ana-\d|bash-[0-9a-f]{12}/.test(text.replaceAll(file, ''))),
      ).toEqual([]);
    }
    mkdirSync(world.place.at('shared'));
    writeFileSync(world.place.at('shared', 'out.txt'), 'canary-of-ana-1');
    expect(await textOf(eve, 'Bash', { command: 'cat shared/out.txt' })).toContain('canary-of-ana-1');
  });
});
