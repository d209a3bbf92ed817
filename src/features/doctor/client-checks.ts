import { existsSync } from 'node:fs';
import { commandLine } from '../../lib/shell-word.js';
import { type ClientPlace, clients, type FoundServer, tidegateEntryOf } from '../../clients/index.js';
import { type Environment, homeOf, stateDirectory } from '../../config/index.js';
import { type Backup, openBackups } from '../../workspace/client-files/backups.js';
import { readForeign } from '../../workspace/client-files/foreign-file.js';
import {
  byHand,
  gateConfig,
  type GateInFile,
  type GateTrouble,
  gateTrouble,
  isRenewable,
  troubleWords,
} from '../../workspace/client-files/gateway-trouble.js';
import { gather, type Source } from '../../workspace/client-files/gather.js';
import { installCommand } from '../../workspace/client-files/install-command.js';
import { projectFolders } from '../../workspace/project-folders.js';
import { ImportRefused } from '../../workspace/client-files/refused.js';
import { newestOf } from '../../workspace/client-files/newest-backups.js';
import type { Check, Finding } from './check.js';
import type { Scene } from './scene.js';

export const clientCheck: Check = {
  id: 'clients',
  group: 'agents',
  title: 'Client entries',
  why: 'If a client’s configuration starts a Tidegate program or file that no longer exists, the client has no tools and often shows no error.',
  remedy:
    'Run `tidegate import <client> --point` to write the Tidegate entry again, or `tidegate import <client> --undo` to restore the original servers.',
  run: (scene) => clientFindings(scene),
};

/** A hostile file could contain any number of entries. */
const mostRows = 40;

/** Shared by all rows; read once. */
interface Look {
  readonly scene: Scene;
  /** The backups that `--undo` would restore. */
  readonly kept: readonly Backup[];
}

/** Reads the same files as `import`, with the same checks, and starts nothing. */
function clientFindings(scene: Scene): readonly Finding[] {
  const place = placeOf(scene);
  const { sources, problems } = gather(clients, place);
  const kept = scene.obstacle() === undefined ? newestOf(openBackups(scene.home), { names: [], place }) : [];
  const entries = sources.flatMap((source) =>
    source.servers.filter(({ isTidegate }) => isTidegate).map((found) => ({ source, found })),
  );
  const found = [
    ...entries
      .slice(0, mostRows)
      .map(({ source, found: server }) => entryRow(source, server, { scene, kept })),
    ...problems.map(problemRow),
    ...kept.flatMap(lostRow),
  ];
  const left = entries.length - mostRows;
  if (left > 0) return [...found, { state: 'warn', detail: `${String(left)} more entries were not checked` }];
  return found.length > 0
    ? found
    : [{ state: 'skipped', detail: 'no agent or editor starts Tidegate from here' }];
}

function placeOf({ cwd, env }: Scene): ClientPlace {
  const home = homeOf(env, process.platform);
  return { platform: process.platform, home, folders: projectFolders(cwd, home), env };
}

function entryRow(source: Source, found: FoundServer, look: Look): Finding {
  const { client, file } = source;
  const project = projectOf(source, found);
  const facts = {
    ...{ client: client.name, file: file.path, server: found.name, scope: file.scope },
    ...(project !== undefined && { project }),
  };
  const about = [client.title, file.path, ...apart(source, found)].join(', ');
  return { about, ...judged({ file, found }, client.name, look), facts };
}

/** The project folder that a section of the user's file applies to. */
function projectOf({ file }: Source, { section }: FoundServer): string | undefined {
  return section.folder === file.folder ? undefined : section.folder;
}

/** What distinguishes this gateway entry from others in the same file. */
function apart(source: Source, found: FoundServer): readonly string[] {
  const others = source.servers.filter((one) => one.isTidegate && one !== found);
  const folder = projectOf(source, found);
  const hasTwin = others.some((one) => projectOf(source, one) === folder);
  return [...(folder === undefined ? [] : [`for ${folder}`]), ...(hasTwin ? [found.name] : [])];
}

type Judged = Pick<Finding, 'state' | 'detail' | 'next'>;

function judged(gate: GateInFile, client: string, look: Look): Judged {
  if (gate.found.server?.isEnabled === false) return { state: 'skipped', detail: 'disabled in the client' };
  const trouble = gateTrouble(gate, look.scene.env);
  if (trouble === undefined) return untrusted(gate, look.scene) ?? sound(gate);
  const detail = `Tidegate cannot start: ${troubleWords(trouble)}`;
  return { state: 'fail', detail, next: nextFor(trouble, { gate, client, look }) };
}

interface Asking {
  readonly gate: GateInFile;
  readonly client: string;
  readonly look: Look;
}

function nextFor({ what, path }: GateTrouble, { gate, client, look }: Asking): string {
  if (what === 'absent')
    return path === 'tidegate' ? installCommand(look.scene.version) : `install ${path}, or fix PATH`;
  // A new entry or the backup would lose the arguments that were added by hand.
  if (!isRenewable(gate, look.scene.env)) return byHand(gate, path);
  // The servers went with the configuration file; the backup still has them.
  const hasBackup = look.kept.some(({ via }) => via === gate.file.path);
  return commandLine('import', client, what === 'config' && hasBackup ? '--undo' : '--point');
}

/** Undefined if the file is trusted, or if it cannot be determined which file the gateway reads. */
function untrusted(gate: GateInFile, scene: Scene): Judged | undefined {
  const config = gateConfig(gate, scene.env);
  if (config === undefined || scene.obstacle() !== undefined || hasOtherState(gate, scene)) return undefined;
  try {
    const content = readForeign(config);
    if (content === undefined || scene.trust.isTrusted(content.path, content.sha256)) return undefined;
    const next = `read it, then: ${commandLine('trust', content.path)}`;
    return {
      state: 'warn',
      detail: `starts Tidegate without servers because ${content.path} is not trusted`,
      next,
    };
  } catch (error) {
    if (!(error instanceof ImportRefused)) throw error;
    return { state: 'fail', detail: error.message, ...(error.next !== undefined && { next: error.next }) };
  }
}

/** The trust record of another state directory must not be read: anyone could have written the file that names it. */
function hasOtherState({ found }: GateInFile, { env, home }: Scene): boolean {
  const own: Environment = tidegateEntryOf(found.entry)?.env ?? {};
  return stateDirectory({ ...env, ...own }) !== home;
}

function sound({ found }: GateInFile): Judged {
  const gate = tidegateEntryOf(found.entry);
  if (gate?.form === 'behind')
    return { state: 'skipped', detail: `started through ${gate.command}: not checked` };
  if (gate?.form !== 'runner')
    return {
      state: 'ok',
      detail:
        gate?.config === undefined
          ? 'program found; it uses the tidegate.yaml of the folder it starts in'
          : 'program and configuration file found',
    };
  return { state: 'note', detail: 'downloaded at each start; works only if the package registry has it' };
}

function problemRow({ code, message, next }: ImportRefused): Finding {
  const state = code === 'import.foreign_file' ? 'note' : 'warn';
  return { state, detail: message, ...(next !== undefined && { next }) };
}

/** A file that `--undo` would restore, but that no longer exists. */
function lostRow({ client, via, file, existed }: Backup): readonly Finding[] {
  if (!existed || existsSync(file)) return [];
  const detail = 'the file was deleted after Tidegate was added to it; a backup of its content exists';
  return [{ state: 'warn', about: via, detail, next: commandLine('import', client, '--undo', '--force') }];
}
