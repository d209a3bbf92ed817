/** The providers that a workflow may name, by the spelling that we use. */
const providers = [
  'openai_compatible',
  'claude',
  'codex',
  'gemini',
  'opencode',
  'github_copilot',
  'mistral_vibe',
] as const;
export type ProviderName = (typeof providers)[number];

/** Those of them that can be run, as people type them. */
export const runnable: readonly string[] = ['openai', 'claude', 'gemini', 'codex', 'opencode'];

const spellings: Readonly<Record<string, ProviderName>> = {
  openai: 'openai_compatible',
  copilot: 'github_copilot',
};

/** Reads `openai-compatible` and other spellings. Undefined: there is no such provider. */
export function providerNamed(written: string): ProviderName | undefined {
  const word = written.trim().toLowerCase().replaceAll('-', '_');
  return (
    providers.find((name) => name === word) ?? (Object.hasOwn(spellings, word) ? spellings[word] : undefined)
  );
}
