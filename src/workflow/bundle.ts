import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';
import type { Step, Workflow } from './grammar/workflow.js';
import type { Library } from './library.js';
import { filesRead } from './template/files-read.js';
import { TemplateError } from './template/template.js';

/** Every file that a run of a workflow would use, with one hash over all of them. */
export interface Bundle {
  readonly files: readonly string[];
  readonly sha256: string;
  /** Names that only a run works out, and files that cannot be read: such a workflow cannot be trusted as a whole. */
  readonly unknown: readonly string[];
}

/** Whoever trusts a workflow trusts what it brings: the files that it calls, fills in, runs and shows to agents. */
export function bundleOf(file: string, library: Library): Bundle {
  const files = new Map<string, Buffer>();
  const seen = new Set<string>();
  const unknown = new Set<string>();
  const add = (path: string, read = (): Buffer => library.read(path)): string => {
    try {
      const bytes = files.get(path) ?? read();
      files.set(path, bytes);
      return bytes.toString('utf8');
    } catch {
      unknown.add(path);
      return '';
    }
  };
  const addRead = (text: string): void => {
    for (const name of namesRead(text)) {
      if (name === undefined) unknown.add('{{readFile …}}');
      else add(resolve(library.cwd, name), () => library.readInside(name));
    }
  };
  const visit = (path: string): void => {
    if (seen.has(path)) return;
    seen.add(path);
    add(path);
    const { workflow, templates } = library.load(path);
    for (const template of templates) add(template);
    for (const text of textsOf(workflow)) addRead(text);
    for (const step of workflow.steps.values()) {
      for (const { name, found, isFilled } of usedBy(step, library)) {
        if (name.includes('{{')) unknown.add(name);
        else if (found !== undefined) {
          const text = add(found);
          if (isFilled) addRead(text);
        }
      }
      const called = calledBy(step, library);
      if (called !== undefined) visit(called);
    }
  };
  visit(file);
  const hash = createHash('sha256');
  for (const [path, bytes] of [...files].sort(([a], [b]) => (a < b ? -1 : 1)))
    hash.update(path).update('\0').update(bytes).update('\0');
  return { files: [...files.keys()], sha256: hash.digest('hex'), unknown: [...unknown] };
}

function textsOf({ texts }: Workflow): readonly string[] {
  return texts.flatMap(({ holds, text }) => (holds === 'template' || holds === 'command' ? [text] : []));
}

function namesRead(text: string): readonly (string | undefined)[] {
  try {
    return filesRead(text);
  } catch (error) {
    // What cannot be read as a template fails its step, too.
    if (error instanceof TemplateError) return [];
    throw error;
  }
}

/** From where the step stands, which may be a template: as the run finds it. */
export function calledBy(step: Step, library: Library): string | undefined {
  if (step.kind !== 'call_workflow' || step.own.workflow === undefined) return undefined;
  return library.find(step.own.workflow, step.source.file);
}

interface Used {
  readonly name: string;
  readonly found: string | undefined;
  /** Whether what is in braces in it is filled in. */
  readonly isFilled?: true;
}

function usedBy(step: Step, library: Library): readonly Used[] {
  const { file } = step.source;
  if (step.kind === 'command' && step.own.script_file !== undefined) {
    const name = step.own.script_file;
    return [{ name, found: library.lookup('scripts', name, file), isFilled: true }];
  }
  if (step.kind !== 'agent') return [];
  const { prompt_file: prompt, role, skills = [] } = step.own;
  const inFolder = (shelf: 'roles' | 'skills', name: string, inside: string): Used => {
    const folder = library.lookup(shelf, name, file);
    return { name, found: folder && join(folder, inside) };
  };
  return [
    ...(prompt === undefined
      ? []
      : [{ name: prompt, found: library.lookup('prompts', prompt, file), isFilled: true as const }]),
    ...(role === undefined ? [] : [inFolder('roles', role, 'AGENTS.md')]),
    ...skills.map((skill) =>
      inFolder('skills', typeof skill === 'string' ? skill : (skill.path ?? ''), 'SKILL.md'),
    ),
  ];
}
