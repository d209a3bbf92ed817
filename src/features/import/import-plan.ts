import type { Client, ClientFile } from '../../clients/index.js';
import {
  type Environment,
  type NewServer,
  openSecrets,
  type Problem,
  stateDirectory,
} from '../../config/index.js';
import type { ServerStanding } from '../../config/started/index.js';
import type { GateForm } from '../../workspace/client-files/gateway-start.js';
import { gateWords } from '../../workspace/client-files/gateway-trouble.js';
import { gather, type Source } from '../../workspace/client-files/gather.js';
import { createHiding, type NamedSecret, referencesIn } from './hide-secrets.js';
import { valuesToMask } from './mask.js';
import { newServers, type PlannedServer, planServers, type ServersOptions } from './plan-servers.js';
import { filesRun } from './files-run.js';
import { planPoints, type Point } from './plan-points.js';
import { projectFolders } from '../../workspace/project-folders.js';
import { ImportRefused } from '../../workspace/client-files/refused.js';
import { problemsOf, type Target, targetOf, unsetIn } from '../../workspace/client-files/target.js';

export interface ImportOptions {
  readonly cwd: string;
  readonly home: string;
  readonly env: Environment;
  readonly version: string;
  readonly clients: readonly Client[];
  /** Client names as typed by the user. */
  readonly named: readonly string[];
  readonly scope?: ClientFile['scope'] | undefined;
  readonly configFile?: string | undefined;
  readonly isOperators: boolean;
  readonly takesDisabled: boolean;
  readonly isPointing: boolean;
  readonly gate?: GateForm | undefined;
  /** Opening text of a new file. */
  readonly opening?: string;
}

/** Everything an import would do. Nothing is written or started yet. */
export interface ImportPlan {
  readonly target: Target;
  /** The new text of tidegate.yaml; unchanged if nothing is added. */
  readonly text: string;
  readonly added: readonly NewServer[];
  readonly servers: readonly PlannedServer[];
  readonly secrets: readonly NamedSecret[];
  readonly points: readonly Point[];
  readonly sources: readonly Source[];
  /** Variables that the new file uses and that have no value: the gateway does not start without them. */
  readonly unset: readonly string[];
  /** Workspace files that the new servers run; trusted together with them. */
  readonly runs: readonly ServerStanding[];
  /** Client files that could not be used. */
  readonly problems: readonly ImportRefused[];
}

export async function planImport(options: ImportOptions): Promise<ImportPlan> {
  const { cwd, env, home, version } = options;
  const place = { platform: process.platform, home, folders: projectFolders(cwd, home), env };
  const { sources, problems } = gather(options.clients, place, { scope: options.scope });
  // A file planted by another user must not block the import of the user's own files.
  const [broken] =
    options.named.length > 0 ? problems.filter(({ code }) => code !== 'import.foreign_file') : [];
  if (broken !== undefined) throw broken;
  const target = targetOf({
    cwd,
    env,
    isOperators: options.isOperators,
    ...(options.configFile !== undefined && { configFile: options.configFile }),
  });
  const before = target.content?.text ?? options.opening ?? '';
  await assertSound(target);
  const kept = openSecrets(stateDirectory(env));
  const hiding = createHiding({
    env,
    kept,
    referenced: new Set([...referencesIn(before), ...sources.flatMap(referencesOf)]),
  });
  const servers = await planServers({
    sources,
    ...(await knownIn(before)),
    folder: target.folder,
    hiding,
    takesDisabled: options.takesDisabled,
    isKept: (name) => env[name] === undefined && kept.valueOf(name) !== undefined,
    gateWords: (gate) => gateWords(gate, env, options.isPointing),
    flawOf: (entry) => flawOf(entry, target),
  });
  const added = newServers(servers);
  const text = await withServers(before, added, target);
  const secrets = hiding.secrets();
  const mask = valuesToMask(
    sources.flatMap((source) => source.servers),
    secrets.map(({ value }) => value),
  );
  const points = options.isPointing
    ? planPoints({
        sources,
        planned: servers,
        place,
        named: options.named,
        secrets: mask,
        cwd,
        env,
        version,
        target,
        hasNoFile: target.content === undefined && text === '',
        form: options.gate,
      })
    : [];
  const unset = await unsetIn(target.file, text, { env, secrets: kept });
  const runs = await filesRun({ text, target, added, secrets, options });
  return { target, text, added, servers, secrets, points, sources, unset, runs, problems };
}

/** Refuses to add servers to a file that already has errors. */
async function assertSound({ file, content }: Target): Promise<void> {
  const problems = content === undefined ? [] : await problemsOf(file, content.text);
  if (problems.length > 0) throw new TargetRefused(file, problems);
}

/** The target file has errors. */
export class TargetRefused extends Error {
  readonly file: string;
  readonly problems: readonly Problem[];
  constructor(file: string, problems: readonly Problem[]) {
    super('Nothing was imported: the configuration file has errors.');
    this.file = file;
    this.problems = problems;
  }
}

function referencesOf({ servers }: Source): readonly string[] {
  return servers.flatMap(({ server }) => referencesIn(JSON.stringify(server?.start ?? '')));
}

async function knownIn(text: string): Promise<Pick<ServersOptions, 'known' | 'elsewhere'>> {
  const { serversOf, withoutServers } = await import('../../config/add-servers.js');
  return { known: serversOf(text), elsewhere: referencesIn(JSON.stringify(withoutServers(text))) };
}

/** Why tidegate.yaml cannot contain this entry, found by parsing a file with only this entry. */
async function flawOf(
  entry: Readonly<Record<string, unknown>>,
  { file }: Target,
): Promise<string | undefined> {
  const [problem] = await problemsOf(file, JSON.stringify({ servers: { server: entry } }));
  return problem === undefined ? undefined : `not valid in tidegate.yaml: ${problem.message}`;
}

async function withServers(before: string, added: readonly NewServer[], target: Target): Promise<string> {
  const { addServers, CannotAdd, serversText } = await import('../../config/add-servers.js');
  try {
    const text = addServers(before, added);
    const problems = await problemsOf(target.file, text);
    if (problems.length > 0) throw new TargetRefused(target.file, problems);
    return text;
  } catch (error) {
    if (!(error instanceof CannotAdd)) throw error;
    const message = `${target.file} was not changed: ${error.message}.`;
    throw new ImportRefused(
      'import.unverified',
      message,
      'add these lines by hand',
      serversText(added).split('\n'),
    );
  }
}
