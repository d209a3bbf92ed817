// The part of docs/benchmarks.md about Glob and Grep.
export function sectionText({ run, trees }) {
  const ratios = trees.flatMap(({ rows }) => rows);
  const over = ratios.filter(({ ratio }) => ratio > run.budget);
  const verdict = over.length === 0 ? 'None is over.' : `Over: ${over.map(overText).join('; ')}.`;
  return `Through their service in a warm process, against ripgrep started by the same Node with the same flags, all of its output
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
