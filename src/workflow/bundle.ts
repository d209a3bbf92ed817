import { join, resolve } from 'node:path';
import { foreignChoices } from './agent-choices.js';
import { programOf } from './agent-program.js';
import { type BundleContent, createBundleContent } from './bundle-content.js';
import { foreignEndpoints } from './endpoint.js';
import type { Step, Workflow } from './grammar/workflow.js';
import { providerNamed } from './grammar/providers.js';
import { insertedValues } from './inserted-values.js';
import type { Library, RunFiles } from './library.js';
import { filledPrograms, withoutPlaceholders } from './placeholders.js';
import { nativeReason } from './step-tools.js';

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
  const content = createBundleContent(library);
  const { unknown, unsafe } = content;
  const { natives, commands, inserted, scriptFiles, folders } = collect(file, library, content);
  const isWide = library.isUnsandboxed(file);
  if (isWide) for (const value of inserted) unsafe.add(value);
  const run = library.filesRunBy([...commands].map(withoutPlaceholders), [...folders], isWide);
  for (const one of run.files) content.addHash(one.file, one.sha256);
  if (run.problem !== undefined) unknown.add(run.problem);
  for (const command of commands) for (const name of filledPrograms(command, isWide)) unknown.add(name);
  return {
    files: content.files(),
    // Leaving the sandbox is a separate decision: the operator is asked again even if no file changed.
    sha256: content.sha256(isWide ? 'unsandboxed, locked\0' : ''),
    ...(isWide && { unsandboxed: { ...run, files: [...run.files, ...[...scriptFiles].map(hashed)] } }),
    unknown: [...unknown],
    unsafe: [...unsafe],
    natives: [...natives],
  };
}

interface Collected {
  readonly natives: Set<string>;
  readonly commands: Set<string>;
  /** See `insertedValues`. */
  readonly inserted: Set<string>;
  readonly scriptFiles: Set<string>;
  /** Folders that commands run in. */
  readonly folders: Set<string>;
}

/** Adds the files of the workflow and of all workflows it calls. */
function collect(file: string, library: Library, content: BundleContent): Collected {
  const collected: Collected = {
    natives: new Set(),
    commands: new Set(),
    inserted: new Set(),
    scriptFiles: new Set(),
    folders: new Set([library.cwd]),
  };
  const seen = new Set<string>();
  const visit = (path: string): void => {
    if (seen.has(path)) return;
    seen.add(path);
    content.add(path);
    const { workflow, templates } = library.load(path);
    for (const template of templates) content.add(template);
    for (const text of textsOf(workflow)) content.addRead(text);
    for (const choice of [...foreignChoices(workflow), ...foreignEndpoints(workflow)])
      content.unsafe.add(choice);
    const addCommand = (command: string): void => {
      collected.commands.add(command);
      for (const value of insertedValues(command, workflow.inputs)) collected.inserted.add(value);
    };
    for (const command of commandsIn(workflow)) addCommand(command);
    for (const step of workflow.steps.values()) {
      collectStep(step, library, content, { ...collected, addCommand });
      const called = calledBy(step, library);
      if (called !== undefined) visit(called);
    }
  };
  visit(file);
  return collected;
}

type Collecting = Collected & { readonly addCommand: (command: string) => void };

function collectStep(step: Step, library: Library, content: BundleContent, collected: Collecting): void {
  for (const { name, found, isFilled } of usedBy(step, library)) {
    if (name.includes('{{')) content.unknown.add(name);
    if (name.includes('{{') || found === undefined) continue;
    const text = content.add(found);
    if (isFilled) content.addRead(text);
    if (step.kind !== 'command') continue;
    // The `#!` line counts as a command: it names the interpreter.
    collected.addCommand(text.replace(/^#!/, ''));
    collected.scriptFiles.add(found);
  }
  const native = nativeStep(step);
  if (native !== undefined) collected.natives.add(native);
  const program = programOf(step);
  if (program !== undefined) content.addProgram(program);
  if (step.kind === 'command' && step.own.dir !== undefined)
    collected.folders.add(resolve(library.cwd, step.own.dir));
}

/** Commands written in the workflow itself; script files are read when they are added. */
function commandsIn({ texts }: Workflow): readonly string[] {
  return texts.flatMap(({ holds, text }) => (holds === 'command' ? [text] : []));
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
