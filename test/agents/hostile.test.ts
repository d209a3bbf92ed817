import { afterAll, describe, expect, it } from 'vitest';
import { type Gated, gatedClis } from './support/gated.js';
import { type HostilePlace, openHostilePlace, runBare } from './support/hostile.js';

// The controls of this suite also apply to `exec`, which is tested with the same files.

const places: HostilePlace[] = [];
afterAll(() => {
  for (const { place } of places) place.close();
});

function opened(gated: Gated): HostilePlace {
  const hostile = openHostilePlace(gated);
  places.push(hostile);
  return hostile;
}

describe.each(gatedClis)('$title in a hostile project with a hostile home', (gated) => {
  it('starts no server, runs no hook and gets no tool back', async () => {
    const { place, mark, marks } = opened(gated);
    const run = await place.runAgent(
      gated,
      [
        { calls: [gated.touch(mark('touched'))] },
        { calls: [{ name: /(?:^|[_/])Glob$/, arguments: { pattern: '*.none' } }] },
        { say: 'all done' },
      ],
      { step: { mcp_proxy: { enable: true } } },
    );
    expect(run.result).toMatchObject({ status: 'completed', steps: [{ output: 'all done' }] });
    expect(gated.leftovers).toEqual(expect.arrayContaining([...run.others]));
    expect(run.results).toHaveLength(2);
    expect(marks()).toEqual([]);
  });

  it('the control: started directly, the same files have an effect', async () => {
    const hostile = opened(gated);
    const said = await runBare(gated, hostile);
    expect([said, hostile.marks()]).toEqual([said, expect.arrayContaining([...hostile.files.acts])]);
  });
});
