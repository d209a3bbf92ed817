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
    /** A folder with the agents under their names on PATH. */
    agentsBin: string;
    /** A state directory with their isolation results. */
    agentsState: string;
    /** Isolation results by agent title. */
    agentsVerdicts: Readonly<Record<string, string>>;
  }
}

/** Tests every agent once, like `doctor` does. The suites use the results, and one of them checks them. */
export async function setup({ provide }: TestProject): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-agents-'));
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  for (const name of agentNames) symlinkSync(agentFile(name), join(bin, name));
  const place = openPlace({}, { trusted: false });
  const state = join(folder, 'state');
  const env = { ...place.env, PATH: `${bin}:${process.env['PATH'] ?? ''}`, TIDEGATE_HOME: state };
  const verdicts: Record<string, string> = {};
  // Two at a time, because they are large programs.
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
