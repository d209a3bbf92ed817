import { describe, expect, it } from 'vitest';
import { claude } from './claude.js';
import { addressOf, failed, notStarted, failureOf, unavailable } from './cli-failure.js';
import { clis } from './clis.js';
import { codex } from './codex.js';
import { gemini } from './gemini.js';
import { opencode } from './opencode.js';

const endpoint = { url: 'http://127.0.0.1:9/v1', keyEnv: 'MY_KEY' };

// Exact output of the CLIs.
describe('the errors of a CLI', () => {
  it.each([
    [claude, 'Not logged in · Please run /login', undefined],
    [claude, 'API Error: 401 {"type":"error","error":{"type":"authentication_error"}}', undefined],
    [claude, 'Invalid API key · Fix external API key', undefined],
    [gemini, 'it exited with code 41: Please set an Auth method in your settings.json', undefined],
    [codex, 'Missing environment variable: `NOKEY`.', undefined],
    [codex, 'unexpected status 401 Unauthorized: invalid x-api-key, url: http://127.0.0.1/v1', undefined],
    [opencode, 'something', 401],
  ] as const)('%o is unauthorized: %s', (cli, said, status) => {
    expect(failureOf(cli, { env: {} }, said, status)).toMatchObject({
      code: 'EXECUTION.AGENT.UNAUTHORIZED',
      next: cli.login,
    });
    expect(failureOf(cli, { env: {}, endpoint }, said, status).next).toContain('MY_KEY');
  });

  it.each([
    [claude, 'API Error: Unable to connect to API (ConnectionRefused)', undefined],
    [gemini, 'exception TypeError: fetch failed sending request', undefined],
    [codex, 'Reconnecting... waiting for network (Connection failed: error sending request)', undefined],
    [
      opencode,
      'Cannot connect to API: Unable to connect. Is the computer able to access the url?',
      undefined,
    ],
    [opencode, 'Overloaded', 503],
  ] as const)('%o is unavailable: %s', (cli, said, status) => {
    const failure = failureOf(cli, { env: {}, endpoint }, said, status);
    expect(failure.code).toBe('EXECUTION.AGENT.UNAVAILABLE');
    expect(failure.message).toContain('http://127.0.0.1:9/v1');
    expect(failure.next).toContain('options.base_url');
  });

  it('have the general code if they mean neither, and a separate code for a conversation that is too long', () => {
    const codeOf = (said: string) => failureOf(claude, { env: {} }, said).code;
    expect(codeOf('it read 401 files and gave up')).toBe('EXECUTION.AGENT.FAILED');
    expect(codeOf('Prompt is too long')).toBe('EXECUTION.AGENT.CONTEXT_LIMIT');
  });

  it('become one line with one full stop', () => {
    const said = 'Error: native binary not installed.\n\nRun this:\r\n  node install.cjs\nOr reinstall it.\n';
    const line = 'Error: native binary not installed. Run this: node install.cjs Or reinstall it.';
    expect(failed(claude, said).message).toBe(`Claude Code failed: ${line}`);
    expect(unavailable(claude, { env: {} }, said).message).toBe(
      `Claude Code cannot reach its model: ${line}`,
    );
  });

  it('suggest a reinstallation if the CLI did not start', () => {
    const next = `reinstall it (${claude.install}), then: tidegate doctor --agent claude`;
    expect(notStarted(claude, failed(claude, 'no binary')).next).toBe(next);
    const keyless = failureOf(claude, { env: {} }, 'Not logged in');
    expect(notStarted(claude, keyless)).toBe(keyless);
  });

  it('name the address the user set, without credentials', () => {
    const env = { ANTHROPIC_BASE_URL: 'http://me:secret@127.0.0.1:9/x/?key=1' };
    expect(addressOf(claude, { env })).toBe('http://127.0.0.1:9/x');
    expect(addressOf(codex, { env })).toBeUndefined();
    for (const { login } of clis) expect(login).not.toBe('');
  });
});
