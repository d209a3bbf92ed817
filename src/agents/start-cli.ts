import type { ChildProcess } from '../kernel/index.js';
import type { ProcessPlace } from './cli-parts.js';
import type { Environment, LaunchPlan } from './launch.js';

/** Time for a CLI to say goodbye to its model before it is killed. */
const patience = { afterInputMs: 0, afterTermMs: 3000 };
/** Who closes a terminal does not wait: files have to be swept, too. */
const terminalPatience = { afterInputMs: 0, afterTermMs: 2000 };

export function startCli(
  plan: LaunchPlan,
  place: ProcessPlace & { readonly owner: string; readonly isOnTerminal?: boolean },
): Promise<ChildProcess> {
  const { processes, cwd, env, owner, isOnTerminal = false } = place;
  return processes.start({
    owner,
    command: plan.command,
    args: plan.args,
    cwd,
    env: mergedEnvironment(env, plan.env),
    patience: isOnTerminal ? terminalPatience : patience,
    isOnTerminal,
  });
}

/** The user's environment with what the plan changes. Ours is not for agents. */
export function mergedEnvironment(env: Environment, changes: Environment): Readonly<Record<string, string>> {
  const merged = Object.entries({ ...env, ...changes });
  return Object.fromEntries(
    merged.flatMap(([name, value]) =>
      value === undefined || name.startsWith('TIDEGATE_') ? [] : [[name, value]],
    ),
  );
}
