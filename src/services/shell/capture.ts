import type { ChildProcess } from '../../ports/processes.js';
import type { ShellOutput, StreamedCommand } from '../../ports/shell.js';
import { createOutputWindow } from './output-window.js';
import { plainText } from './plain-text.js';
import { maxShown, showOutput } from './shown-output.js';
import { openSpool } from './spool.js';
import type { SpoolFolder } from './spool-folder.js';

/** Captures a command's output: head and tail for the result, all of it for the file. */
export interface Capture {
  /** The output since the last call. The filter selects the lines to keep. */
  take(wanted: { readonly isLast: boolean; readonly filter?: LineFilter }): Promise<ShellOutput>;
  /** The end of the latest output, for progress messages. */
  lastLine(): string;
  close(): Promise<void>;
}

export type LineFilter = (line: string) => boolean;

export interface CaptureParts {
  readonly child: ChildProcess;
  readonly folder: SpoolFolder;
  /** Converts a file name to the path shown to the caller. */
  readonly nameFor: (file: string) => string;
  readonly onOutput?: StreamedCommand['onOutput'];
}

const lastLineBytes = 512;

export function openCapture({ child, folder, nameFor, onOutput }: CaptureParts): Capture {
  const windows = { out: createOutputWindow(), errors: createOutputWindow() };
  let last = windows.out;
  let isTold = false;
  const spool = openSpool({
    folder,
    shortBytes: maxShown,
    onRoom: () => {
      child.resumeOutput();
      child.resumeErrorOutput();
    },
  });
  const take = (window: typeof last, stream: 'stdout' | 'stderr') => (chunk: Uint8Array) => {
    onOutput?.(stream, chunk);
    window.push(chunk);
    last = window;
    if (spool.write(chunk)) return;
    child.pauseOutput();
    child.pauseErrorOutput();
  };
  child.onOutput(take(windows.out, 'stdout'));
  child.onErrorOutput(take(windows.errors, 'stderr'));

  return {
    async take({ isLast, filter }) {
      const kept = [windows.out.take(isLast), windows.errors.take(isLast)] as const;
      const state = await spool.settle();
      const where = state === undefined ? '' : `, see ${nameFor(state.name)}`;
      const shown = showOutput(kept[0], kept[1], where);
      const isFileTold = shown.truncated && state !== undefined;
      isTold ||= isFileTold;
      return {
        stdout: filtered(shown.stdout, filter),
        stderr: filtered(shown.stderr, filter),
        truncated: shown.truncated,
        isFileComplete: !shown.truncated || state?.isComplete === true,
        bytes: kept[0].bytes + kept[1].bytes,
        ...(isFileTold && { outputFile: nameFor(state.name) }),
      };
    },
    lastLine: () => lineAtEnd(plainText(last.last(lastLineBytes))),
    close: () => spool.close(!isTold),
  };
}

function lineAtEnd(text: string): string {
  return (
    text
      .trimEnd()
      .split(/[\r\n]/)
      .at(-1)
      ?.trim() ?? ''
  );
}

function filtered(text: string, filter: LineFilter | undefined): string {
  if (filter === undefined || text === '') return text;
  return text
    .split('\n')
    .filter((line) => filter(line))
    .map((line) => `${line}\n`)
    .join('');
}
