import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readJournal, type RunEnd, type RunHead, type RunStep } from '../../workflow/index.js';
import { isOwned, leaveFolder, takeFolder } from './run-owner.js';

/** `broken`: the journal is damaged. */
export type RunStatus = RunEnd['status'] | 'running' | 'interrupted' | 'broken';

export interface RunReport {
  readonly id: string;
  readonly name: string;
  readonly status: RunStatus;
  readonly startedAt: string;
  /** Total time, including resumed parts. */
  readonly ms?: number;
  readonly message?: string;
  readonly code?: string;
  readonly file: string;
  /** The folder in which the run was started. */
  readonly cwd: string;
  readonly profile?: string;
  readonly startedBy: string;
  /** Access rights of the agent that started the run through the gateway. */
  readonly rights?: RunHead['rights'];
  readonly gateway?: RunHead['gateway'];
  readonly folder: string;
  readonly steps: readonly RunStep[];
  readonly outputs?: Readonly<Record<string, unknown>>;
}

/** One private folder per run. */
export interface RunFolders {
  /** Creates and locks the folder of a new run. */
  create(at: Date): { readonly id: string; readonly folder: string };
  /** Locks the folder of a run that is not running. */
  take(id: string): { readonly folder: string } | 'unknown' | 'running';
  /** Unlocks the folder. `isDiscarded`: deletes it. */
  leave(folder: string, isDiscarded: boolean): void;
  list(): readonly RunReport[];
  show(id: string): RunReport | undefined;
  /** Removes temporary files of ended runs, and the oldest runs above the limit. */
  sweep(): void;
}

const mostKept = 500;
const idPattern = /^\d{8}-\d{6}-[0-9a-f]{6}$/;

export function openRunFolders(stateDirectory: string): RunFolders {
  const root = join(stateDirectory, 'runs');
  const folderOf = (id: string): string => join(root, id);
  const ids = (): readonly string[] => {
    try {
      return readdirSync(root)
        .filter((name) => idPattern.test(name))
        .sort();
    } catch {
      // No runs yet.
      return [];
    }
  };

  function show(id: string): RunReport | undefined {
    if (!idPattern.test(id)) return undefined;
    try {
      return reportOf(id, folderOf(id));
    } catch {
      // Being created or removed.
      return undefined;
    }
  }

  return {
    create(at) {
      mkdirSync(root, { recursive: true, mode: 0o700 });
      const stamp = at.toISOString().replaceAll(/[-:]/g, '').replace('T', '-').slice(0, 15);
      const id = `${stamp}-${randomBytes(3).toString('hex')}`;
      mkdirSync(folderOf(id), { mode: 0o700 });
      takeFolder(folderOf(id));
      return { id, folder: folderOf(id) };
    },
    take(id) {
      const report = show(id);
      if (report === undefined) return 'unknown';
      if (report.status === 'running' || !takeFolder(report.folder)) return 'running';
      return { folder: report.folder };
    },
    leave(folder, isDiscarded) {
      if (isDiscarded) rmSync(folder, { recursive: true, force: true });
      else leaveFolder(folder);
    },
    list: () =>
      ids()
        .toReversed()
        .flatMap((id) => show(id) ?? []),
    show,
    sweep() {
      const all = ids();
      for (const [at, id] of all.entries()) {
        if (isOwned(folderOf(id))) continue;
        const isOld = at < all.length - mostKept;
        rmSync(isOld ? folderOf(id) : join(folderOf(id), 'tmp'), { recursive: true, force: true });
      }
    },
  };
}

function reportOf(id: string, folder: string): RunReport | undefined {
  const { head, steps, end, ms, isBroken } = readJournal(join(folder, 'journal.jsonl'));
  if (isBroken) {
    const { name = '', startedAt = '', file = '', cwd = '', startedBy = '' } = head ?? {};
    return { id, folder, status: 'broken', steps: [], name, startedAt, file, cwd, startedBy };
  }
  if (head === undefined) return undefined;
  const status: RunStatus = isOwned(folder) ? 'running' : (end?.status ?? 'interrupted');
  return { id, folder, status, steps, ...headOf(head), ...(end && { ...endOf(end), ms }) };
}

function headOf({
  name,
  startedAt,
  file,
  cwd,
  profile,
  startedBy,
  rights,
  gateway,
}: RunHead): Pick<
  RunReport,
  'name' | 'startedAt' | 'file' | 'cwd' | 'profile' | 'startedBy' | 'rights' | 'gateway'
> {
  return {
    name,
    startedAt,
    file,
    cwd,
    startedBy,
    ...(profile !== undefined && { profile }),
    ...(rights && { rights }),
    ...(gateway && { gateway }),
  };
}

function endOf({ message, code, outputs }: RunEnd): Partial<RunReport> {
  return {
    ...(message !== undefined && { message }),
    ...(code !== undefined && { code }),
    ...(outputs && { outputs }),
  };
}
