import { type ChildProcess as Spawned, spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import { Readable } from 'node:stream';
import type { Patience, Processes, ProcessOrder } from '../../ports/processes.js';
import { type OwnedChild, openChild } from './child.js';
import { readForkCount } from './fork-count.js';
import { openReaper } from './reaper.js';
import { usualPatience } from './ladder.js';
import { createLeakCover, type LeakCover } from './leaking-descriptors.js';
import { leaseFile, removeLease, writeLease } from './lease.js';
import { childMark, createGateId, markName, needleOfChild } from './mark.js';
import { type Output, openErrorOutput, openOutput } from './output.js';
import { openPipeOutput } from './pipe-output.js';
import { explainStartFailure } from './start-failure.js';
import { openSystemPipes, type Pipe } from './system-pipes.js';

export interface ProcessesParts {
  /** Holds `leases/`, which lets the next start find what a dead gateway left. */
  readonly stateDir: string;
  readonly log?: (line: string) => void;
}

/** What the owner keeps about a child besides its process. */
interface Owned {
  readonly forksBefore: number | undefined;
  readonly needle: string;
  readonly fileLimitMark: number | undefined;
  readonly patience: Patience;
  readonly isInOurGroup: boolean;
  readonly output: Output;
  readonly errorOutput: Output;
}

type Pipes = readonly [output: Pipe, errorOutput: Pipe];

const maxChildren = 256;

/** Starts children that cannot outlive the gateway. Creates lease and reaper with the first child. */
export function openProcesses(parts: ProcessesParts): Processes {
  const log = parts.log ?? (() => {});
  const gateId = createGateId();
  const file = leaseFile(parts.stateDir, gateId);
  const reaper = openReaper({ gateId, leaseFile: file, log });
  const systemPipes = openSystemPipes(parts.stateDir);
  const withoutLeaks = createLeakCover();
  const children = new Set<OwnedChild>();
  const released = new AbortController();
  let started = 0;

  const adopt = (spawned: Spawned, pid: number, owned: Owned): OwnedChild => {
    // In the same tick as the spawn; if we die in between, the reaper still finds the mark.
    reaper.add(pid);
    const onGone = () => {
      children.delete(child);
      reaper.remove(pid);
    };
    const onLeft = () => {
      if (!released.signal.aborted) log(`Process ${pid} or one of its children cannot be stopped.`);
    };
    const child = openChild({ ...owned, spawned, pid, log, released: released.signal, onGone, onLeft });
    children.add(child);
    return child;
  };

  return {
    start: async (order) => {
      const pipes = order.hasSystemPipes === true ? await systemPipes.takePair() : undefined;
      try {
        if (released.signal.aborted) throw explainStartFailure(order, 'the gateway is closing');
        if (children.size >= maxChildren)
          throw explainStartFailure(order, `${maxChildren} processes are already running`);
        reaper.ensure();
        if (order.foldersFile !== undefined) reaper.addRecord(order.foldersFile);
        // After the reaper, which removes the lease, and before the child that it covers.
        if (started === 0) takeLease(file, gateId, log);
        started += 1;
        const mark = childMark(gateId, started);
        const forksBefore = readForkCount();
        const spawned = spawnMarked({ order, mark, pipes, withoutLeaks });
        if (spawned.pid === undefined) throw await startFailure(order, spawned);
        const owned = {
          forksBefore,
          needle: needleOfChild(mark),
          fileLimitMark: order.fileLimitMark,
          patience: order.patience ?? usualPatience,
          isInOurGroup: order.isOnTerminal === true && process.platform !== 'win32',
        };
        return adopt(spawned, spawned.pid, { ...owned, ...outputsOf(spawned, pipes) });
      } catch (error) {
        pipes?.forEach(({ readEnd }) => closeSync(readEnd));
        throw error;
      } finally {
        // The child has its own copy; while ours is open, the reader never sees the end.
        pipes?.forEach(({ writeEnd }) => closeSync(writeEnd));
      }
    },
    close: async () => {
      if (released.signal.aborted) return;
      released.abort();
      for (const child of children) child.letGo();
      reaper.close();
      systemPipes.close();
      // If children are left, the reaper removes the lease after the last one ends.
      if (started > 0 && children.size === 0) removeLease(file);
    },
  };
}

/** The lease is a second line of defence, so a read-only state directory must not stop the work. */
function takeLease(file: string, gateId: string, log: (line: string) => void): void {
  try {
    writeLease(file, gateId);
  } catch (error) {
    log(`No lease written: ${String(error)}`);
  }
}

interface Start {
  readonly order: ProcessOrder;
  readonly mark: string;
  readonly pipes: Pipes | undefined;
  readonly withoutLeaks: LeakCover;
}

/** No shell, an explicit environment, and a separate group that one signal reaches. */
function spawnMarked({ order, mark, pipes, withoutLeaks }: Start): Spawned {
  const input = order.input === 'none' ? 'ignore' : 'pipe';
  const outputs = pipes === undefined ? (['pipe', 'pipe'] as const) : pipes.map(({ writeEnd }) => writeEnd);
  const notes = order.hasNotes === true ? (['pipe'] as const) : [];
  const own = order.isOnTerminal === true ? ([0, 1, 2] as const) : undefined;
  try {
    return withoutLeaks(own ?? [input, ...outputs, ...notes], (stdio) =>
      spawn(order.command, [...order.args], {
        cwd: order.cwd,
        env: { ...order.env, [markName]: mark },
        detached: own === undefined,
        shell: false,
        stdio: [...stdio],
        windowsHide: true,
      }),
    );
  } catch (error) {
    throw explainStartFailure(order, error);
  }
}

function startFailure(order: ProcessOrder, spawned: Spawned): Promise<Error> {
  return new Promise((resolve) =>
    spawned.once('error', (error) => resolve(explainStartFailure(order, error))),
  );
}

function outputsOf(spawned: Spawned, pipes: Pipes | undefined): Pick<Owned, 'output' | 'errorOutput'> {
  if (pipes !== undefined) {
    const [output, errorOutput] = pipes;
    return { output: openPipeOutput(output.readEnd), errorOutput: openPipeOutput(errorOutput.readEnd) };
  }
  const { stdout, stderr } = spawned;
  return {
    output: openOutput(stdout ?? Readable.from([])),
    errorOutput: openErrorOutput(stderr ?? Readable.from([])),
  };
}
