import { mkdirSync } from 'node:fs';
import type { ChildProcess } from '../ports/processes.js';
import type { ProcessPlace } from './cli-parts.js';
import type { Environment, LaunchPlan } from './launch.js';

/** Time for a CLI to end its model session before it is killed. */
const patience = { afterInputMs: 0, afterTermMs: 3000 };
/** A closing terminal does not wait long, and files must still be removed. */
const terminalPatience = { afterInputMs: 0, afterTermMs: 2000 };

export function startCli(
  plan: LaunchPlan,
  place: ProcessPlace & { readonly owner: string; readonly isOnTerminal?: boolean },
): Promise<ChildProcess> {
  const { processes, env, owner, isOnTerminal = false } = place;
  const cwd = plan.cwd ?? place.cwd;
  if (plan.cwd !== undefined) mkdirSync(plan.cwd, { recursive: true, mode: 0o700 });
  return processes.start({
    owner,
    command: plan.command,
    args: plan.args,
    cwd,
    // Some CLIs trust PWD instead of asking the system.
    env: { ...mergedEnvironment(env, plan.env), PWD: cwd },
    patience: isOnTerminal ? terminalPatience : patience,
    isOnTerminal,
  });
}

/** The user's environment with the changes of the plan. Tidegate's own variables are removed. */
export function mergedEnvironment(env: Environment, changes: Environment): Readonly<Record<string, string>> {
  const merged = Object.entries({ ...env, ...changes });
  return Object.fromEntries(
    merged.flatMap(([name, value]) =>
      value === undefined || name.startsWith('TIDEGATE_') ? [] : [[name, value]],
    ),
  );
}
