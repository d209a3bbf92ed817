import type { Finding, RunEvent, StepResult } from '../app/workflows/index.js';
import { printable, printableLines } from '../config/index.js';
import type { Context } from './command.js';
import { retryWords, toolWords } from './agent-words.js';
import { elapsed } from './elapsed.js';
import type { Output, Screen } from './output.js';
import { createRunPicture } from './run-picture.js';

export const outputModes = ['silent', 'streaming', 'buffered'] as const;

/** Shows a run while it goes on: a picture of it on a terminal, plain lines elsewhere. */
export interface RunView {
  take(event: RunEvent): void;
  findings(findings: readonly Finding[]): void;
  /** Something that the person should know. */
  remark(text: string): void;
  /** Takes the picture away while somebody is asked. */
  hold<T>(work: () => Promise<T>): Promise<T>;
  close(): void;
}

const frameMs = 100;

/** `hasFile`: findings have a place where somebody can look. */
export function openRunView(context: Context, mode: (typeof outputModes)[number], hasFile: boolean): RunView {
  const { output } = context;
  const { screen } = output;
  // What commands write would run into the picture.
  return screen === undefined || mode === 'streaming'
    ? createLines(output, mode, hasFile)
    : openPicture(screen, output, mode, hasFile);
}

export function findingLine({ severity, line, column, message, remedy }: Finding, hasFile: boolean): string {
  const place = hasFile ? ` ${String(line)}:${String(column)}` : '';
  return `${severity}${place}: ${message} ${remedy}`;
}

function createLines(output: Output, mode: string, hasFile: boolean): RunView {
  return {
    take(event) {
      const line = lineOf(event, output);
      if (line !== undefined) output.line(line);
      if (event.kind === 'output' && mode === 'streaming' && event.text !== '') {
        for (const text of event.text.replace(/\n$/, '').split('\n'))
          output.line(`${event.path} | ${printableLines(text)}`);
      }
      if (
        event.kind === 'step-ended' &&
        mode === 'buffered' &&
        !event.isReplayed &&
        event.result.output !== ''
      )
        output.line(printableLines(event.result.output));
    },
    findings(findings) {
      for (const finding of findings) output.note(findingLine(finding, hasFile));
    },
    remark: (text) => output.note(`note: ${text}`),
    hold: (work) => work(),
    close: () => undefined,
  };
}

function lineOf(event: RunEvent, output: Output): string | undefined {
  switch (event.kind) {
    case 'run-started':
      return `${event.isResumed ? 'Run resumed' : 'Run started'}: ${event.run} (${printable(event.name)})`;
    case 'step-started':
      return `  > ${printable(event.path)}${event.attempt > 1 ? ` (attempt ${String(event.attempt)})` : ''}`;
    case 'step-ended':
      return `  ${endSign(event.result, output)} ${printable(event.path)}: ${endWords(event.result, event.isReplayed)}`;
    case 'log':
      return `  ${event.isWarning ? '!' : '-'} ${printable(event.path)}: ${printableLines(event.text)}`;
    case 'agent':
      return agentLine(event);
    case 'output':
      return undefined;
  }
}

function agentLine({ path, event }: Extract<RunEvent, { readonly kind: 'agent' }>): string | undefined {
  if (event.kind === 'result') {
    const time = event.isNative === true ? '' : ` (${elapsed(event.ms)})`;
    return `    ${printable(path)} ${printable(toolWords(event))} ${event.isError ? 'failed' : 'ok'}${time}`;
  }
  if (event.kind === 'bypass') return `  ! ${printable(path)}: ${printable(event.name)} ran beside the gate`;
  if (event.kind === 'retry') return `    ${printable(path)} ${printable(retryWords(event))}`;
  if (event.kind === 'waiting')
    return `    ${printable(path)} waits for the model … ${String(Math.round(event.ms / 1000))} s`;
  return event.kind === 'note' ? `    ${printable(path)}: ${printable(event.text)}` : undefined;
}

/** What stays on the screen, whatever the agent does next. */
function isRemark(event: RunEvent): boolean {
  return event.kind === 'agent' && (event.event.kind === 'note' || event.event.kind === 'bypass');
}

function endSign({ status }: StepResult, output: Output): string {
  if (status === 'completed') return output.paint('green', 'ok');
  return output.paint('red', status === 'failed' ? 'failed' : 'stopped');
}

function endWords({ status, ms, error, usage }: StepResult, isReplayed: boolean): string {
  const tokens = usage === undefined ? '' : `, ${String(usage.input + usage.output)} tokens`;
  if (isReplayed) return `${status} before`;
  const words = `${elapsed(ms)}${tokens}`;
  return error === undefined ? words : `${words}, ${error.code}: ${printable(error.message)}`;
}

function openPicture(screen: Screen, output: Output, mode: string, hasFile: boolean): RunView {
  const picture = createRunPicture(output);
  let isClosed = false;
  let isHeld = false;
  const draw = (): void => {
    if (!isHeld) screen.show(picture.lines());
  };
  const timer = setInterval(draw, frameMs);
  timer.unref();
  /** Lines that stay, above the picture. */
  const say = (text: string): void => {
    screen.show([]);
    output.line(text);
    draw();
  };
  return {
    take(event) {
      if (isClosed) return;
      if (event.kind === 'log' || isRemark(event)) say(lineOf(event, output) ?? '');
      else picture.take(event);
      if (event.kind === 'step-ended' && mode === 'buffered' && event.result.output !== '')
        say(printableLines(event.result.output));
    },
    findings(findings) {
      for (const finding of findings) say(findingLine(finding, hasFile));
    },
    remark: (text) => say(`note: ${text}`),
    async hold(work) {
      screen.show([]);
      isHeld = true;
      try {
        return await work();
      } finally {
        isHeld = false;
      }
    },
    close() {
      if (isClosed) return;
      isClosed = true;
      clearInterval(timer);
      draw();
      screen.keep();
    },
  };
}
