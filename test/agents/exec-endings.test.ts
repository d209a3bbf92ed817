import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { inConversation, openScriptedModel, type ScriptedModel } from 'tidegate/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { count } from '../support/counts.js';
import { waitFor } from '../support/gate.js';
import { endedWithin, startMarked } from '../support/marked-run.js';
import { findMarked, hasProc } from '../support/proc.js';
import { createRandom } from '../support/random.js';
import { hasTerminals, openTerminal } from '../support/terminal.js';
import { execWords, headless } from './support/exec-agent.js';
import { gatedClis } from './support/gated.js';
import { blocked, type GatedPlace, openGatedPlace } from './support/gated-place.js';
import { longTalk } from './support/long-talk.js';

const endings = count(10);
/** The limit is 5 s on an idle machine, but other suites run at the same time. */
const limitMs = 15_000;
const signals = ['SIGKILL', 'SIGTERM', 'SIGHUP', 'SIGINT'] as const;
const random = createRandom();

describe.skipIf(!hasProc).each(gatedClis)(
  'tidegate exec, $title, interrupted (skipped: no /proc)',
  (gated) => {
    let place: GatedPlace;
    let model: ScriptedModel;
    beforeAll(async () => {
      place = openGatedPlace();
      model = await openScriptedModel(inConversation(longTalk));
    });
    afterAll(async () => {
      await model.close();
      place.close();
    });
    const newMark = (): string => `ended-${String(random.next()).slice(2)}`;
    const words = (): readonly string[] =>
      execWords(gated, model, headless[gated.agent]('Do as the script says.'));
    const env = (): Readonly<Record<string, string>> => ({
      ...place.agentEnv,
      ...blocked(gated, model.origin),
    });

    /** Waits until the agent has called its model: its server and files exist by then. */
    async function atWork(asked: number, said: () => string): Promise<void> {
      await waitFor(
        () => model.requests.length > asked,
        60_000,
        () => `it sent no request: ${said()}`,
      );
      await new Promise((resolve) => setTimeout(resolve, random.next() * 1500));
    }

    it(`signals leave no process and no file (${String(endings)} times)`, async () => {
      for (let at = 0; at < endings; at += 1) {
        const signal = signals[(at + gatedClis.indexOf(gated)) % signals.length] ?? 'SIGTERM';
        const mark = newMark();
        const asked = model.requests.length;
        const places = [place.directory];
        const run = startMarked(words(), { cwd: place.workspace, env: env(), mark, places });
        await atWork(asked, run.said);
        // The control: before the signal, the agent, its shim and their files are found. (Codex
        // gives its servers another environment.)
        expect(new Set(run.running()).size).toBeGreaterThan(1);
        expect(leftoversOf(place).length).toBeGreaterThan(1);
        const { left } = await run.end(signal, limitMs);
        expect([signal, left]).toEqual([signal, []]);
        // No process is left to clean up, so the next start does it.
        if (signal !== 'SIGKILL') expect([signal, leftoversOf(place)]).toEqual([signal, []]);
      }
    });

    it.skipIf(!hasTerminals)(
      'Ctrl+C at a terminal ends a headless agent, and everything is cleaned up',
      async () => {
        const mark = newMark();
        const asked = model.requests.length;
        const terminal = openTerminal({
          args: words(),
          cwd: place.workspace,
          env: { ...env(), RUN_MARK: mark },
        });
        await atWork(asked, terminal.text);
        expect(findMarked(mark).length).toBeGreaterThan(0);
        terminal.type('\u0003');
        await terminal.ended;
        const { left } = await endedWithin(() => findMarked(mark), limitMs);
        expect([left, leftoversOf(place)]).toEqual([[], []]);
      },
    );
  },
);

/** Files of launches, and folders of sockets. */
function leftoversOf(place: GatedPlace): readonly string[] {
  const state = place.env['TIDEGATE_HOME'] ?? '';
  return ['exec', 'sockets'].flatMap((name) => {
    const folder = join(state, name);
    return existsSync(folder) ? readdirSync(folder).map((one) => join(folder, one)) : [];
  });
}
