import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { inConversation, openScriptedModel } from 'tidegate/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { waitFor } from '../support/gate.js';
import { hasTerminals, openTerminal, type Terminal } from '../support/terminal.js';
import { execWords, onScreen } from './support/exec-agent.js';
import { type Gated, gatedClis } from './support/gated.js';
import { blocked, type GatedPlace, openGatedPlace, othersIn } from './support/gated-place.js';

// The terminal UIs of agents have tools that their headless modes lack, so isolation tests don't cover them.

const places: GatedPlace[] = [];
afterAll(() => {
  for (const place of places) place.close();
});

/** A home in which all first-start prompts are already answered. */
function openUsedPlace(): GatedPlace {
  const place = openGatedPlace();
  places.push(place);
  const user = {
    hasCompletedOnboarding: true,
    projects: { [place.workspace]: { hasTrustDialogAccepted: true } },
    customApiKeyResponses: { approved: ['not-a-key'], rejected: [] },
  };
  place.homeFile('.claude.json', JSON.stringify(user));
  return place;
}

/** Quits like a user would, until the agent has exited. */
async function leave(terminal: Terminal): Promise<void> {
  const timer = setInterval(() => terminal.type('\u0003'), 400);
  await terminal.ended;
  clearInterval(timer);
}

describe.skipIf(!hasTerminals).each(gatedClis)(
  'the terminal UI of $title under tidegate exec',
  (gated: Gated) => {
    it('has only our tools, refuses others, and leaves nothing behind', async () => {
      const place = openUsedPlace();
      const model = await openScriptedModel(
        inConversation([
          { calls: [gated.touch('rogue.txt')] },
          { calls: [{ name: /(?:^|[_/])Glob$/, arguments: { pattern: '*.none' } }] },
          { say: 'all done' },
        ]),
      );
      const prompt = 'Do as the script says.';
      // Claude Code does not wait for its servers before it calls its model.
      const isTyped = gated.agent === 'claude';
      const own = isTyped ? [] : onScreen[gated.agent](prompt);
      const terminal = openTerminal({
        args: execWords(gated, model, own),
        cwd: place.workspace,
        env: { ...place.agentEnv, ...blocked(gated, model.origin) },
        columns: 120,
      });
      if (isTyped) {
        await terminal.sees('auto mode on');
        await new Promise((resolve) => setTimeout(resolve, 4000));
        terminal.type(prompt);
        await new Promise((resolve) => setTimeout(resolve, 500));
        terminal.type('\r');
      }
      const asked = () => model.requests.filter(({ tools }) => tools.length > 0);
      await waitFor(
        () => (asked().at(-1)?.results.length ?? 0) >= 2,
        90_000,
        () => `it did not finish the script: ${terminal.text().slice(-3000)}`,
      );
      await leave(terminal);
      expect(gated.leftovers).toEqual(expect.arrayContaining([...othersIn(asked())]));
      expect(existsSync(join(place.workspace, 'rogue.txt'))).toBe(false);
      expect(readdirSync(join(place.env['TIDEGATE_HOME'] ?? '', 'exec'))).toEqual([]);
      await model.close();
    });
  },
);
