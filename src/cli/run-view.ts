import type { Finding, RunEvent, StepResult } from '../app/workflows/index.js';
import { printable, printableLines } from '../config/index.js';
import type { Context } from './command.js';
import type { Output, Screen } from './output.js';

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

export function openRunView(context: Context, mode: (typeof outputModes)[number]): RunView {
  const { output } = context;
  const { screen } = output;
  const lines = createLines(output, mode);
  // What commands write would run into the picture.
  if (screen === undefined || mode === 'streaming') return lines;
  return openPicture(screen, output, mode);
}

function findingLine({ severity, line, column, message }: Finding): string {
  return `${severity} ${String(line)}:${String(column)}: ${message}`;
}

function createLines(output: Output, mode: string): RunView {
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
      for (const finding of findings) output.note(findingLine(finding));
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
    return `    ${printable(path)} ${printable(event.name)} ${event.isError ? 'failed' : 'ok'} (${elapsed(event.ms)})`;
  }
  if (event.kind === 'retry')
    return `    ${printable(path)} asks again in ${elapsed(event.waitMs)}: ${printable(event.reason)}`;
  return event.kind === 'note' ? `    ${printable(path)}: ${printable(event.text)}` : undefined;
}

function endSign({ status }: StepResult, output: Output): string {
  if (status === 'completed') return output.paint('green', 'ok');
  return output.paint('red', status === 'failed' ? 'failed' : 'stopped');
}

function endWords({ status, ms, error, usage }: StepResult, isReplayed: boolean): string {
  const tokens = usage === undefined ? '' : `, ${String(usage.input + usage.output)} tokens`;
  if (isReplayed) return `${status} before`;
  return `${status} in ${elapsed(ms)}${tokens}${error === undefined ? '' : ` ${error.code}: ${printable(error.message)}`}`;
}

interface Shown {
  readonly path: string;
  readonly startedAt: number;
  ended?: StepResult;
  /** What its agent does now. */
  doing: string;
  tokens: number;
}

/** How many steps that are over, and that go on, stay in sight: a picture higher than the terminal would run away. */
const mostDone = 8;
const mostRunning = 10;

function openPicture(screen: Screen, output: Output, mode: string): RunView {
  const steps = new Map<string, Shown>();
  const started = performance.now();
  let title = '';
  let isClosed = false;
  let isHeld = false;
  const draw = (): void => {
    if (!isHeld) screen.show(pictureLines(steps, title, performance.now() - started, output));
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
      if (event.kind === 'run-started') title = `${event.name}  ${event.run}`;
      else if (event.kind === 'log') say(lineOf(event, output) ?? '');
      else if (event.kind === 'step-started')
        steps.set(event.path, { path: event.path, startedAt: performance.now(), doing: '', tokens: 0 });
      else if (event.kind === 'step-ended') {
        const known = steps.get(event.path) ?? {
          path: event.path,
          startedAt: performance.now(),
          doing: '',
          tokens: 0,
        };
        steps.delete(event.path);
        steps.set(event.path, { ...known, ended: event.result });
        if (mode === 'buffered' && event.result.output !== '') say(printableLines(event.result.output));
      } else if (event.kind === 'agent') takeAgent(steps.get(event.path), event.event);
    },
    findings(findings) {
      for (const finding of findings) say(findingLine(finding));
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

function takeAgent(
  step: Shown | undefined,
  event: Extract<RunEvent, { readonly kind: 'agent' }>['event'],
): void {
  if (step === undefined) return;
  if (event.kind === 'call') step.doing = `calls ${event.name}`;
  else if (event.kind === 'result') step.doing = 'thinks';
  else if (event.kind === 'text') step.doing = 'writes';
  else if (event.kind === 'retry') step.doing = `asks again in ${elapsed(event.waitMs)}`;
  else if (event.kind === 'usage') step.tokens = event.usage.input + event.usage.output;
}

function pictureLines(
  steps: ReadonlyMap<string, Shown>,
  title: string,
  ms: number,
  output: Output,
): readonly string[] {
  const all = [...steps.values()];
  const done = all.filter(({ ended }) => ended !== undefined);
  const running = all.filter(({ ended }) => ended === undefined);
  const hidden = done.length - mostDone;
  const tokens = all.reduce((sum, step) => sum + step.tokens, 0);
  return [
    output.paint('bold', printable(title)),
    ...(hidden > 0 ? [output.paint('dim', `  ${String(hidden)} steps before`)] : []),
    ...done
      .slice(-mostDone)
      .map(({ path, ended }) =>
        ended ? `  ${endSign(ended, output)} ${printable(path)}  ${endWords(ended, false)}` : '',
      ),
    ...running.slice(0, mostRunning).map((step) => {
      const used = step.tokens > 0 ? `  ${String(step.tokens)} tokens` : '';
      return `  ${output.paint('yellow', '..')} ${printable(step.path)}  ${elapsed(performance.now() - step.startedAt)}${used}  ${printable(step.doing)}`;
    }),
    ...(running.length > mostRunning
      ? [output.paint('dim', `  and ${String(running.length - mostRunning)} more`)]
      : []),
    output.paint('dim', `${elapsed(ms)}${tokens > 0 ? `, ${String(tokens)} tokens` : ''}`),
  ];
}

export function elapsed(ms: number): string {
  if (ms < 1000) return `${String(Math.round(ms))} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return `${String(Math.floor(ms / 60_000))} min ${String(Math.floor((ms % 60_000) / 1000))} s`;
}
