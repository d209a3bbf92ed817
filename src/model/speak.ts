import type { ModelFormat, SpokenAnswer, SpokenCall } from './format.js';
import type { ModelRequest, ScriptedAnswer, ScriptedCall, ScriptedFault } from './turn.js';

/** Fills in what a script leaves open: the tool a pattern matches, ids, and how to call the tool. */
export function speak(
  answer: ScriptedAnswer,
  request: ModelRequest,
  { idPrefix }: ModelFormat,
): SpokenAnswer | { readonly fails: ScriptedFault } {
  const { calls = [], ...rest } = answer;
  const spoken = calls.map((call, at) =>
    speakCall(call, request, `${idPrefix}${String(request.results.length + at + 1)}`),
  );
  const missing = spoken.find((call) => 'missing' in call);
  // Status 400, because a retry would fail the same way.
  if (missing) return { fails: { status: 400, message: missing.missing } };
  return { ...rest, calls: spoken.filter((call): call is SpokenCall => !('missing' in call)) };
}

function speakCall(
  { name, arguments: given = {}, id, kind }: ScriptedCall,
  { advertised, tools }: ModelRequest,
  ownId: string,
): SpokenCall | { readonly missing: string } {
  const tool =
    typeof name === 'string'
      ? { name, kind: advertised.find((one) => one.name === name)?.kind ?? kindByName(name) }
      : advertised.find((one) => one.name.search(name) >= 0);
  if (!tool) return { missing: `no tool matches ${String(name)}. Shown: ${tools.join(', ')}` };
  return {
    name: tool.name,
    id: id ?? ownId,
    text: typeof given === 'string' ? given : JSON.stringify(given),
    kind: kind ?? (tool.kind === 'built-in' ? 'function' : tool.kind),
  };
}

function kindByName(name: string): SpokenCall['kind'] {
  return name.startsWith('exec>') ? 'nested' : 'function';
}
