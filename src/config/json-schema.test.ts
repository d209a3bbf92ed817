import { Validator } from '@cfworker/json-schema';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { configJsonSchema, hasErrors, loadConfig, loadProfiles } from './index.js';
import { profilesJsonSchema } from './json-schema.js';

const validator = new Validator(configJsonSchema(), '2020-12', false);

const good = [
  'servers:',
  '{}',
  'servers: {a: {command: x, args: [1, a, true], env: {A: 1}, timeout: 5, idle: 2m, tools: ["!a"]}}',
  'servers: {a: {url: "http://x", headers: {a: b}, prefix: "", protocol: modern, enabled: false}}',
  'mcpServers: {a: {command: x, anything: [{}], type: stdio}}',
  'http: {port: "${PORT:-1}", auth: none}\nlog: {level: warn, file: x}',
  'telemetry: {endpoint: "http://x", service_name: y}\nworkspace: {roots: [a]}',
];

const bad = [
  'servrs: {}',
  'servers: {a: {}}',
  'servers: {a: {command: x, url: "http://x"}}',
  'servers: {a: {url: "http://x", args: []}}',
  'servers: {a: {command: x, headers: {}}}',
  'servers: {"a b": {command: x}}',
  'servers: {a: {command: x, timeout: soon}}',
  'servers: {a: {command: x, timeout: 0}}',
  'servers: {a: {command: 1}}',
  'mcpServers: {a: {type: sse, url: "http://x"}}',
  'http: {port: 65536}',
  'log: {level: loud}',
  'telemetry: {}',
];

async function loads(text: string): Promise<boolean> {
  return !hasErrors((await loadConfig({ file: '/x.yaml', text, env: {}, home: '/' })).problems);
}

describe('the JSON Schema', () => {
  it.each(good)('accepts what the loader accepts: %s', async (text) => {
    expect(await loads(text)).toBe(true);
    expect(validator.validate(parse(text))).toMatchObject({ valid: true });
  });

  it.each(bad)('refuses what the loader refuses: %s', async (text) => {
    expect(await loads(text)).toBe(false);
    expect(validator.validate(parse(text))).toMatchObject({ valid: false });
  });

  it('describes every key', () => {
    const undescribed: string[] = [];
    const visit = (schema: unknown, path: string): void => {
      if (typeof schema !== 'object' || schema === null) return;
      if ('properties' in schema && typeof schema.properties === 'object') {
        for (const [key, child] of Object.entries(schema.properties ?? {})) {
          if (!JSON.stringify(child).startsWith('{"description":')) undescribed.push(`${path}.${key}`);
          visit(child, `${path}.${key}`);
        }
      }
      if ('additionalProperties' in schema) visit(schema.additionalProperties, `${path}.*`);
      if ('items' in schema) visit(schema.items, `${path}[]`);
    };
    visit(configJsonSchema(), '');
    expect(undescribed).toEqual([]);
  });
});

describe('the JSON Schema of profiles', () => {
  const profiles = new Validator(profilesJsonSchema(), '2020-12', false);
  const isLoaded = async (text: string) => !hasErrors((await loadProfiles('/x.yaml', text)).problems);

  it.each([
    '{}',
    'profiles:',
    'default_profile: none\nprofiles: {a: {extends: b, tools: [Read, 1]}, b: {extends: [a, c], see_only: ["!x"]}}',
    'principals: {"agent:run/1": {profile: a, add: [x], remove: []}}',
  ])('accepts what the loader accepts: %s', async (text) => {
    expect(await isLoaded(text)).toBe(true);
    expect(profiles.validate(parse(text)).errors).toEqual([]);
  });

  it.each([
    'profile: {}',
    'profiles: {a: {tools: x}}',
    'profiles: {"a b": {}}',
    'principals: {alice: {}}',
    'profiles: []',
  ])('refuses what the loader refuses: %s', async (text) => {
    expect(await isLoaded(text)).toBe(false);
    expect(profiles.validate(parse(text)).valid).toBe(false);
  });
});
