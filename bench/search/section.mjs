// The part of docs/benchmarks.md about Glob and Grep. It has a run of its own, so the rest of the page is left as it is,
// and `npm run bench` leaves this part as it is.
const begins = '<!-- Written by `node bench/search/run.mjs --page`. -->';
const ends = '<!-- The end of that. -->';
const unwritten = '## Glob and Grep\n\nNot measured yet.';

/** The part as it stands in a page, with its marks. */
export function searchSection(page) {
  const from = page.indexOf(begins);
  const to = page.indexOf(ends);
  return from === -1 || to === -1 ? `${begins}\n${unwritten}\n${ends}` : page.slice(from, to + ends.length);
}

export function withSearchSection(page, text) {
  const section = `${begins}\n${text}\n${ends}`;
  const known = searchSection(page);
  if (page.includes(known)) return page.replace(known, () => section);
  return page.replace('\n## How to repeat it', () => `\n${section}\n\n## How to repeat it`);
}

export function sectionText({ run, trees }) {
  const ratios = trees.flatMap(({ rows }) => rows);
  const over = ratios.filter(({ ratio }) => ratio > run.budget);
  const verdict = over.length === 0 ? 'None is over.' : `Over: ${over.map(overText).join('; ')}.`;
  return `## Glob and Grep

Through their service in a warm process, against ripgrep started by the same Node with the same flags, all of its output
read. ${run.rounds} rounds, interleaved, medians. Budget: ≤ ${run.budget} ×.
${run.machine}, commit ${run.commit}, ${run.date}, load ${run.load[0]} before and ${run.load[1]} after${busyText(run)}.

**${ratios.length - over.length} of ${ratios.length} kept.** ${verdict}

${trees.map(treeText).join('\n\n')}

"A/A" is ripgrep against itself, measured twice in the same rounds: what differs by less than that is a draw. "To plain"
is the ratio to what somebody would type for the same answer, which is often less than what these tools tell. "Content,
very many" ends when there is enough to tell. What is done beside ripgrep (open and check the start, own the process,
read and check what was found) takes one to two milliseconds, with hundreds of results some more: little where ripgrep
is busy for long, and much of a search that takes ten.`;
}

const overText = ({ tree, name, ratio, noise }) =>
  `${escaped(name)} in ${tree} (${ratio.toFixed(2)} ×, A/A ${noise.toFixed(2)})`;

const escaped = (name) => name.replaceAll('*', '\\*');

/** Each search uses every core by itself, so other work falls on all arms, but not evenly. */
function busyText({ load, cores, isRealTime }) {
  if (Number(load[0]) < cores / 2) return '';
  return isRealTime
    ? ': busy with other work, which had to wait (`chrt -r 1`) but had the caches to itself in between'
    : ': busy with other work, so the figures are rough';
}

function treeText({ tree, files, rows }) {
  return [
    `| \`${tree}\`, ${files.toLocaleString('en')} files | ripgrep ms | ours ms | × | A/A | to plain |`,
    '|---|---|---|---|---|---|',
    ...rows.map(
      ({ name, floor, ours, ratio, noise, toPlain }) =>
        `| ${escaped(name)} | ${floor.toFixed(1)} | ${ours.toFixed(1)} | ${ratio.toFixed(2)} | ${noise.toFixed(2)} | ${toPlain.toFixed(2)} |`,
    ),
  ].join('\n');
}
