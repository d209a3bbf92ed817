import { spawn } from 'node:child_process';
import type { Patience, Processes, ProcessOrder } from '../../kernel/process.js';
import { type OwnedChild, openChild, type Spawned } from './child.js';
import { openKeeper } from './keeper.js';
import { usualPatience } from './ladder.js';
import { leaseFile, removeLease, writeLease } from './lease.js';
import { childMark, createGateId, markName, needleOfChild } from './mark.js';
import { explainStartFailure } from './start-failure.js';

export interface ProcessesParts {
  /** Holds `leases/`, by which the next start finds what a dead gate left. */
  readonly stateDir: string;
  readonly log?: (line: string) => void;
}

interface OwnTree {
  readonly needle: string;
  readonly patience: Patience;
}

const maxChildren = 256;

/** Starts children that cannot outlive the gate. Lease and keeper come with the first child, not before. */
export function openProcesses(parts: ProcessesParts): Processes {
  const log = parts.log ?? (() => {});
  const gateId = createGateId();
  const file = leaseFile(parts.stateDir, gateId);
  const keeper = openKeeper({ gateId, leaseFile: file, log });
  const children = new Set<OwnedChild>();
  const released = new AbortController();
  let started = 0;

  const adopt = (spawned: Spawned, pid: number, tree: OwnTree): OwnedChild => {
    // In the same turn as the spawn; if we die in between, the keeper still finds the mark.
    keeper.add(pid);
    const onGone = () => {
      children.delete(child);
      keeper.remove(pid);
    };
    const onLeft = () => {
      if (!released.signal.aborted) log(`Process ${pid} or a child of it cannot be ended.`);
    };
    const child = openChild({ ...tree, spawned, pid, log, released: released.signal, onGone, onLeft });
    children.add(child);
    return child;
  };

  return {
    start: async (order) => {
      if (released.signal.aborted) throw explainStartFailure(order, 'the gate is closing');
      if (children.size >= maxChildren)
        throw explainStartFailure(order, `${maxChildren} processes run already`);
      keeper.ensure();
      // After the keeper, who removes it, and before the child, whom it tells of.
      if (started === 0) takeLease(file, gateId, log);
      started += 1;
      const mark = childMark(gateId, started);
      const spawned = spawnMarked(order, mark);
      const tree = { needle: needleOfChild(mark), patience: order.patience ?? usualPatience };
      if (spawned.pid !== undefined) return adopt(spawned, spawned.pid, tree);
      throw explainStartFailure(order, await new Promise((resolve) => spawned.once('error', resolve)));
    },
    close: async () => {
      if (released.signal.aborted) return;
      released.abort();
      for (const child of children) child.letGo();
      keeper.close();
      // With children left, the keeper removes it after the last of them.
      if (started > 0 && children.size === 0) removeLease(file);
    },
  };
}

/** A second line of defence: a state directory that cannot be written must not stop the work. */
function takeLease(file: string, gateId: string, log: (line: string) => void): void {
  try {
    writeLease(file, gateId);
  } catch (error) {
    log(`No lease written: ${String(error)}`);
  }
}

/** No shell, an environment of its own, and a group of its own that one signal reaches. */
function spawnMarked(order: ProcessOrder, mark: string): Spawned {
  const input = order.input === 'none' ? 'ignore' : 'pipe';
  const notes = order.hasNotes === true ? (['pipe'] as const) : [];
  try {
    const spawned = spawn(order.command, [...order.args], {
      cwd: order.cwd,
      env: { ...order.env, [markName]: mark },
      detached: true,
      shell: false,
      stdio: [input, 'pipe', 'pipe', ...notes],
      windowsHide: true,
    });
    // stdout and stderr are pipes, because that is what was asked for.
    return spawned as Spawned;
  } catch (error) {
    throw explainStartFailure(order, error);
  }
}
