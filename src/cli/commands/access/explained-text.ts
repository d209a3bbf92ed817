// Prints an explanation as a tree: the decision, each principal in the delegation chain with its reasons, and how to change it.
import type { OpenAdmin } from '../../../features/admin/index.js';
import { printable } from '../../../config/index.js';
import type { Output } from '../../terminal/output.js';
import { shortTime } from './rights-text.js';

type Explained = Awaited<ReturnType<OpenAdmin['service']['explain']>>;
type LinkView = Explained['links'][number];
type Step = LinkView['because'][number];

export function showExplained(explained: Explained, output: Output): void {
  const { decision, says, reason, revision, zone, model, links, decidedBy, change, notes } = explained;
  const isAllowed = decision === 'allow';
  const sign = output.paint(isAllowed ? 'green' : 'red', isAllowed ? output.signs.yes : output.signs.no);
  const [first = '', ...rest] = folded(printable(says), output.width - 7);
  output.line(`${sign} ${output.paint('bold', first)}`);
  for (const line of rest) output.line(`  ${output.paint('bold', line)}`);
  const state = revision === undefined ? 'no revision' : `revision ${String(revision)}`;
  output.line(
    output.paint('dim', `  ${reason}, ${state}, zone ${printable(zone)}, model ${printable(model)}`),
  );
  for (const [at, link] of links.entries()) {
    output.line();
    showDelegation(link, at === decidedBy && links.length > 1, output);
  }
  if (change.length > 0) output.line('\nTo change it');
  for (const { says: words, command } of change) {
    for (const line of folded(printable(words), output.width - 2)) output.line(`  ${line}`);
    if (command !== undefined) output.line(`    ${output.paint('bold', printable(command))}`);
  }
  for (const note of notes) output.note(note);
}

/** Wraps text between words. */
function folded(text: string, room: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > room) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

const rightsText: Readonly<Record<LinkView['rights'], string>> = {
  own: 'its own rights',
  inherited: 'inherited rights',
  all: 'the operator',
};

function showDelegation(link: LinkView, isDeciding: boolean, output: Output): void {
  const { principal, decision, reason, rights, because, missing, error } = link;
  const sign = decision === 'allow' ? output.signs.yes : output.signs.no;
  const more = [rightsText[rights], ...boundsOf(link)].join('; ');
  const name = `${sign} ${printable(principal)}`;
  const isShort = name.length + more.length + 4 <= output.width;
  output.line(isShort ? `${name}  ${output.paint('dim', `(${more})`)}` : name);
  if (!isShort)
    for (const line of folded(more, output.width - 2)) output.line(`  ${output.paint('dim', line)}`);
  if (isDeciding) output.line(`  deciding reason: ${reason}`);
  showSteps(because, '  ', output);
  if (missing !== undefined)
    output.line(
      `  ${output.signs.last}${missing.found === 'nothing' ? 'missing' : 'found'}: ${printable(missing.says)}`,
    );
  if (error !== undefined) output.line(`  ${output.signs.last}${printable(error)}`);
}

function boundsOf({ profiles, profile, tools, token }: LinkView): readonly string[] {
  return [
    ...(profiles.length > 0 ? [`profile ${printable(profiles.join(', '))}`] : []),
    ...(profile === undefined ? [] : [`limited to profile ${printable(profile)}`]),
    ...(tools === undefined ? [] : [`only tools ${printable(tools.join(', '))}`]),
    ...(token === undefined ? [] : [printable(token)]),
  ];
}

function showSteps(steps: readonly Step[], indent: string, output: Output): void {
  for (const [at, { says, from, steps: below }] of steps.entries()) {
    const isLast = at === steps.length - 1;
    const { branch, last, bar } = output.signs;
    const line = `${indent}${isLast ? last : branch}${printable(says)}`;
    const next = `${indent}${isLast ? '   ' : bar}`;
    const origin = `[${originText(from)}]`;
    const isShort = line.length + 2 + origin.length <= output.width;
    output.line(isShort ? `${line}  ${output.paint('dim', origin)}` : line);
    if (!isShort) output.line(`${next}${output.paint('dim', origin)}`);
    showSteps(below, next, output);
  }
}

function lineText({ line }: { readonly line?: number }): string {
  return line === undefined ? '' : ` line ${String(line)}`;
}

function originText(from: Step['from']): string {
  switch (from.kind) {
    case 'stored':
      return `${printable(from.by)}, ${shortTime(from.at)}, revision ${String(from.revision)}`;
    case 'profile': {
      const place = from.isShipped ? 'shipped' : `file${lineText(from)}`;
      return `profile ${printable(from.from)}, ${place}: "${printable(from.entry)}"`;
    }
    case 'file':
      return `file${lineText(from)}, under principals: "${printable(from.entry)}"`;
    case 'default_profile':
      return 'default, because none is assigned';
    case 'credential':
      return 'from the token, because none is assigned';
    case 'catalogue':
      return 'from the tool definition';
  }
}
