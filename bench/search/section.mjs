// The section of docs/benchmarks.md about Glob and Grep.
export function sectionText({ run, trees }) {
  const ratios = trees.flatMap(({ rows }) => rows);
  const over = ratios.filter(({ ratio }) => ratio > run.budget);
  const verdict = over.length === 0 ? 'None missed.' : `Missed: ${over.map(overText).join('; ')}.`;
  return `Both tools are measured through their service in a warm process, and compared with ripgrep started by the same Node with the same
flags. Node reads all output. ${run.rounds} rounds, interleaved, medians. Budget: ≤ ${run.budget} ×.
${run.machine}, commit ${run.commit}, ${run.date}, load ${run.load[0]} before and ${run.load[1]} after${busyText(run)}.

**${ratios.length - over.length} of ${ratios.length} met.** ${verdict}

${trees.map(treeText).join('\n\n')}

"A/A" compares ripgrep with itself, measured twice in the same rounds. Treat smaller differences as ties. "To plain"
is the ratio to the command that you would type for the same search, which often returns less than these tools.
"Content, very many" stops once there are enough results. The work around ripgrep (check the start folder, manage the
process, read and check the results) takes one to two milliseconds, and more with hundreds of results. That is little
compared with a long search, but a large part of a search that takes ten milliseconds.`;
}

const overText = ({ tree, name, ratio, noise }) =>
  `${escaped(name)} in ${tree} (${ratio.toFixed(2)} ×, A/A ${noise.toFixed(2)})`;

const escaped = (name) => name.replaceAll('*', '\\*');

/** One search already uses every core, so other work slows all arms, but not evenly. */
function busyText({ load, cores, isRealTime }) {
  if (Number(load[0]) < cores / 2) return '';
  return isRealTime
    ? ': busy with other work at a lower priority (`chrt -r 1`), which could still fill the caches'
    : ': busy with other work, so the numbers are rough';
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
