// Secrets passed to a plugin stay secret, even if the plugin fails and reports why.
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { openPluginPlace, type PluginPlace } from '../support/plugin-place.js';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const setting = 'correct horse battery';
const variable = 'opensesame-of-forty-thieves-and-more-than-forty-characters';

function open(...behaviours: readonly string[]): PluginPlace {
  const place = openPluginPlace({}, { log: { level: 'debug' } });
  closers.push(() => place.close());
  const folder = place.addPeer('peer', { behaviours }, join(place.workspace, 'vendor'));
  place.writeList({ peer: { path: folder, config: { access: setting }, env: { PEER_SECRET: variable } } });
  place.trustPlugins('peer');
  return place;
}

/** Everything that an agent, the log and the operator could see. */
function said(place: PluginPlace, ...args: readonly string[]): string {
  const { stdout, stderr } = place.run(...args);
  return `${stdout}\n${stderr}`;
}

function expectNone(text: string): void {
  expect(text).toContain('[redacted]');
  expect(text).not.toContain('[redacted]]');
  for (const part of ['correct', 'horse', 'battery', variable.slice(0, 12)]) expect(text).not.toContain(part);
}

/** An MCP server that reveals its variable: in a protocol error, in a tool error, and in a result. */
const confessing = `
const send = (id, more) => console.log(JSON.stringify({ jsonrpc: '2.0', id, ...more }));
const secret = process.env.PEER_SECRET;
const tools = [{ name: 'confess', inputSchema: { type: 'object' } }];
const info = { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } };
const how = {
  error: { error: { code: -32000, message: 'no: ' + secret, data: { tried: [secret], code: 7 } } },
  tool: { result: { content: [{ type: 'text', text: 'no: ' + secret }], isError: true } },
  answer: { result: { content: [{ type: 'text', text: secret }] } },
};
require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === 'initialize') send(id, { result: info });
  else if (method === 'tools/list') send(id, { result: { tools } });
  else if (method === 'tools/call') send(id, how[params.arguments.how]);
  else if (id !== undefined) send(id, { error: { code: -32601, message: 'unknown' } });
});
`;

describe('settings and variables of an MCP server among the plugins', () => {
  it('appear in its results but not in its errors', () => {
    const place = openPluginPlace({}, { log: { level: 'debug' } });
    closers.push(() => place.close());
    place.writeWorkspace('server.cjs', confessing);
    const command = [process.execPath, join(place.workspace, 'server.cjs')];
    place.writeList({ srv: { type: 'mcp', command, env: { PEER_SECRET: variable } } });
    place.trustPlugins('srv');
    for (const how of ['error', 'tool'])
      expectNone(said(place, 'plugin', 'call', 'srv', 'confess', `how=${how}`));
    expect(said(place, 'plugin', 'call', 'srv', 'confess', 'how=error', '--json')).not.toContain(variable);
    // The control: its result is not redacted, and shows that it has the secret.
    expect(said(place, 'plugin', 'call', 'srv', 'confess', 'how=answer')).toContain(variable);
  });
});

describe('settings and variables of a plugin', () => {
  it('do not appear if its start fails', () => {
    const place = open('init-tells');
    expectNone(said(place, 'plugin', 'call', 'peer', 'echo', 'text=a'));
    expectNone(said(place, 'plugin', 'show', 'peer'));
  });

  it('do not appear from its first line', () => {
    expectNone(said(open('greets-with-secret'), 'plugin', 'call', 'peer', 'echo', 'text=a'));
  });

  it('do not appear in the error of an operation', () => {
    const place = open('confess');
    for (const how of ['error', 'status'])
      expectNone(said(place, 'plugin', 'call', 'peer', 'confess', `how=${how}`));
    // The control: its result is not redacted, and shows that it has them.
    const { stdout } = place.run('plugin', 'call', 'peer', 'confess', 'how=answer');
    expect(stdout).toContain(setting);
    expect(stdout).toContain(variable);
  });
});
