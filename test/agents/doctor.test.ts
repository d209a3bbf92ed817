import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { nativeLines, writeFakeAgent } from '../support/fake-agent.js';
import { done } from '../support/flow.js';
import { runGate } from '../support/run-program.js';
import { gatedAgent, gatedAgents } from './support/gated.js';
import { type GatedPlace, openGatedPlace } from './support/gated-place.js';

let place: GatedPlace;
beforeAll(() => {
  place = openGatedPlace();
});
afterAll(() => place.close());

interface Report {
  readonly agents: readonly {
    readonly name: string;
    readonly program?: string;
    readonly version?: string;
    readonly verdict?: { readonly kind: string; readonly leaks?: readonly string[] };
    readonly install: string;
  }[];
}

interface Whole {
  readonly checks: readonly {
    readonly id: string;
    readonly findings: readonly {
      readonly state: string;
      readonly facts: Readonly<Record<string, unknown>>;
    }[];
  }[];
}

describe('tidegate doctor --agent', () => {
  it.each(gatedAgents)('$title: is isolated, also according to the JSON output', ({ title, agent }) => {
    const text = inject('agentsVerdicts')[title] ?? '';
    const { agents } = JSON.parse(text) as Report;
    expect([text, agents]).toEqual([
      text,
      [
        expect.objectContaining({
          name: agent,
          program: join(inject('agentsBin'), agent),
          version: expect.stringMatching(/^\d+\.\d+\.\d+/) as string,
          verdict: expect.objectContaining({
            kind: 'isolated',
            growsList: expect.any(Boolean) as boolean,
          }) as object,
        }),
      ],
    ]);
  });

  it('[15.7] names executed checkout files: the real agent without one flag of the launch plan', async () => {
    const bin = join(place.directory, 'loose');
    mkdirSync(bin);
    const real = join(inject('agentsBin'), 'claude');
    // The control for the results above: without this flag, Claude Code runs the hooks of a project.
    const loose = [
      '#!/bin/bash',
      'words=()',
      'while [ $# -gt 0 ]; do',
      '  if [ "$1" = --setting-sources ]; then shift 2; else words+=("$1"); shift; fi',
      'done',
      `exec '${real}' "\${words[@]}"`,
    ].join('\n');
    writeFileSync(join(bin, 'claude'), `${loose}\n`, { mode: 0o755 });
    const env = { ...place.agentEnv, PATH: `${bin}:${place.env['PATH'] ?? ''}` };
    const args = ['doctor', '--agent', 'claude', '--model', gatedAgent('claude').model, '--json'];
    const { stdout, stderr } = await runGate(place, args, { env, limitMs: 110_000 });
    const { agents } = JSON.parse(stdout || `{"agents":[{"said":${JSON.stringify(stderr)}}]}`) as Report;
    expect(agents[0]?.verdict).toMatchObject({
      kind: 'leaks',
      leaks: expect.arrayContaining(['code of .claude/settings.json']) as string[],
    });
  });

  it('reports leaks, and exits with a separate status', async () => {
    const bin = join(place.directory, 'leaky');
    mkdirSync(bin);
    const lines = nativeLines('claude');
    writeFakeAgent(bin, 'claude', { cli: 'claude', lines, trialLines: lines });
    const env = { ...place.agentEnv, PATH: `${bin}:${place.env['PATH'] ?? ''}` };
    const { stdout, status } = await place.run1(['doctor', '--agent', 'claude', '--json'], { env });
    expect((JSON.parse(stdout) as Report).agents[0]?.verdict).toMatchObject({
      kind: 'leaks',
      leaks: ['Bash'],
    });
    expect(status).not.toBe(0);
  });

  it('reports agents that are not installed, with the install command', async () => {
    const bin = join(place.directory, 'empty');
    mkdirSync(bin);
    const env = { ...place.agentEnv, PATH: bin };
    const one = await place.run1(['doctor', '--agent', 'codex'], { env });
    expect(one.status).not.toBe(0);
    expect(one.stderr).toContain('Codex is not installed');
    expect(one.stderr).toContain('npm install -g @openai/codex');
    const all = await place.run1(['doctor', '--only', 'agents', '--json'], { env });
    const { checks } = JSON.parse(all.stdout) as Whole;
    const agents = checks.find(({ id }) => id === 'agents')?.findings ?? [];
    expect(agents.length).toBeGreaterThan(3);
    for (const { state, facts } of agents)
      expect([state, facts['program'], facts['install']]).toEqual([
        'skipped',
        undefined,
        expect.stringContaining('npm install'),
      ]);
    const wrong = await place.run1(['doctor', '--agent', 'cluade'], { env });
    expect(wrong.stderr).toContain('claude');
    // A file that is not executable is not an agent.
    writeFakeAgent(bin, 'gemini', { cli: 'gemini', lines: [] });
    chmodSync(join(bin, 'gemini'), 0o644);
    expect((await place.run1(['doctor', '--agent', 'gemini'], { env })).stderr).toContain('is not installed');
    rmSync(bin, { recursive: true });
  });

  it('the first run of a version tests it, and the second does not', async () => {
    const fresh = openGatedPlace({}, false);
    try {
      const gated = gatedAgent('codex');
      const note = /Testing once whether/;
      const { openScriptedModel } = await import('tidegate/testing');
      const model = await openScriptedModel(() => ({ say: 'all done' }));
      const a = {
        type: 'agent',
        provider: 'codex',
        prompt: 'go',
        options: { base_url: model.url, api_key_env: 'SCRIPTED_KEY', model: gated.model },
        mcp_proxy: { enable: true },
        on_success: 'done',
      };
      const file = fresh.file('first.yaml', JSON.stringify({ name: 'x', states: { initial: 'a', a, done } }));
      const said: string[] = [];
      for (let at = 0; at < 2; at += 1) {
        const ran = await fresh.run1(['run', file], { env: fresh.agentEnv, limitMs: 110_000 });
        expect([ran.stderr, ran.status]).toEqual([ran.stderr, 0]);
        said.push(ran.stdout + ran.stderr);
      }
      await model.close();
      expect(said[0]).toMatch(note);
      expect(said[1]).not.toMatch(note);
    } finally {
      fresh.close();
    }
  });
});
