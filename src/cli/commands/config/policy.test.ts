import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exitCodes } from '../../exit-codes.js';
import { openTypedPlace } from '../../typed.fixture.js';

let typed: ReturnType<typeof openTypedPlace>;
beforeEach(() => {
  typed = openTypedPlace();
});
afterEach(() => typed.close());

const profiles = `default_profile: none
profiles:
  viewer:
    tools: []
    see_only: ["*"]
  coding: { tools: [Read, Gerp] }
principals:
  agent:alice: { profile: viewer, add: [Edit] }
`;

describe('trust --forget for a profiles file', () => {
  it('says so if the trusted content is no longer known', async () => {
    typed.write('.tidegate/profiles.yaml', profiles);
    await typed.type(['trust', '--yes']);
    typed.write('.tidegate/profiles.yaml', `${profiles}# more\n`);
    const { out } = await typed.type(['trust', '--forget']);
    expect(out).toContain('Its trusted content is no longer available.');
  });

  it('accepts a file name, and prints JSON', async () => {
    typed.write('.tidegate/profiles.yaml', profiles);
    await typed.type(['trust', '--yes']);
    const { out } = await typed.type(['trust', '--forget', '.tidegate/profiles.yaml', '--json']);
    expect(JSON.parse(out)).toMatchObject({
      trusted: false,
      policy: { isKnown: true, hasHolders: true, changes: expect.any(Array) },
    });
  });
});

describe('config check', () => {
  it('reports errors and warnings in the profiles with their positions', async () => {
    typed.write('.tidegate/profiles.yaml', `${profiles}  agent:carol: { profile: viwer }\n`);
    const { out, code } = await typed.type(['config', 'check']);
    expect(code).toBe(exitCodes.usage);
    expect(out).toMatch(/profiles\.yaml:9:\d+: error profiles\.unknown_profile: .*Did you mean `viewer`\?/);
    expect(out).toMatch(/profiles\.yaml:6:\d+: warning profiles\.unknown_tool: "Gerp" .*`Grep`/);
    expect(out).toContain('profiles.yaml: has errors');
  });

  it('checks a named profiles file, and says whether it is trusted', async () => {
    typed.write('tidegate.yaml', 'servers: {}\n');
    typed.write('tool_profiles.yaml', profiles);
    const { out, code } = await typed.type(['config', 'check', 'tool_profiles.yaml']);
    expect(code).toBe(exitCodes.ok);
    expect(out).toContain('tool_profiles.yaml: valid');
    expect(out).toContain('warning profiles.untrusted');
    await typed.type(['trust', '--yes']);
    const { out: whole } = await typed.type(['config', 'check', '--json']);
    expect(JSON.parse(whole)).toMatchObject({
      valid: true,
      trusted: true,
      policy: [{ kind: 'profiles', trusted: true }],
      problems: [{ code: 'profiles.unknown_tool', line: 6 }],
    });
  });

  it('reports an unknown default profile at its position in the configuration', async () => {
    typed.write('tidegate.yaml', 'servers: {}\naccess:\n  default_profile: codign\n');
    const { out } = await typed.type(['config', 'check']);
    expect(out).toMatch(/tidegate\.yaml:3:\d+: error profiles\.unknown_default: .*`coding`/);
  });
});

describe('profile entries that match no tool', () => {
  it('are reported by trust and profile list', async () => {
    typed.write('.tidegate/profiles.yaml', profiles);
    const trusted = await typed.type(['trust', '--yes']);
    expect(trusted.err).toMatch(/profiles\.yaml:6:\d+: warning profiles\.unknown_tool: "Gerp"/);
    const listed = await typed.type(['profile', 'list']);
    expect(listed.err).toMatch(/profiles\.yaml:6:\d+: warning profiles\.unknown_tool: "Gerp"/);
  });

  it('are reported with the servers whose tools are not known yet', async () => {
    typed.write('tidegate.yaml', 'servers: { far: { command: node, args: [none.mjs] } }\n');
    typed.write('.tidegate/profiles.yaml', 'profiles: { a: { tools: ["far_*"] } }\n');
    const { err } = await typed.type(['trust', '--yes']);
    expect(err).toContain('"far_*" matches no tool that exists now.');
    expect(err).toContain('tools are not known yet for: server:far');
  });
});
