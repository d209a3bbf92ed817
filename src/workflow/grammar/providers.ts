/** Providers a workflow may name, in canonical spelling. */
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

/** Providers Tidegate can run, as users type them. */
export const runnable: readonly string[] = ['openai', 'claude', 'gemini', 'codex', 'opencode'];

/** Whether Tidegate can run the provider. Others are only known because workflows may name them. */
export function isRunnable(provider: ProviderName): boolean {
  return provider === 'openai_compatible' || runnable.includes(provider);
}

const spellings: Readonly<Record<string, ProviderName>> = {
  openai: 'openai_compatible',
  copilot: 'github_copilot',
};

/** Accepts `openai-compatible` and other spellings. Returns undefined for an unknown provider. */
export function providerNamed(written: string): ProviderName | undefined {
  const word = written.trim().toLowerCase().replaceAll('-', '_');
  return (
    providers.find((name) => name === word) ?? (Object.hasOwn(spellings, word) ? spellings[word] : undefined)
  );
}
