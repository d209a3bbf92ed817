import { expect, it } from 'vitest';
import { claude } from './claude.js';
import { clis } from './clis.js';
import { endpointOf } from './endpoint-of.js';

const options = { base_url: 'http://127.0.0.1:9/v1' };

it('takes the API key for another endpoint from the variable the agent uses', () => {
  for (const cli of clis) {
    const env = { [cli.keyEnv]: 'own', OPENAI_API_KEY: 'common' };
    expect(endpointOf(cli, { options, env })).toEqual({ url: options.base_url, keyEnv: cli.keyEnv });
  }
});

it('falls back to OPENAI_API_KEY', () => {
  for (const own of [undefined, '']) {
    const env = { ANTHROPIC_API_KEY: own, OPENAI_API_KEY: 'common' };
    expect(endpointOf(claude, { options, env })?.keyEnv).toBe('OPENAI_API_KEY');
  }
});

it('names the variable of the agent if neither is set', () => {
  expect(endpointOf(claude, { options, env: {} })?.keyEnv).toBe('ANTHROPIC_API_KEY');
});

it('prefers the configured variable', () => {
  const env = { ANTHROPIC_API_KEY: 'own', OPENAI_API_KEY: 'common' };
  const named = { ...options, api_key_env: 'MY_KEY' };
  expect(endpointOf(claude, { options: named, env })?.keyEnv).toBe('MY_KEY');
});

it('leaves the agent its own login without a custom endpoint', () => {
  expect(endpointOf(claude, { options: { api_key_env: 'MY_KEY' }, env: {} })).toBeUndefined();
});
