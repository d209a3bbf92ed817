import type { Finding, RunEvent, StepResult } from '../../../features/workflows/index.js';
import { printable, printableLines } from '../../../config/index.js';
import type { Context } from '../../command.js';
import { refusedText, retryText, toolLabel } from './agent-text.js';
import { elapsed } from '../../terminal/elapsed.js';
import type { Output, Screen } from '../../terminal/output.js';
import { createLiveView } from './live-view.js';

export const outputModes = ['silent', 'streaming', 'buffered'] as const;

/** Shows the progress of a run: a live view on a terminal, plain lines elsewhere. */
export interface RunView {
  take(event: RunEvent): void;
  findings(findings: readonly Finding[]): void;
  /** Prints a note for the user. */
  remark(text: string): void;
  /** Hides the live view while the user is asked. */
  hold<T>(work: () => Promise<T>): Promise<T>;
  close(): void;
}

const frameMs = 100;

/** `hasFile`: findings have a position in a file. */
export function openRunView(context: Context, mode: (typeof outputModes)[number], hasFile: boolean): RunView {
  const { output } = context;
  const { screen } = output;
  // Streamed command output would mix with the live view.
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
      return `  ${endSign(event.result, output)} ${printable(event.path)}: ${resultText(event.result, event.isReplayed)}`;
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
    const came = event.isRefused ? `refused: ${event.text}` : event.isError ? 'failed' : 'ok';
    return `    ${printable(path)} ${printable(toolLabel(event))} ${printable(came)}${time}`;
  }
  if (event.kind === 'bypass') return `  ! ${printable(path)}: ${printable(event.name)} bypassed Tidegate`;
  if (event.kind === 'retry') return `    ${printable(path)} ${printable(retryText(event))}`;
  if (event.kind === 'waiting')
    return `    ${printable(path)} waiting for the model … ${String(Math.round(event.ms / 1000))} s`;
  return event.kind === 'note' ? `    ${printable(path)}: ${printable(event.text)}` : undefined;
}

/** Events that stay on the screen. */
function isRemark(event: RunEvent): boolean {
  return event.kind === 'agent' && (event.event.kind === 'note' || event.event.kind === 'bypass');
}

function endSign({ status, refused }: StepResult, output: Output): string {
  if (status === 'completed' && refused !== undefined) return output.paint('yellow', 'warn');
  if (status === 'completed') return output.paint('green', 'ok');
  return output.paint('red', status === 'failed' ? 'failed' : 'stopped');
}

function resultText(result: StepResult, isReplayed: boolean): string {
  const { status, ms, error, usage } = result;
  const tokens = usage === undefined ? '' : `, ${String(usage.input + usage.output)} tokens`;
  if (isReplayed) return `${status} earlier`;
  const refused = refusedText(result);
  const words = `${elapsed(ms)}${tokens}${refused === '' ? '' : `, ${printable(refused)}`}`;
  return error === undefined ? words : `${words}, ${error.code}: ${printable(error.message)}`;
}

function openPicture(screen: Screen, output: Output, mode: string, hasFile: boolean): RunView {
  const liveView = createLiveView(output);
  let isClosed = false;
  let isHeld = false;
  const draw = (): void => {
    if (!isHeld) screen.show(liveView.lines());
  };
  const timer = setInterval(draw, frameMs);
  timer.unref();
  /** Prints above the live view. */
  const say = (text: string): void => {
    screen.show([]);
    output.line(text);
    draw();
  };
  return {
    take(event) {
      if (isClosed) return;
      if (event.kind === 'log' || isRemark(event)) say(lineOf(event, output) ?? '');
      else liveView.take(event);
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
