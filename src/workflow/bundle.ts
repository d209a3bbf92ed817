import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';
import { foreignChoices } from './agent-choices.js';
import { digestOf, isInside, programOf } from './agent-program.js';
import { foreignEndpoints } from './endpoint.js';
import type { Step, Workflow } from './grammar/workflow.js';
import { providerNamed } from './grammar/providers.js';
import type { Library, RunFiles } from './library.js';
import { filledPrograms, withoutPlaceholders } from './placeholders.js';
import { nativeReason } from './step-tools.js';
import { filesRead } from './template/files-read.js';
import { TemplateError } from './template/template.js';

/** All files a run of the workflow would use, with one hash over them. */
export interface Bundle {
  readonly files: readonly string[];
  readonly sha256: string;
  /** Files that its commands run without a sandbox when agents start it. Absent if they run in one. */
  readonly unsandboxed?: RunFiles;
  /** Names known only at run time, and unreadable files. Such a workflow cannot be trusted as a whole. */
  readonly unknown: readonly string[];
  /** Steps whose agents may use tools the gateway does not see. Agents cannot run such a workflow. */
  readonly natives: readonly string[];
  /** Reasons not to trust the workflow: others decide what it starts or where it sends requests. */
  readonly unsafe: readonly string[];
}

/** Trusting a workflow includes the files it calls, inserts, runs and shows to agents. */
export function bundleOf(file: string, library: Library): Bundle {
  const files = new Map<string, Buffer>();
  const seen = new Set<string>();
  const unknown = new Set<string>();
  const unsafe = new Set<string>();
  const natives = new Set<string>();
  const commands = new Set<string>();
  const scriptFiles = new Set<string>();
  const folders = new Set<string>([library.cwd]);
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
  const addProgram = (name: string): void => {
    const found = name.includes('{{') ? undefined : library.program(name);
    if (found === undefined) unknown.add(name);
    else if (isInside(found, library.roots)) unsafe.add(`agents can write the program ${found}`);
    else add(found, () => digestOf(found));
  };
  const visit = (path: string): void => {
    if (seen.has(path)) return;
    seen.add(path);
    add(path);
    const { workflow, templates } = library.load(path);
    for (const template of templates) add(template);
    for (const text of textsOf(workflow)) addRead(text);
    for (const choice of [...foreignChoices(workflow), ...foreignEndpoints(workflow)]) unsafe.add(choice);
    const scripts = new Set(
      [...workflow.steps.values()].map((step) => step.kind === 'command' && step.own.script_file),
    );
    for (const { holds, text } of workflow.texts)
      if (holds === 'command' && !scripts.has(text)) commands.add(text);
    for (const step of workflow.steps.values()) {
      for (const { name, found, isFilled } of usedBy(step, library)) {
        if (name.includes('{{')) unknown.add(name);
        else if (found !== undefined) {
          const text = add(found);
          if (isFilled) addRead(text);
          // The `#!` line counts as a command: it names the interpreter.
          if (step.kind === 'command') {
            commands.add(text.replace(/^#!/, ''));
            scriptFiles.add(found);
          }
        }
      }
      const native = nativeStep(step);
      if (native !== undefined) natives.add(native);
      const program = programOf(step);
      if (program !== undefined) addProgram(program);
      if (step.kind === 'command' && step.own.dir !== undefined)
        folders.add(resolve(library.cwd, step.own.dir));
      const called = calledBy(step, library);
      if (called !== undefined) visit(called);
    }
  };
  visit(file);
  const isWide = library.isUnsandboxed(file);
  const run = library.filesRunBy([...commands].map(withoutPlaceholders), [...folders], isWide);
  // Only the hash is stored: these files are never read through the library.
  for (const one of run.files) if (!files.has(one.file)) files.set(one.file, Buffer.from(one.sha256));
  if (run.problem !== undefined) unknown.add(run.problem);
  for (const command of commands) for (const name of filledPrograms(command)) unknown.add(name);
  const hash = createHash('sha256');
  // Leaving the sandbox is a separate decision: the operator is asked again even if no file changed.
  if (isWide) hash.update('unsandboxed, locked\0');
  for (const [path, bytes] of [...files].sort(([a], [b]) => (a < b ? -1 : 1)))
    hash.update(path).update('\0').update(bytes).update('\0');
  return {
    files: [...files.keys()],
    sha256: hash.digest('hex'),
    ...(isWide && { unsandboxed: { ...run, files: [...run.files, ...[...scriptFiles].map(hashed)] } }),
    unknown: [...unknown],
    unsafe: [...unsafe],
    natives: [...natives],
  };
}

/** The hash of the workflow covers the content, so the lock record needs only the name. */
function hashed(file: string): RunFiles['files'][number] {
  return { file, sha256: '' };
}

/** Best guess before the run; the run checks again. */
function nativeStep(step: Step): string | undefined {
  if (step.kind !== 'agent' || step.own.provider?.includes('{{') === true) return undefined;
  const { provider = '', mcp_proxy: proxy, tidegate: gate } = step.own;
  const reason = nativeReason(providerNamed(provider) !== 'openai_compatible', proxy, gate);
  return reason && `the step ${JSON.stringify(step.name)} is not isolated: ${reason}`;
}

function textsOf({ texts }: Workflow): readonly string[] {
  return texts.flatMap(({ holds, text }) => (holds === 'template' || holds === 'command' ? [text] : []));
}

function namesRead(text: string): readonly (string | undefined)[] {
  try {
    return filesRead(text);
  } catch (error) {
    // An invalid template also fails its step.
    if (error instanceof TemplateError) return [];
    throw error;
  }
}

/** Resolved from the file of the step, which may be a template: the same way the run does it. */
export function calledBy(step: Step, library: Library): string | undefined {
  if (step.kind !== 'call_workflow' || step.own.workflow === undefined) return undefined;
  return library.find(step.own.workflow, step.source.file);
}

interface Used {
  readonly name: string;
  readonly found: string | undefined;
  /** Whether its placeholders are filled in. */
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
