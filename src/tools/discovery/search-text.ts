import type { SearchAnswer, ServerInSight } from '../../kernel/index.js';
import { serverText, toolText } from './found-tool.js';

/** The whole answer in words, and the one thing to do next. */
export function searchText(answer: SearchAnswer): { readonly text: string; readonly next: string } {
  const next = nextStep(answer);
  const parts = [
    headline(answer),
    ...answer.matches.map((tool) => toolText(tool, answer.mode)),
    ...answer.serverNotes.map(({ server, text }) => `What ${server} says about its tools:\n${text}`),
    ...(answer.reason === 'empty_query' ? [answer.servers.map(serverText).join('\n')] : []),
    ...notes(answer),
    next,
  ];
  return { text: parts.filter((part) => part !== '').join('\n\n'), next };
}

function headline({ matches, reason, mode, totalMatches }: SearchAnswer): string {
  if (reason === 'empty_query') return 'Servers with tools to be found:';
  if (matches.length === 0) return 'No tool was found.';
  const more = totalMatches > matches.length ? ', the best of more' : '';
  if (mode === 'eager') return `${tools(matches.length)}${more}. All tools are in your list already.`;
  const activated = matches.filter(({ state }) => state === 'activated').length;
  return mode === 'bridge'
    ? `${tools(matches.length)}${more}, to be called through call_tool:`
    : `${tools(matches.length)}${more}, ${String(activated)} newly in your list:`;
}

function tools(count: number): string {
  return count === 1 ? '1 tool' : `${String(count)} tools`;
}

function notes({ evicted, notFound, gone, servers, reason, mode }: SearchAnswer): readonly string[] {
  // Over the bridge nothing was in the list, so nothing has left it.
  const names = mode === 'bridge' ? [] : evicted.map(({ name }) => name);
  const troubled = reason === 'empty_query' ? [] : servers.filter(isTroubled);
  return [
    names.length > 0 ? `No longer in your list, to make room: ${names.join(', ')}.` : '',
    gone.length > 0 ? `Not there any more: ${gone.join(', ')}.` : '',
    notFound.length > 0 ? `Not found: ${notFound.join(', ')}.` : '',
    troubled.length > 0 ? `Servers that are not ready:\n${troubled.map(serverText).join('\n')}` : '',
  ];
}

export function isTroubled({ status }: ServerInSight): boolean {
  return status !== 'connected';
}

function nextStep(answer: SearchAnswer): string {
  const { matches, mode, reason, relisted, servers } = answer;
  const [best] = matches;
  if (reason === 'empty_query') return 'Next: call tool_search with what you need, in plain words.';
  if (reason === 'servers_pending')
    return 'Next: some servers are still starting: call wait_for_servers, then search again.';
  if (best === undefined) {
    const failed = servers.some(({ status }) => status === 'failed' || status === 'needs_auth');
    return failed
      ? 'Next: try other words, or tell the user which servers are not working.'
      : 'Next: try other words, fewer of them, or search with an empty query to see the servers.';
  }
  const isListed =
    (mode === 'list' && relisted !== false && best.state !== 'not_activated') || mode === 'eager';
  const how =
    isListed || best.state === 'always_active'
      ? `call ${best.name} directly`
      : `call call_tool with name ${best.name} and its arguments`;
  const isDoubtful = matches.every(({ confidence }) => confidence === 'low');
  return `Next: ${how}${isDoubtful ? ' if it fits; none of these fits well, so other words may find a better one' : ''}.`;
}
