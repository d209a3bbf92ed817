import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { done, type FlowPlace, openFlowPlace } from '../support/flow.js';

// Steps that call a plugin operation, before and during a run.

const example = fileURLToPath(new URL('../../examples/plugins/notes', import.meta.url));

let place: FlowPlace;
beforeEach(() => {
  place = openFlowPlace();
  cpSync(example, join(place.workspace, '.tidegate', 'plugins', 'notes'), { recursive: true });
});
afterEach(() => place.close());

const flow = (inputs: object): string =>
  place.file(
    'find.yaml',
    JSON.stringify({
      name: 'find',
      states: {
        initial: 'a',
        a: { type: 'command', command: 'touch began', on_success: 'b' },
        b: { type: 'operation', operation: 'notes.find', inputs, on_success: 'done' },
        done,
      },
    }),
  );

describe('an operation of an untrusted plugin', () => {
  it('prevents the run from starting, with the reason', async () => {
    const { status, stdout, stderr } = await place.run1(['run', flow({ word: 'x' })]);
    expect(stdout + stderr).toContain('USER.PLUGIN.UNAVAILABLE: The plugin "notes" is not available: ');
    expect(stdout + stderr).toMatch(/trust/);
    expect(status).toBe(2);
    expect(existsSync(join(place.workspace, 'began'))).toBe(false);
  });

  it('runs once the plugin is trusted', async () => {
    expect((await place.run1(['plugin', 'trust', 'notes', '--yes'])).status).toBe(0);
    expect((await place.run1(['run', flow({ word: 'x' })])).status).toBe(0);
  });

  it('is limited by the profile of the run, without a note that the profile has no effect', async () => {
    expect((await place.run1(['plugin', 'trust', 'notes', '--yes'])).status).toBe(0);
    const held = await place.run1(['run', flow({ word: 'x' }), '--profile', 'minimal']);
    expect(held.stdout + held.stderr).toContain('notes_find');
    expect(held.stdout + held.stderr).not.toContain('has no effect because the workflow');
    expect(held.status).toBe(3);
    // The control: with a profile that includes it, it runs.
    expect((await place.run1(['run', flow({ word: 'x' }), '--profile', 'full'])).status).toBe(0);
  });

  it('fails a called workflow with the reason', async () => {
    flow({ word: 'x' });
    const { status, result } = await place.flow({
      states: {
        initial: 'a',
        a: { type: 'call_workflow', workflow: 'find.yaml', on_success: 'done' },
        done,
      },
    });
    expect(status).toBe(3);
    expect(result.message).toMatch(/trust/);
    expect(result.message).not.toContain('Unknown tool');
  });
});

describe('the inputs of an operation', () => {
  it('are checked against the declared inputs of the plugin, and shown in the plan', async () => {
    await place.run1(['plugin', 'trust', 'notes', '--yes']);
    const wrong = await place.run1(['validate', flow({ wrod: 'x' })]);
    expect(wrong.stdout).toContain(
      'error WORKFLOW.VALIDATION.UNDEFINED_INPUT: "notes.find" requires the input "word".',
    );
    expect(wrong.stdout).toContain('"notes.find" has no input "wrod". Did you mean word?');
    expect(wrong.status).toBe(2);
    const right = await place.run1(['validate', flow({ word: 'x' })]);
    expect([right.status, right.stdout]).toEqual([0, expect.not.stringContaining('UNDEFINED_INPUT')]);
    const plan = await place.run1(['run', flow({ word: 'x' }), '--dry-run']);
    expect(plan.stdout).toContain('inputs: {"word":"x"}');
  });
});
