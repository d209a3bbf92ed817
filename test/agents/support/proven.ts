import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { runGate } from '../../support/run-program.js';
import { openPlace } from '../../support/gate.js';
import { agentFile, agentNames } from './agent-binary.js';
import { gatedAgents } from './gated.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** A folder with the agents under the names that they have on PATH. */
    agentsBin: string;
    /** A state directory in which they were tried. */
    agentsState: string;
    /** Verdicts, by the titles of the agents. */
    agentsVerdicts: Readonly<Record<string, string>>;
  }
}

/** Tries every agent once, as `doctor` does: the suites start from there, and one of them looks at the verdicts. */
export async function setup({ provide }: TestProject): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-agents-'));
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  for (const name of agentNames) symlinkSync(agentFile(name), join(bin, name));
  const place = openPlace({}, { trusted: false });
  const state = join(folder, 'state');
  const env = { ...place.env, PATH: `${bin}:${process.env['PATH'] ?? ''}`, TIDEGATE_HOME: state };
  const verdicts: Record<string, string> = {};
  // Two at a time: they are real programs, and large.
  const waiting = [...gatedAgents];
  const lane = async (): Promise<void> => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const args = ['doctor', '--agent', next.agent, '--model', next.model, '--json'];
      const { stdout, stderr } = await runGate(place, args, { env, limitMs: 240_000 });
      verdicts[next.title] = stdout === '' ? JSON.stringify({ stderr }) : stdout;
    }
  };
  await Promise.all([lane(), lane()]);
  place.close();
  provide('agentsBin', bin);
  provide('agentsState', state);
  provide('agentsVerdicts', verdicts);
  return () => rmSync(folder, { recursive: true, force: true });
}
