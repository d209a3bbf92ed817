import { dirname, relative } from 'node:path';
import { commandLine } from '../../access/desk/shell-word.js';
import { hasErrors, openSourceReader, type Problem, workflowHomes } from '../../config/index.js';
import type { Located } from '../locate-config.js';
import type { Check, Finding } from './check.js';
import type { Scene } from './scene.js';

export const trustCheck: Check = {
  id: 'trust',
  group: 'place',
  title: 'Trust',
  why: 'Nothing of a folder runs before you have read it and said so; a file that changed has to be read again.',
  remedy: 'Read the file, then `tidegate trust`. Nothing else ever trusts anything, `--fix` neither.',
  run: (scene) => trustFindings(scene),
};

async function trustFindings(scene: Scene): Promise<readonly Finding[]> {
  const problem = scene.obstacle() === undefined ? scene.trust.problem() : undefined;
  if (scene.obstacle() !== undefined)
    return [{ state: 'fail', detail: 'nothing is trusted: the state directory cannot be read' }];
  if (problem !== undefined) return [{ state: 'fail', detail: problem.message, next: problem.remedy }];
  const located = await scene.located();
  if (located === undefined) return [{ state: 'skipped', detail: 'there is no place to look at' }];
  const found = [
    ...configStanding(scene, located),
    ...(await policyStanding(scene, located)),
    ...(await toolStanding(scene, located)),
    ...(await workflowStanding(scene, located)),
  ];
  return found.length > 0 ? found : [{ state: 'ok', detail: 'there is nothing here that needs it' }];
}

interface Standing {
  readonly about: string;
  readonly file: string;
  readonly isTrusted: boolean;
  /** What happens as long as it is not. */
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

function configStanding(scene: Scene, { file, isTrusted, problems }: Located): readonly Finding[] {
  if (file === undefined) return [];
  const meanwhile = 'nothing of it is started';
  if (hasErrors(problems) && !isTrusted)
    return [{ state: 'skipped', about: shortName(scene, file), detail: 'it has errors to correct first' }];
  return [standing(scene, { about: shortName(scene, file), file, isTrusted, meanwhile })];
}

async function policyStanding(scene: Scene, located: Located): Promise<readonly Finding[]> {
  const { locateProfiles } = await import('../locate-profiles.js');
  const { files, problems } = await locateProfiles(policyPlace(scene, located));
  const changed = problems.filter(({ code }: Problem) => code === 'profiles.changed');
  return [
    ...files.map(({ file, isTrusted }) =>
      standing(scene, {
        about: shortName(scene, file),
        file,
        isTrusted,
        meanwhile: 'the shipped profiles apply',
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

async function toolStanding(scene: Scene, { folder }: Located): Promise<readonly Finding[]> {
  const { scanWorkspace } = await import('../../providers/local/index.js');
  const { files, problems } = scanWorkspace(folder);
  return [
    ...files.map(({ file, sha256 }) =>
      standing(scene, {
        about: shortName(scene, file),
        file,
        isTrusted: scene.trust.isTrusted(file, sha256),
        meanwhile: 'this tool is not offered',
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

/** Workflows need trust only where agents run them: those that are not trusted are told together. */
async function workflowStanding(scene: Scene, { folder }: Located): Promise<readonly Finding[]> {
  const { bundleOf, openLibrary } = await import('../../workflow/index.js');
  const { cwd, env } = scene;
  const readSource = await openSourceReader();
  const folders = [...new Set([cwd, folder])];
  const library = openLibrary({ cwd, folders, homes: workflowHomes(env), readSource });
  const all = library.list().slice(0, mostWorkflows);
  if (all.length === 0) return [];
  const untrusted = all.filter(({ file }) => {
    const { sha256, unknown } = bundleOf(file, library);
    return unknown.length > 0 || !scene.trust.isTrusted(file, sha256);
  });
  const about = 'workflows';
  if (untrusted.length === 0) return [{ state: 'ok', about, detail: `${String(all.length)} trusted` }];
  const [first] = untrusted;
  const detail = `${String(untrusted.length)} of ${String(all.length)} not trusted: agents cannot run them, you can`;
  const next = `read it, then: ${commandLine('trust', first?.file ?? '')}`;
  return [{ state: 'note', about, detail, next, facts: { untrusted: untrusted.map(({ file }) => file) } }];
}

const mostWorkflows = 200;

function shortName({ cwd }: Scene, file: string): string {
  const short = relative(cwd, file);
  return short === '' || short.startsWith('..') ? file : short;
}
