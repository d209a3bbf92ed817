import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { quote } from '../../lib/source-place.js';
import type { Report } from '../finding.js';
import type { Step, StepOf, Workflow } from '../grammar/workflow.js';
import type { Library } from '../library.js';
import { flawAt } from './flaw-at.js';

/** Checks that the files of steps exist, if their names are known before the run. */
export function checkFiles(workflow: Workflow, library: Library, report: Report): void {
  for (const step of workflow.steps.values()) {
    if (step.kind === 'command') checkFile(step, 'script_file', step.own.script_file, library, report);
    if (step.kind !== 'agent') continue;
    checkFile(step, 'prompt_file', step.own.prompt_file, library, report);
    checkRole(step, library, report);
    checkSkills(step, library, report);
  }
}

const shelves = { script_file: 'scripts', prompt_file: 'prompts' } as const;

function checkFile(
  step: Step,
  key: keyof typeof shelves,
  name: string | undefined,
  library: Library,
  report: Report,
): void {
  if (name === undefined || name.includes('{{')) return;
  if (library.lookup(shelves[key], name, step.source.file) !== undefined) return;
  report(flawAt(step, [key], 'USER.INPUT.MISSING_FILE', `There is no file ${quote(name)}.`));
}

function checkRole(step: StepOf<'agent'>, library: Library, report: Report): void {
  const { role } = step.own;
  if (role === undefined) return;
  const addFlaw = (message: string): void =>
    report(flawAt(step, ['role'], 'USER.INPUT.MISSING_ROLE', message));
  if (isOutside(role)) return addFlaw(`The role ${quote(role)} points outside its folder.`);
  reportFolder(
    library.lookup('roles', role, step.source.file),
    'AGENTS.md',
    `The role ${quote(role)}`,
    library,
    addFlaw,
  );
}

function checkSkills(step: StepOf<'agent'>, library: Library, report: Report): void {
  for (const [at, skill] of (step.own.skills ?? []).entries()) {
    const addFlaw = (message: string): void =>
      report(flawAt(step, ['skills', at], 'USER.INPUT.MISSING_SKILL', message));
    const name = typeof skill === 'string' ? skill : skill.path;
    if (name === undefined) continue;
    if (isOutside(name)) addFlaw(`The skill ${quote(name)} points outside its folder.`);
    else
      reportFolder(
        library.lookup('skills', name, step.source.file),
        'SKILL.md',
        `The skill ${quote(name)}`,
        library,
        addFlaw,
      );
  }
}

function isOutside(name: string): boolean {
  return name.split(/[/\\]/).includes('..');
}

function reportFolder(
  folder: string | undefined,
  file: string,
  subject: string,
  library: Library,
  addFlaw: (message: string) => void,
): void {
  if (folder === undefined) return addFlaw(`${subject} cannot be found.`);
  const path = join(folder, file);
  if (!existsSync(path)) return addFlaw(`${subject} has no ${file}.`);
  try {
    if (library.read(path).toString('utf8').trim() === '') addFlaw(`${subject} has an empty ${file}.`);
  } catch {
    addFlaw(`${subject} has a ${file} that cannot be read.`);
  }
}
