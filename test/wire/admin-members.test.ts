import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HttpGate, openHttpGate, openPlace, type Place } from '../support/gate.js';
import { tokenOf } from '../support/raw-client.js';

let place: Place;
let gate: HttpGate;

beforeAll(async () => {
  place = openPlace({ builtins: ['*'] });
  gate = await openHttpGate(place);
});
afterAll(async () => {
  await gate.close();
  place.close();
});

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** Node's own client, because `fetch` sends no body with GET. */
function ask(method: string, path: string, body = ''): Promise<Answer> {
  const headers = {
    authorization: `Bearer ${tokenOf(place)}`,
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
  };
  return new Promise((resolve, reject) => {
    const asked = request(new URL(path, gate.base), { method, headers }, (response) => {
      let text = '';
      response.on('data', (part: Buffer) => (text += part.toString()));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    asked.on('error', reject);
    asked.end(body);
  });
}

/** All rights and tokens stored in the gateway. */
async function state(): Promise<string> {
  const [access, tokens] = [await ask('GET', '/api/access'), await ask('GET', '/api/tokens')];
  return access.text + tokens.text.replaceAll(/"lastUsedAt":"[^"]*"/g, '');
}

const grant = '{"principal":"agent:x","what":"Read"}';

describe('[16.17] the admin API never ignores input', () => {
  it.each([
    ['POST', '/api/audit/prune?dryRun=true', '{"olderThan":"1d"}', 'dryRun'],
    ['POST', '/api/tokens?expires=1h', '{"principal":"agent:q"}', 'expires'],
    ['POST', '/api/grants?until=1h', grant, 'until'],
    ['DELETE', '/api/grants?principal=agent:y', grant, 'principal'],
    ['PUT', '/api/principals/agent:x/profile?dryRun=true', '{"profile":"minimal"}', 'dryRun'],
    ['DELETE', '/api/tokens/none?dryRun=true', '', 'dryRun'],
    ['POST', '/api/tools/Bash/call?dry_run=true', '{"command":"echo ran"}', 'dry_run'],
    ['POST', '/api/access?dry_run=true', '{}', 'dry_run'],
    ['GET', '/api/tools?profile=minimal', '', 'profile'],
    ['GET', '/api/status?verbose=1', '', 'verbose'],
    ['GET', '/api/access?format=yaml', '', 'format'],
  ])('refuses an unknown query parameter: %s %s', async (method, path, body, name) => {
    const before = await state();
    const { status, text } = await ask(method, path, body);
    expect(status).toBe(400);
    expect(text).toContain('access.bad_request');
    expect(text).toContain(`\\"${name}\\"`);
    expect(text).not.toContain('ran\\n');
    expect(await state()).toBe(before);
  });

  it.each([
    ['POST', '/api/grants', '{"principal":"agent:a1","principal":"agent:a2","what":"Read"}'],
    ['POST', '/api/tokens', '{"principal":"agent:a1","princip\\u0061l":"agent:a2"}'],
    ['POST', '/api/access', '{"version":1,"grants":[{"principal":"agent:a1","principal":"agent:a2"}]}'],
  ])('refuses a duplicate JSON key: %s %s', async (method, path, body) => {
    const before = await state();
    const { status, text } = await ask(method, path, body);
    expect(status).toBe(400);
    expect(text).toContain('input.invalid');
    expect(text).toContain('Duplicate key \\"principal\\"');
    expect(await state()).toBe(before);
  });

  it.each([
    ['GET', '/api/check?principal=agent:x&what=Read', '{"action":"see"}'],
    ['GET', '/api/tools', '{"profile":"minimal"}'],
    ['DELETE', '/api/tokens/none', '{"dryRun":true}'],
  ])('refuses a body where none is allowed: %s %s', async (method, path, body) => {
    const { status, text } = await ask(method, path, body);
    expect(status).toBe(400);
    expect(text).toContain('takes no body');
  });

  it('control: the same requests without it succeed', async () => {
    expect(await ask('POST', '/api/audit/prune', '{"olderThan":"1d"}')).toMatchObject({ status: 200 });
    expect(await ask('POST', '/api/grants', grant)).toMatchObject({ status: 200 });
    expect((await ask('POST', '/api/tools/Bash/call', '{"command":"echo ran"}')).text).toContain('ran');
    expect(await ask('GET', '/api/check?principal=agent:x&what=Read')).toMatchObject({ status: 200 });
    expect(await ask('DELETE', '/api/tokens/none', '{}')).toMatchObject({ status: 404 });
  });
});
