// docs/reference/house-plan.md: the table of rooms and doors as people read it.
import { createRequire } from 'node:module';

const { housePlan } = createRequire(import.meta.url)('../../.dependency-cruiser.cjs');

export async function outputs() {
  return [{ path: 'docs/reference/house-plan.md', text: page(housePlan) }];
}

function page({ doors, testDoors, walls }) {
  const rooms = Object.entries(doors).map(([room, entered]) => `| ${code(room)} | ${doorList(entered)} |`);
  const saidOnce = [...new Map(walls.map((wall) => [wall.name, wall.says]))];
  return [
    '<!-- Generated from .dependency-cruiser.cjs by `npm run generate`. Do not edit. -->',
    '# House plan',
    '',
    'Each folder of `src/` is a room. `npm run check` refuses an import through a door that is not in this table,',
    'and there is no list of exceptions. `x/*` means that each folder of `x` is a room of its own, which never',
    'enters its neighbours. "ports" are the files named `ports.ts`, `port.ts` or `*-port.ts` of a room.',
    '',
    '| room | may enter |',
    '|---|---|',
    ...rooms,
    '',
    `A unit test beside its source may also enter ${testDoors.map(code).join(' and ')}.`,
    '',
    '## Walls',
    '',
    '| rule | says |',
    '|---|---|',
    ...saidOnce.map(([name, says]) => `| ${code(name)} | ${says} |`),
    '',
    'Computed `import()` is invisible to this check. The linter therefore allows it in the tool loader only.',
    '',
  ].join('\n');
}

function doorList(entered) {
  return entered.map(doorName).join(', ') || '–';
}

function doorName(door) {
  if (door === 'every room') return door;
  const [room, part] = door.split(':');
  return part ? `the ${part} of ${code(room)}` : code(room);
}

function code(text) {
  return `\`${text}\``;
}
