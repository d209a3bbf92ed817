import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type MadeToken, type TokenCommands, tokenCommands } from '../support/client-tokens.js';
import { type HttpGate, openHttpGate, openPlace, type Place, waitFor } from '../support/gate.js';
import { nodeServer } from '../support/hostile-servers.js';
import { type HttpClient, modernHeaders, openHttpClient } from '../support/http-client.js';
import { envelope } from '../support/line-client.js';

const limitMs = 150_000;
const question = '"input_required"';
const ambiguous = 'could belong to several calls';
const capabilities = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } } };

let place: Place;
let gate: HttpGate;
let http: HttpClient;
let tokens: TokenCommands;
let alice: MadeToken;
let bob: MadeToken;

beforeEach(async () => {
  const up = { ...nodeServer('asking-server.mjs'), prefix: '' };
  const silent = { ...nodeServer('asking-server.mjs', '--silent'), prefix: 'silent_' };
  place = openPlace({ servers: { up, silent } });
  gate = await openHttpGate(place);
  http = openHttpClient(gate.base);
  tokens = tokenCommands(place);
  alice = await tokens.create('agent:alice', '--profile', 'full');
  bob = await tokens.create('agent:bob', '--profile', 'full');
}, limitMs);
afterEach(async () => {
  http.close();
  await gate.close();
  place.close();
});

async function call(who: MadeToken, name: string, more: object = {}, signal?: AbortSignal): Promise<string> {
  const mark = who.principal.replace('agent:', '');
  const params = { name, arguments: { mark }, ...more, _meta: envelope(capabilities) };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  const headers = { ...modernHeaders('tools/call', name), authorization: `Bearer ${who.secret}` };
  return (await http.send('/mcp', body, { headers, limitMs, ...(signal && { signal }) })).text;
}

/** Alice lets a question wait, and gets what answers it. Bob is asked in vain: this is the control. */
async function park(): Promise<object> {
  const asked = await call(alice, 'ask');
  expect(asked).toContain(question);
  expect(await call(bob, 'ask')).toContain(ambiguous);
  const [, requestState] = /"requestState":"([^"]+)"/.exec(asked) ?? [];
  const [, key = ''] = /"inputRequests":\{"([^"]+)"/.exec(asked) ?? [];
  return { requestState, inputResponses: { [key]: { action: 'accept', content: { name: 'Zoe' } } } };
}

async function untilAsked(who: MadeToken): Promise<void> {
  let last = '';
  const isAsked = async (): Promise<boolean> => {
    last = await call(who, 'ask');
    return last.includes(question);
  };
  await waitFor(isAsked, limitMs, () => last);
}

describe('a server that several callers share', () => {
  it('[15.48] a void credential ends its parked call, and others can be asked', {
    timeout: limitMs,
  }, async () => {
    await park();
    expect(await call(bob, 'ledger')).not.toContain('alice');
    await tokens.revoke(alice.id);
    let ledger = '';
    const isEnded = async (): Promise<boolean> => {
      ledger = await call(bob, 'ledger');
      return ledger.includes('alice');
    };
    await waitFor(isEnded, limitMs, () => ledger);
    expect(await call(bob, 'ask')).toContain(question);
  });

  it('[15.48] one principal cannot block it with a question that it never answers', {
    timeout: limitMs,
  }, async () => {
    const answer = await park();
    await untilAsked(bob);
    expect(await call(bob, 'ledger')).toContain('alice');
    expect(await call(alice, 'ask', answer)).toContain('ask.expired');
    expect(await call(alice, 'ask')).toContain('provider.busy');
  });

  it('[15.48] an answer in time is accepted even if others wait', { timeout: limitMs }, async () => {
    const answer = await park();
    expect(await call(alice, 'ask', answer)).toContain('told');
  });

  it('[15.48] a cancelled call that a silent server never answers blocks others for seconds only', {
    timeout: limitMs,
  }, async () => {
    const leaving = new AbortController();
    const hanging = call(alice, 'silent_hang', {}, leaving.signal).catch(() => 'left');
    // Once it is there, the server works for two sessions: whose a question is cannot be told. This is the control.
    let said = '';
    const isHung = async (): Promise<boolean> => {
      said = await call(bob, 'silent_ask');
      return said.includes(ambiguous) || said.includes('provider.busy');
    };
    await waitFor(isHung, limitMs, () => said);
    leaving.abort();
    expect(await hanging).toBe('left');
    const since = performance.now();
    const asked: string[] = [];
    const isAsked = async (): Promise<boolean> => {
      const answer = await call(bob, 'silent_ask');
      asked.push(answer);
      return answer.includes(question);
    };
    await waitFor(isAsked, limitMs, () => asked.at(-1) ?? '');
    expect(performance.now() - since).toBeLessThan(15_000);
    // Bob is asked about his own call, never about the one that Alice left.
    for (const answer of asked) expect(answer).not.toContain('alice?');
  });

  it('[15.12] a call that never ends delays others only briefly', { timeout: limitMs }, async () => {
    const answer = await park();
    expect(await call(alice, 'ask', answer)).toContain('told');
    let isOver = false;
    const hanging = call(alice, 'hang').finally(() => (isOver = true));
    let said = '';
    const isBusy = async (): Promise<boolean> => {
      said = await call(bob, 'echo');
      return said.includes('provider.busy');
    };
    // The first tries may come before the call that hangs.
    await waitFor(isBusy, limitMs, () => said);
    expect(said).toContain('retryable');
    // The control: the server is held all the same.
    expect(isOver).toBe(false);
    await tokens.revoke(alice.id);
    await hanging;
    expect(await call(bob, 'echo')).toContain('echo bob');
  });
});
