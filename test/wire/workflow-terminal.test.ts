import { openScriptedModel } from 'tidegate/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agentStep, done, type FlowPlace, openFlowPlace } from '../support/flow.js';
import { findMarked } from '../support/proc.js';
import { hasTerminals, openTerminal, type Terminal } from '../support/terminal.js';

let place: FlowPlace;
beforeAll(() => {
  place = openFlowPlace();
});
afterAll(() => place.close());

function run(flow: object, columns?: number): Terminal {
  const file = place.file('terminal.yaml', JSON.stringify({ name: 'terminal', ...flow }));
  return openTerminal({
    args: ['run', file],
    cwd: place.workspace,
    env: place.env,
    ...(columns !== undefined && { columns }),
  });
}

describe.skipIf(!hasTerminals)('a run on a terminal', () => {
  it('is a conversation if the step says so, until an empty line, and never moves the cursor', async () => {
    const model = await openScriptedModel([{ say: 'first\u001b[2Janswer' }, { say: 'second answer' }]);
    const terminal = run({
      inputs: [{ name: 'who', required: true, description: 'your name' }],
      states: { initial: 'a', a: agentStep(model.url, { mode: 'conversation' }), done },
    });
    await terminal.sees('who (your name): ');
    terminal.type('Anna\r');
    await terminal.sees('(enter an empty line to end the conversation)\n> ');
    // The output of the model was shown, and did not clear the terminal.
    expect(terminal.text()).toMatch(/first.+answer/);
    terminal.type('and then?\r');
    await terminal.sees('second answer\n> ');
    terminal.type('\r');
    await terminal.sees('completed: 1 of 1 steps');
    expect(await terminal.ended).toBe(0);
    expect(model.requests[1]?.messages.map(({ text }) => text)).toEqual([
      'go',
      'first\u001b[2Janswer',
      'and then?',
    ]);
    await model.close();
  });

  it.each([80, 200])('is drawn within %i columns', async (columns) => {
    const long = 'a rather long word '.repeat(20);
    const terminal = run(
      {
        states: {
          initial: 'build',
          build: { type: 'command', command: 'sleep 0.5', on_success: 'lint' },
          lint: {
            type: 'command',
            command: `echo ${long} >&2; exit 2`,
            continue_on_error: true,
            on_success: 'done',
          },
          done,
        },
      },
      columns,
    );
    await terminal.sees('• build');
    await terminal.sees('✓ build');
    await terminal.sees('✗ lint');
    await terminal.sees('completed: 1 of 2 steps');
    expect(await terminal.ended).toBe(0);
    const drawn = terminal
      .text()
      .split('\n')
      .filter((line) => /^ {2}[•✓✗]/.test(line));
    expect(Math.max(...drawn.map((line) => line.length))).toBe(columns - 1);
  });

  it('ends on Ctrl+C with all its processes within five seconds, and says so', async () => {
    const mark = `86${String(process.pid)}`;
    const terminal = run({
      states: {
        initial: 'p',
        p: { type: 'parallel', parallel: ['x', 'y'], on_success: 'done' },
        x: { type: 'command', command: `trap '' TERM INT; sleep ${mark} & sleep ${mark}; wait` },
        y: { type: 'command', command: `setsid -f sleep ${mark} </dev/null >/dev/null 2>&1; sleep ${mark}` },
        done,
      },
    });
    await terminal.sees('• ');
    for (let at = 0; at < 100 && findMarked(mark).length < 3; at += 1)
      await new Promise((resolve) => setTimeout(resolve, 50));
    // The control: they run.
    expect(findMarked(mark).length).toBeGreaterThanOrEqual(3);
    const asked = performance.now();
    terminal.type('\u0003');
    await terminal.sees('All processes it started were stopped.');
    expect(await terminal.ended).toBe(130);
    expect(performance.now() - asked).toBeLessThan(5000);
    expect(findMarked(mark)).toEqual([]);
  });
});
