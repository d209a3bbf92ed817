import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inConversation, openScriptedModel, type ScriptedModel } from 'tidegate/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { count } from '../support/counts.js';
import { done } from '../support/flow.js';
import { waitFor } from '../support/gate.js';
import { startMarked } from '../support/marked-run.js';
import { findMarked, hasProc } from '../support/proc.js';
import { createRandom } from '../support/random.js';
import { type Gated, gatedClis } from './support/gated.js';
import { longTalk } from './support/long-talk.js';
import { agentStepOf, blocked, type GatedPlace, openGatedPlace } from './support/gated-place.js';

const endings = count(20);
/** The limit is 5 s on an idle machine, but other suites run at the same time. */
const limitMs = 15_000;
const signals = ['SIGINT', 'SIGKILL', 'SIGTERM'] as const;
const random = createRandom();

/** Files of the user. Files that the agent writes for itself don't matter. */
const userFiles = {
  '.claude/settings.json': '{"permissions":{"allow":["Read"]}}\n',
  '.gemini/settings.json': '{"security":{"auth":{"selectedType":"gemini-api-key"}}}\n',
  '.gemini/policies/mine.toml': '[[rule]]\ntoolName = "read_file"\ndecision = "allow"\npriority = 5\n',
  '.codex/config.toml': 'approval_policy = "never"\n',
  '.config/opencode/opencode.json': '{"autoupdate":false}\n',
} as const;
const projectFiles = {
  '.mcp.json': '{"mcpServers":{}}\n',
  'opencode.json': '{}\n',
  '.gemini/settings.json': '{}\n',
};

describe.skipIf(!hasProc).each(gatedClis)('$title, interrupted (skipped: no /proc)', (gated) => {
  let place: GatedPlace;
  let model: ScriptedModel;
  beforeAll(async () => {
    place = openGatedPlace();
    for (const [name, text] of Object.entries(userFiles)) place.homeFile(name, text);
    for (const [name, text] of Object.entries(projectFiles)) place.file(name, text);
    model = await openScriptedModel(inConversation(longTalk));
  });
  afterAll(async () => {
    await model.close();
    place.close();
  });

  it(`AC-5: Ctrl+C, SIGTERM and kill -9 leave no process, no file and the user's settings (${String(endings)} times)`, async () => {
    const offset = gatedClis.indexOf(gated);
    const before = hashes(place);
    let late = 0;
    for (let at = 0; at < endings; at += 1) {
      const signal = signals[(at + offset) % signals.length] ?? 'SIGINT';
      const ended = await endAfter(gated, place, model, { signal, isAtWork: at % 2 === 0 });
      if (ended.wasWorking) late += 1;
      expect([signal, ended.left]).toEqual([signal, []]);
      if (signal === 'SIGKILL') await sweep(place);
      expect([signal, leftoversOf(place)]).toEqual([signal, []]);
      expect(hashes(place)).toEqual(before);
    }
    console.log(
      `${gated.title}: ended ${String(endings)} times, ${String(late)} with the agent at work, seed ${String(random.seed)}`,
    );
    // Otherwise nothing was tested.
    expect(late).toBeGreaterThan(0);
  });
});

async function endAfter(
  gated: Gated,
  place: GatedPlace,
  model: ScriptedModel,
  { signal, isAtWork }: { readonly signal: NodeJS.Signals; readonly isAtWork: boolean },
): Promise<{ readonly left: readonly string[]; readonly wasWorking: boolean }> {
  const mark = `ended-${String(random.next()).slice(2)}`;
  const step = agentStepOf(gated, model, { step: { mcp_proxy: { enable: true } } });
  const file = place.file(
    'long.yaml',
    JSON.stringify({ name: 'long', states: { initial: 'a', a: step, done } }),
  );
  const asked = model.requests.length;
  const run = startMarked(['run', file], {
    cwd: place.workspace,
    env: { ...place.agentEnv, ...blocked(gated, model.origin) },
    mark,
    places: [place.directory],
  });
  await run.says('Run started', 30_000);
  // Half of the runs end during startup, the other half while the agent works.
  if (isAtWork) {
    await waitFor(
      () => model.requests.length > asked,
      60_000,
      () => `it sent no request: ${run.said()}`,
    );
  }
  await pause(random.next() * 2000);
  // The control: before the signal, the processes and files are found. The runner erases its own environment.
  if (isAtWork) expect(findMarked(mark).length).toBeGreaterThan(0);
  if (isAtWork) expect(leftoversOf(place).length).toBeGreaterThan(1);
  const { left } = await run.end(signal, limitMs);
  return { left, wasWorking: model.requests.length > asked };
}

/** Files of launches, and folders of sockets. */
function leftoversOf(place: GatedPlace): readonly string[] {
  const state = place.env['TIDEGATE_HOME'] ?? '';
  const namesIn = (folder: string): readonly string[] =>
    existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
  const runs = namesIn(join(state, 'runs')).flatMap((run) => namesIn(join(run, 'tmp')));
  return [...runs, ...namesIn(join(state, 'sockets'))];
}

/** The next start of any command. */
async function sweep(place: GatedPlace): Promise<void> {
  const states = { initial: 'a', a: { type: 'command', command: 'true', on_success: 'done' }, done };
  await place.flow({ states });
}

function hashes(place: GatedPlace): readonly string[] {
  const files = [
    ...Object.keys(userFiles).map((name) => join(place.home, name)),
    ...Object.keys(projectFiles).map((name) => join(place.workspace, name)),
  ];
  return files.map((file) => `${file} ${createHash('sha256').update(readFileSync(file)).digest('hex')}`);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
