import { dirname, relative } from 'node:path';
import { commandLine } from '../../lib/shell-word.js';
import { hasErrors, type Problem } from '../../config/index.js';
import { goneConfigs } from '../../workspace/governing-config.js';
import type { Located } from '../../workspace/locate-config.js';
import { importsWithin } from '../../workspace/tool-imports.js';
import { libraryPartsOf } from '../../workspace/workflow-library.js';
import type { Check, Finding } from './check.js';
import type { Scene } from './scene.js';

export const trustCheck: Check = {
  id: 'trust',
  group: 'place',
  title: 'Trust',
  why: 'Tidegate runs nothing from a folder until you trust its files. A file that changes must be trusted again.',
  remedy: 'Read the file, then run `tidegate trust`. No other command trusts files, not even `doctor --fix`.',
  run: (scene) => trustFindings(scene),
};

async function trustFindings(scene: Scene): Promise<readonly Finding[]> {
  const problem = scene.obstacle() === undefined ? scene.trust.problem() : undefined;
  if (scene.obstacle() !== undefined)
    return [{ state: 'fail', detail: 'the state directory cannot be read, so nothing is trusted' }];
  if (problem !== undefined) return [{ state: 'fail', detail: problem.message, next: problem.remedy }];
  const located = await scene.located();
  if (located === undefined) return [{ state: 'skipped', detail: 'no configuration was found' }];
  const found = [
    ...goneStanding(scene),
    ...configStanding(scene, located),
    ...(await serverFileStanding(scene, located)),
    ...(await policyStanding(scene, located)),
    ...(await toolStanding(scene, located)),
    ...(await workflowStanding(scene, located)),
  ];
  return found.length > 0 ? found : [{ state: 'ok', detail: 'no files here need trust' }];
}

interface Standing {
  readonly about: string;
  readonly file: string;
  readonly isTrusted: boolean;
  /** What applies until the file is trusted. */
  readonly meanwhile: string;
  readonly next?: string;
}

function standing(scene: Scene, { about, file, isTrusted, meanwhile, next }: Standing): Finding {
  if (isTrusted) return { state: 'ok', about, detail: 'trusted', facts: { file } };
  const wasTrusted = scene.trust.list().some((record) => record.file === file);
  const detail = `${wasTrusted ? 'changed since it was trusted' : 'not trusted'}: ${meanwhile}`;
  const command = next ?? commandLine('trust', file);
  return { state: 'warn', about, detail, next: `read it, then: ${command}`, facts: { file, wasTrusted } };
}

/** A deleted trusted file stays in force, so that deleting it cannot widen access. */
function goneStanding({ cwd, env, trust }: Scene): readonly Finding[] {
  return goneConfigs({ cwd, env }, trust).map((file) => ({
    state: 'warn',
    about: file,
    detail: 'this trusted file was deleted; its access rules and limits still apply',
    next: 'restore the file, or drop its rules and limits: tidegate trust',
    facts: { file },
  }));
}

function configStanding(scene: Scene, { file, isTrusted, problems }: Located): readonly Finding[] {
  if (file === undefined) return [];
  const meanwhile = 'its servers are not started';
  if (hasErrors(problems) && !isTrusted)
    return [{ state: 'skipped', about: shortName(scene, file), detail: 'fix its errors first' }];
  return [standing(scene, { about: shortName(scene, file), file, isTrusted, meanwhile })];
}

/** Servers in a trusted file whose program files changed since they were trusted. */
async function serverFileStanding(scene: Scene, { config, isTrusted }: Located): Promise<readonly Finding[]> {
  if (!isTrusted) return [];
  const { serverStanding } = await import('../../config/started/index.js');
  const { env, trust } = scene;
  return config.servers
    .map((server) => serverStanding(server, { config, env, trust }))
    .filter((standing) => !standing.isTrusted)
    .map(
      ({ name, changed, problem }): Finding => ({
        state: 'warn',
        about: `servers.${name}`,
        detail:
          problem === undefined
            ? 'not started: files it runs have changed since they were trusted'
            : `not started: ${problem}`,
        more: changed.slice(0, 10).map((file) => shortName(scene, file)),
        next: 'read them, then: tidegate trust',
        facts: { changed },
      }),
    );
}

async function policyStanding(scene: Scene, located: Located): Promise<readonly Finding[]> {
  const { locateProfiles } = await import('../../workspace/locate-profiles.js');
  const { files, problems } = await locateProfiles(policyPlace(scene, located));
  const changed = problems.filter(({ code }: Problem) => code === 'profiles.changed');
  return [
    ...files.map(({ file, isTrusted }) =>
      standing(scene, {
        about: shortName(scene, file),
        file,
        isTrusted,
        meanwhile: 'the built-in profiles apply',
      }),
    ),
    ...changed
      .filter(({ file }) => !files.some((one) => one.file === file))
      .map(
        ({ file, message, remedy }): Finding => ({
          state: 'fail',
          about: shortName(scene, file),
          detail: message,
          next: remedy,
        }),
      ),
  ];
}

export function policyPlace(scene: Scene, { config, file, folder }: Located) {
  const place = { access: config.access, trust: scene.trust };
  return file === undefined
    ? { ...place, directory: folder }
    : { ...place, directory: dirname(file), configFile: file };
}

async function toolStanding(scene: Scene, { folder, config }: Located): Promise<readonly Finding[]> {
  const { scanWorkspace } = await import('../../providers/local/index.js');
  const { files, problems } = await scanWorkspace(
    folder,
    importsWithin(folder, () => config),
  );
  return [
    ...files.map(({ file, sha256 }) =>
      standing(scene, {
        about: shortName(scene, file),
        file,
        isTrusted: scene.trust.isTrusted(file, sha256),
        meanwhile: 'this tool is not available',
        next: 'tidegate trust',
      }),
    ),
    ...problems.map(
      ({ file, message }): Finding => ({
        state: 'fail',
        about: shortName(scene, file),
        detail: message,
        next: 'tidegate tools list',
      }),
    ),
  ];
}

/** Workflows need trust only when agents run them, so untrusted ones are reported in one line. */
async function workflowStanding(scene: Scene, located: Located): Promise<readonly Finding[]> {
  const { bundleOf, openLibrary } = await import('../../workflow/index.js');
  const library = openLibrary(await libraryPartsOf(scene, located));
  const all = library.list().slice(0, mostWorkflows);
  if (all.length === 0) return [];
  const untrusted = all.filter(({ file }) => {
    const { sha256, unknown, unsafe } = bundleOf(file, library);
    return unknown.length > 0 || unsafe.length > 0 || !scene.trust.isTrusted(file, sha256);
  });
  const about = 'workflows';
  if (untrusted.length === 0) return [{ state: 'ok', about, detail: `${String(all.length)} trusted` }];
  const [first] = untrusted;
  const detail = `${String(untrusted.length)} of ${String(all.length)} not trusted: you can run them, but agents cannot`;
  const next = `read it, then: ${commandLine('trust', first?.file ?? '')}`;
  return [{ state: 'note', about, detail, next, facts: { untrusted: untrusted.map(({ file }) => file) } }];
}

const mostWorkflows = 200;

function shortName({ cwd }: Scene, file: string): string {
  const short = relative(cwd, file);
  return short === '' || short.startsWith('..') ? file : short;
}
