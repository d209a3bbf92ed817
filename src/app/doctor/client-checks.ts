import { existsSync } from 'node:fs';
import { commandLine } from '../../access/desk/shell-word.js';
import { type ClientPlace, clients, type FoundServer, gateOf } from '../../clients/index.js';
import { type Environment, stateDirectory } from '../../config/index.js';
import { homeOf } from '../../config/state-path.js';
import { type Backup, openBackups } from '../import/backups.js';
import { readForeign } from '../import/foreign-file.js';
import {
  byHand,
  gateConfig,
  type GateInFile,
  type GateTrouble,
  gateTrouble,
  isRenewable,
  troubleWords,
} from '../import/gate-trouble.js';
import { gather, type Source } from '../import/gather.js';
import { installCommand } from '../import/install-command.js';
import { projectFolders } from '../import/project-folders.js';
import { ImportRefused } from '../import/refused.js';
import { newestOf } from '../import/undo.js';
import type { Check, Finding } from './check.js';
import type { Scene } from './scene.js';

export const clientCheck: Check = {
  id: 'clients',
  group: 'agents',
  title: 'Gate in clients',
  why: 'A client whose file names a gate that is gone has no tools at all, and says little about it.',
  remedy:
    '`tidegate import <client> --point` writes the gate anew, `tidegate import <client> --undo` puts the old servers back.',
  run: (scene) => clientFindings(scene),
};

/** A hostile file could hold as many as it likes. */
const mostRows = 40;

/** What every row is judged by; read once. */
interface Look {
  readonly scene: Scene;
  /** What `--undo` would put back. */
  readonly kept: readonly Backup[];
}

/** Reads the files that `import` reads, in the same careful way, and starts nothing. */
function clientFindings(scene: Scene): readonly Finding[] {
  const place = placeOf(scene);
  const { sources, problems } = gather(clients, place);
  const kept = scene.obstacle() === undefined ? newestOf(openBackups(scene.home), { names: [], place }) : [];
  const gates = sources.flatMap((source) =>
    source.servers.filter(({ isGate }) => isGate).map((found) => ({ source, found })),
  );
  const found = [
    ...gates.slice(0, mostRows).map(({ source, found: server }) => gateRow(source, server, { scene, kept })),
    ...problems.map(problemRow),
    ...kept.flatMap(lostRow),
  ];
  const left = gates.length - mostRows;
  if (left > 0) return [...found, { state: 'warn', detail: `${String(left)} more were not looked at` }];
  return found.length > 0
    ? found
    : [{ state: 'skipped', detail: 'no agent or editor starts the gate from here' }];
}

function placeOf({ cwd, env }: Scene): ClientPlace {
  const home = homeOf(env, process.platform);
  return { platform: process.platform, home, folders: projectFolders(cwd, home), env };
}

function gateRow(source: Source, found: FoundServer, look: Look): Finding {
  const { client, file } = source;
  const project = projectOf(source, found);
  const facts = {
    ...{ client: client.name, file: file.path, server: found.name, scope: file.scope },
    ...(project !== undefined && { project }),
  };
  const about = [client.title, file.path, ...apart(source, found)].join(', ');
  return { about, ...judged({ file, found }, client.name, look), facts };
}

/** The folder that one part of the user's own file is about. */
function projectOf({ file }: Source, { section }: FoundServer): string | undefined {
  return section.folder === file.folder ? undefined : section.folder;
}

/** What tells a gate from others of the same file. */
function apart(source: Source, found: FoundServer): readonly string[] {
  const others = source.servers.filter((one) => one.isGate && one !== found);
  const folder = projectOf(source, found);
  const hasTwin = others.some((one) => projectOf(source, one) === folder);
  return [...(folder === undefined ? [] : [`for ${folder}`]), ...(hasTwin ? [found.name] : [])];
}

type Judged = Pick<Finding, 'state' | 'detail' | 'next'>;

function judged(gate: GateInFile, client: string, look: Look): Judged {
  if (gate.found.server?.isEnabled === false) return { state: 'skipped', detail: 'switched off there' };
  const trouble = gateTrouble(gate, look.scene.env);
  if (trouble === undefined) return untrusted(gate, look.scene) ?? sound(gate);
  const detail = `the gate cannot start: ${troubleWords(trouble)}`;
  return { state: 'fail', detail, next: nextFor(trouble, { gate, client, look }) };
}

interface Asking {
  readonly gate: GateInFile;
  readonly client: string;
  readonly look: Look;
}

function nextFor({ what, path }: GateTrouble, { gate, client, look }: Asking): string {
  if (what === 'absent')
    return path === 'tidegate' ? installCommand(look.scene.version) : `install ${path}, or correct PATH`;
  // Neither a new gate nor the servers of the backup would have the words that somebody added.
  if (!isRenewable(gate, look.scene.env)) return byHand(gate, path);
  // With the configuration went the servers: the backup has them still.
  const hasBackup = look.kept.some(({ via }) => via === gate.file.path);
  return commandLine('import', client, what === 'config' && hasBackup ? '--undo' : '--point');
}

/** Undefined: it is trusted, or which file it reads cannot be known from here. */
function untrusted(gate: GateInFile, scene: Scene): Judged | undefined {
  const config = gateConfig(gate, scene.env);
  if (config === undefined || scene.obstacle() !== undefined || hasOtherState(gate, scene)) return undefined;
  try {
    const content = readForeign(config);
    if (content === undefined || scene.trust.isTrusted(content.path, content.sha256)) return undefined;
    const next = `read it, then: ${commandLine('trust', content.path)}`;
    return { state: 'warn', detail: `starts a gate without servers: ${content.path} is not trusted`, next };
  } catch (error) {
    if (!(error instanceof ImportRefused)) throw error;
    return { state: 'fail', detail: error.message, ...(error.next !== undefined && { next: error.next }) };
  }
}

/** What is trusted there is not ours to read: the file that names it may be anybody's. */
function hasOtherState({ found }: GateInFile, { env, home }: Scene): boolean {
  const own: Environment = gateOf(found.entry)?.env ?? {};
  return stateDirectory({ ...env, ...own }) !== home;
}

function sound({ found }: GateInFile): Judged {
  const gate = gateOf(found.entry);
  if (gate?.form === 'behind')
    return { state: 'skipped', detail: `started through ${gate.command}: not looked at from here` };
  if (gate?.form !== 'runner')
    return {
      state: 'ok',
      detail:
        gate?.config === undefined
          ? 'its program is there; it reads the tidegate.yaml of where it is started'
          : 'its program and file are there',
    };
  return { state: 'note', detail: 'fetched at each start: works where the registry has the package' };
}

function problemRow({ code, message, next }: ImportRefused): Finding {
  const state = code === 'import.foreign_file' ? 'note' : 'warn';
  return { state, detail: message, ...(next !== undefined && { next }) };
}

/** A file that `--undo` would put back, and that is gone itself. */
function lostRow({ client, via, file, existed }: Backup): readonly Finding[] {
  if (!existed || existsSync(file)) return [];
  const detail = 'the file is gone since the gate was put there; what stood in it is kept';
  return [{ state: 'warn', about: via, detail, next: commandLine('import', client, '--undo', '--force') }];
}
