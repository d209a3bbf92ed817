/** A workspace with things outside that must stay as they are, and the three file tools on it. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Files } from '../../src/ports/files.js';
import { createQuietExchange, type Session } from '../../src/core/index.js';
import type { ToolModule } from '../../src/ports/tool-module.js';
import { openFiles } from '../../src/services/files/index.js';
import editTool from '../../src/tools/files/edit.tool.js';
import readTool from '../../src/tools/files/read.tool.js';
import writeTool from '../../src/tools/files/write.tool.js';

export const fileTools = ['Read', 'Write', 'Edit'] as const;
export type FileTool = (typeof fileTools)[number];

/** What a tool gave, as text, or why it refused. */
export type Answered =
  | { readonly text: string; readonly path: string }
  | { readonly code: string; readonly reason: string; readonly message: string };

export interface FilePlace {
  readonly base: string;
  readonly root: string;
  /** Beside the workspace; holds `secret`, a folder with files, and nothing that a tool may change. */
  readonly outside: string;
  readonly stateDir: string;
  readonly files: Files;
  call(tool: FileTool, input: Readonly<Record<string, unknown>>): Promise<Answered>;
  close(): Promise<void>;
}

export const canary = 'CANARY-8d1f0c';

const modules: Readonly<Record<FileTool, ToolModule>> = { Read: readTool, Write: writeTool, Edit: editTool };

/** Memory instead of a disk where there is such a folder: the suites sync thousands of files. */
function quickFolder(): string {
  const memory = '/dev/shm';
  return realpathSync(mkdtempSync(join(existsSync(memory) ? memory : tmpdir(), 'tidegate-files-')));
}

export async function openFilePlace(): Promise<FilePlace> {
  const base = quickFolder();
  const root = join(base, 'deep', 'er', 'workspace');
  const outside = join(base, 'deep', 'er', 'outside');
  const stateDir = join(base, 'state');
  for (const folder of [root, join(outside, 'folder'), stateDir]) mkdirSync(folder, { recursive: true });
  for (const name of ['secret', 'folder/secret', 'folder/file']) writeFileSync(join(outside, name), canary);
  const service = openFiles({ roots: [root], stateDir });
  const files = await service.serve(sessionOf('main'));
  return {
    base,
    root,
    outside,
    stateDir,
    files,
    call: (tool, input) => callTool(tool, input, files),
    async close() {
      await service.close();
      rmSync(base, { recursive: true, force: true });
    },
  };
}

export function sessionOf(id: string): Session {
  return { id, principal: { kind: 'agent', id: 'tester', zone: 'local' }, scope: 'connection' };
}

interface ToolAnswer {
  readonly text: string;
  readonly data: { readonly file_path: string };
}

/** Runs the very tool that agents are given, on the port. */
export async function callTool(
  tool: FileTool,
  input: Readonly<Record<string, unknown>>,
  files: Files,
): Promise<Answered> {
  const module = modules[tool];
  const checked = await module.input['~standard'].validate(input);
  if (checked.issues)
    return { code: 'input.invalid', reason: 'input', message: JSON.stringify(checked.issues) };
  const context = {
    exchange: createQuietExchange(new AbortController().signal),
    session: sessionOf('main'),
    ports: { files },
  };
  try {
    const result = (await module.run(checked.value as never, context as never)) as ToolAnswer;
    return { text: result.text, path: result.data.file_path };
  } catch (error) {
    const { code, facts, message } = error as Error & { code?: string; facts?: { reason?: string } };
    if (code === undefined || facts === undefined) throw error;
    return { code, reason: facts.reason ?? '', message };
  }
}

/** Whether a tool got out: it told what only stands outside, or says that it worked on something there. */
export function hasEscaped(answer: Answered, root: string): boolean {
  if (!('text' in answer)) return false;
  const real = realpathSync.native(resolve(root, answer.path));
  return !real.startsWith(`${root}/`) || leaks.some((leak) => leak.test(answer.text));
}

const leaks = [new RegExp(canary), /^\s*\d*\t?root:[^:]*:0:0:/m, /^\s*\d*\t?\[fonts\]/m];

/** Every path below a folder with its content, to see whether anything changed. */
export function snapshot(folder: string): string {
  const names = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  return names
    .map((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return `${path}/\n${snapshot(path)}`;
      return `${path} ${entry.isFile() ? readFileSync(path, 'latin1') : 'special'}\n`;
    })
    .join('');
}
