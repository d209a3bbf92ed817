import { expect, it } from 'vitest';
import { claude } from './claude.js';
import { clis } from './clis.js';
import { endpointOf } from './endpoint-of.js';

const options = { base_url: 'http://127.0.0.1:9/v1' };

it('takes the key for another endpoint from the variable that the agent itself reads', () => {
  for (const cli of clis) {
    const env = { [cli.keyEnv]: 'own', OPENAI_API_KEY: 'common' };
    expect(endpointOf(cli, { options, env })).toEqual({ url: options.base_url, keyEnv: cli.keyEnv });
  }
});

it('takes it from OPENAI_API_KEY where the variable of the agent is not set', () => {
  for (const own of [undefined, '']) {
    const env = { ANTHROPIC_API_KEY: own, OPENAI_API_KEY: 'common' };
    expect(endpointOf(claude, { options, env })?.keyEnv).toBe('OPENAI_API_KEY');
  }
});

it('names the variable of the agent where neither is set, for that is the one to set', () => {
  expect(endpointOf(claude, { options, env: {} })?.keyEnv).toBe('ANTHROPIC_API_KEY');
});

it('takes it from the variable that was named, whatever else is set', () => {
  const env = { ANTHROPIC_API_KEY: 'own', OPENAI_API_KEY: 'common' };
  const named = { ...options, api_key_env: 'MY_KEY' };
  expect(endpointOf(claude, { options: named, env })?.keyEnv).toBe('MY_KEY');
});

it('leaves an agent to its own login where no other endpoint is named', () => {
  expect(endpointOf(claude, { options: { api_key_env: 'MY_KEY' }, env: {} })).toBeUndefined();
});
