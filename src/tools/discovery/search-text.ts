import type { SearchAnswer, ServerInSight } from '../../ports/catalog.js';
import { serverText, toolText } from './found-tool.js';

/** The search result as text, and the next step for the model. */
export function searchText(answer: SearchAnswer): { readonly text: string; readonly next: string } {
  const next = nextStep(answer);
  const parts = [
    headline(answer),
    ...answer.matches.map((tool) => toolText(tool, answer.mode)),
    ...answer.serverNotes.map(({ server, text }) => `Notes from ${server} about its tools:\n${text}`),
    ...(answer.reason === 'empty_query' ? [answer.servers.map(serverText).join('\n')] : []),
    ...notes(answer),
    next,
  ];
  return { text: parts.filter((part) => part !== '').join('\n\n'), next };
}

function headline({ matches, reason, mode, totalMatches }: SearchAnswer): string {
  if (reason === 'empty_query') return 'Servers whose tools you can search:';
  if (matches.length === 0) return 'No tools found.';
  const more = totalMatches > matches.length ? ' (best matches only)' : '';
  if (mode === 'eager') return `${tools(matches.length)}${more}. All tools are already in your list.`;
  const activated = matches.filter(({ state }) => state === 'activated').length;
  return mode === 'call_tool'
    ? `${tools(matches.length)}${more}. Call them through call_tool:`
    : `${tools(matches.length)}${more}, ${String(activated)} added to your list:`;
}

function tools(count: number): string {
  return count === 1 ? '1 tool' : `${String(count)} tools`;
}

function notes(answer: SearchAnswer): readonly string[] {
  const { evicted, notFound, gone, servers, reason, mode, stillActive } = answer;
  // In call_tool mode the client's list never grew, so nothing was removed from it.
  const isFixed = mode === 'call_tool' && stillActive === undefined;
  const names = isFixed ? [] : evicted.map(({ name }) => name);
  const troubled = reason === 'empty_query' ? [] : servers.filter(isTroubled);
  return [
    names.length > 0 ? `Removed from your list to make room: ${names.join(', ')}.` : '',
    stillActive !== undefined && stillActive.length > 0
      ? `Still active: ${stillActive.join(', ')}. Call them by name if they are in your list, otherwise through call_tool.`
      : '',
    gone.length > 0 ? `No longer available: ${gone.join(', ')}.` : '',
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
  if (reason === 'empty_query') return 'Next: call tool_search and describe what you need.';
  if (reason === 'servers_pending')
    return 'Next: some servers are still starting. Call wait_for_servers, then search again.';
  if (best === undefined) {
    const failed = servers.some(({ status }) => status === 'failed' || status === 'needs_auth');
    return failed
      ? 'Next: try other words, or tell the user which servers are not working.'
      : 'Next: try other or fewer words, or search with an empty query to list the servers.';
  }
  const isListed =
    (mode === 'list' && relisted !== false && best.state !== 'not_activated') || mode === 'eager';
  const how =
    isListed || best.state === 'always_active'
      ? `call ${best.name} directly`
      : `call call_tool with name ${best.name} and its arguments`;
  const isDoubtful = matches.every(({ confidence }) => confidence === 'low');
  return `Next: ${how}${isDoubtful ? ' if it fits. All matches are weak; other words may find a better one' : ''}.`;
}
