import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { catalogueServer, manyTools } from '../support/catalogue.js';
import { openHttpGate, openPlace, type Place } from '../support/gate.js';
import { openSdkClient, sdkKinds } from '../support/sdk-clients.js';

let place: Place;
beforeAll(() => {
  place = openPlace({ builtins: ['*'], servers: { office: catalogueServer(manyTools.slice(0, 12)) } });
});
afterAll(() => place.close());

interface Listed {
  readonly name: string;
  readonly tier?: number;
  readonly effect: string;
  readonly source: string;
  readonly inputSchema: object;
}

function listed(...args: readonly string[]): readonly Listed[] {
  const { stdout, status } = place.run('tools', 'list', ...args, '--json');
  expect(status).toBe(0);
  return (JSON.parse(stdout) as { readonly tools: readonly Listed[] }).tools;
}

const namesOf = (tools: readonly Listed[]): readonly string[] => tools.map(({ name }) => name).sort();

describe('[16.27] `tidegate tools list`', () => {
  it('shows the tier, the effect and the source of each tool', () => {
    const { stdout } = place.run('tools', 'list');
    expect(stdout).toMatch(/^Bash +builtin +tier 3 +execute +Runs a shell command/m);
    expect(stdout).toMatch(/^Read +builtin +tier 1 +read +/m);
    expect(stdout).toMatch(/^office_create_invoice +server:office +- +\w+ +/m);
    expect(listed().find(({ name }) => name === 'Bash')).toMatchObject({
      tier: 3,
      effect: 'execute',
      source: 'builtin',
      inputSchema: { type: 'object' },
    });
  });

  it('filters by tier, server, effect and text, alone and together', () => {
    const all = listed();
    expect(namesOf(listed('--tier', '1'))).toEqual(namesOf(all.filter(({ tier }) => tier === 1)));
    expect(namesOf(listed('--tier', '1,3'))).toEqual(
      namesOf(all.filter(({ tier }) => tier === 1 || tier === 3)),
    );
    expect(namesOf(listed('--tier', 'none'))).toEqual(namesOf(listed('--server', 'office')));
    expect(listed('--server', 'office')).toHaveLength(12);
    expect(namesOf(listed('--server', 'builtin'))).toEqual(
      namesOf(all.filter(({ source }) => source === 'builtin')),
    );
    expect(namesOf(listed('--effect', 'write'))).toEqual(
      namesOf(all.filter(({ effect }) => effect === 'write')),
    );
    expect(namesOf(listed('INVOICE', '--server', 'office'))).toHaveLength(6);
    expect(namesOf(listed('shell', 'command', '--tier', '3'))).toEqual(['Bash']);
  });

  it('refuses unknown filter values, and says if nothing matches', () => {
    for (const [option, value] of [
      ['--tier', '9'],
      ['--effect', 'delete'],
      ['--server', 'ofice'],
    ] as const) {
      const { status, stderr } = place.run('tools', 'list', option, value);
      expect(status).toBe(2);
      expect(stderr).toContain(option);
    }
    expect(place.run('tools', 'list', '--server', 'ofice').stderr).toContain('office');
    const { status, stdout } = place.run('tools', 'list', 'nothing-has-this-word', '--json');
    expect([status, JSON.parse(stdout)]).toEqual([0, { tools: [] }]);
    const help = place.run('tools', 'list', '--help').stdout;
    for (const option of ['--tier', '--server', '--effect', '[text...]']) expect(help).toContain(option);
  });
});

describe('the shipped profiles', () => {
  it('[16.27] resolve to eight different sets of built-in tools', () => {
    const { stdout } = place.run('profile', 'list', '--json');
    const { profiles } = JSON.parse(stdout) as { readonly profiles: readonly { readonly name: string }[] };
    expect(profiles.map(({ name }) => name).sort()).toEqual(
      ['minimal', 'coding', 'search', 'execution', 'full', 'pm', 'tl', 'dev'].sort(),
    );
    const sets = new Map<string, string>();
    for (const { name } of profiles) {
      const as = `agent:of-${name}`;
      expect(place.run('profile', 'assign', as, name).status).toBe(0);
      const built = listed('--as', as, '--server', 'builtin');
      const set = namesOf(built).join(' ');
      expect(sets.get(set), `${name} is the same as`).toBeUndefined();
      sets.set(set, name);
    }
    expect(sets.size).toBe(8);
  }, 120_000);

  it('[16.26] list the discovery tools in `full`, and not in `coding`', async () => {
    const gate = await openHttpGate(place);
    try {
      for (const [profile, count] of [
        ['full', 4],
        ['coding', 0],
      ] as const) {
        const { secret } = JSON.parse(
          place.run('token', 'create', '--as', `agent:t-${profile}`, '--profile', profile, '--json').stdout,
        ) as { readonly secret: string };
        const client = await openSdkClient({ kind: sdkKinds[1], wire: 'http', place, gate, token: secret });
        const names = (await client.tools()).map(({ name }) => name);
        expect(names.filter((name) => name.startsWith('discovery_'))).toHaveLength(count);
        if (count > 0) {
          const servers = await client.call('discovery_list_servers');
          expect(servers.structuredContent).toMatchObject({ servers: [{ name: 'office' }] });
        } else await expect(client.call('discovery_list_servers')).rejects.toThrow('Unknown tool');
        await client.close();
      }
    } finally {
      await gate.close();
    }
  }, 60_000);
});
