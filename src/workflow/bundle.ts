import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Step } from './grammar/workflow.js';
import type { Library } from './library.js';

/** Every file that a run of a workflow would use, with one hash over all of them. */
export interface Bundle {
  readonly files: readonly string[];
  readonly sha256: string;
  /** Names that only a run works out: such a workflow cannot be trusted as a whole. */
  readonly unknown: readonly string[];
}

/** Whoever trusts a workflow trusts what it brings: the files that it calls, fills in, runs and shows to agents. */
export function bundleOf(file: string, library: Library): Bundle {
  const files = new Set<string>();
  const unknown: string[] = [];
  const visit = (path: string): void => {
    if (files.has(path)) return;
    files.add(path);
    const { workflow, templates } = library.load(path);
    for (const template of templates) files.add(template);
    for (const step of workflow.steps.values()) {
      for (const { name, found } of usedBy(step, library)) {
        if (name.includes('{{')) unknown.push(name);
        else if (found !== undefined) files.add(found);
      }
      const called =
        step.kind === 'call_workflow' && step.own.workflow !== undefined
          ? library.find(step.own.workflow, path)
          : undefined;
      if (called !== undefined) visit(called);
    }
  };
  visit(file);
  const hash = createHash('sha256');
  for (const path of [...files].sort())
    hash.update(path).update('\0').update(readFileSync(path)).update('\0');
  return { files: [...files], sha256: hash.digest('hex'), unknown };
}

interface Used {
  readonly name: string;
  readonly found: string | undefined;
}

function usedBy(step: Step, library: Library): readonly Used[] {
  const { file } = step.source;
  if (step.kind === 'command' && step.own.script_file !== undefined) {
    const name = step.own.script_file;
    return [{ name, found: library.lookup('scripts', name, file) }];
  }
  if (step.kind !== 'agent') return [];
  const { prompt_file: prompt, role, skills = [] } = step.own;
  const inFolder = (shelf: 'roles' | 'skills', name: string, inside: string): Used => {
    const folder = library.lookup(shelf, name, file);
    return { name, found: folder && join(folder, inside) };
  };
  return [
    ...(prompt === undefined ? [] : [{ name: prompt, found: library.lookup('prompts', prompt, file) }]),
    ...(role === undefined ? [] : [inFolder('roles', role, 'AGENTS.md')]),
    ...skills.map((skill) =>
      inFolder('skills', typeof skill === 'string' ? skill : (skill.path ?? ''), 'SKILL.md'),
    ),
  ];
}
