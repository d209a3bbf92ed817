import { AgentFailure, type AgentOrder } from '../agent.js';

export interface Settings {
  readonly url: URL;
  readonly model: string;
  readonly key: string | undefined;
  /** Variable with the API key. */
  readonly keyEnv: string;
  /** Fields of every request, from the options. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly isStreaming: boolean;
  readonly maxTurns: number;
  readonly maxRetries: number;
  readonly idleMs: number;
  readonly price?: { readonly input: number; readonly output: number };
}

const passedOn = [
  'temperature',
  'top_p',
  'max_completion_tokens',
  'max_tokens',
  'parallel_tool_calls',
] as const;

/** Reads the step options and the environment. Throws an AgentFailure for invalid values. */
export function readSettings({ options, env }: Pick<AgentOrder, 'options' | 'env'>): Settings {
  const base = textOf(options['base_url']) ?? env['OPENAI_BASE_URL'] ?? '';
  const model = textOf(options['model']) ?? env['OPENAI_MODEL'] ?? '';
  if (base === '') throw wrong('base_url is missing. Set options.base_url or OPENAI_BASE_URL.');
  if (model === '') throw wrong('The model is missing. Set options.model or OPENAI_MODEL.');
  const price = priceOf(options['price']);
  const keyEnv = textOf(options['api_key_env']) ?? 'OPENAI_API_KEY';
  return {
    url: endpoint(base),
    model,
    key: textOf(options['api_key']) ?? env[keyEnv],
    keyEnv,
    body: Object.fromEntries(
      passedOn.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]] as const])),
    ),
    isStreaming: options['stream'] !== false,
    maxTurns: numberOf(options['max_turns'], 25),
    maxRetries: numberOf(options['max_retries'], 4),
    idleMs: numberOf(options['idle_timeout'], 120_000),
    ...(price !== undefined && { price }),
  };
}

function endpoint(base: string): URL {
  const text = `${base.replace(/\/+$/, '').replace(/\/chat\/completions$/, '')}/chat/completions`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw wrong('base_url is not a valid http or https URL.');
  if (url.username !== '' || url.password !== '')
    throw wrong('base_url must not contain a password. Use the API key instead.');
  return url;
}

function wrong(message: string): AgentFailure {
  return new AgentFailure('USER.INPUT.VALIDATION_FAILED', message);
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function numberOf(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}

function priceOf(value: unknown): Settings['price'] {
  if (typeof value !== 'object' || value === null) return undefined;
  const { input, output } = value as Readonly<Record<string, unknown>>;
  return { input: numberOf(input, 0), output: numberOf(output, 0) };
}
