import type { Place } from './gate.js';
import { type Ran, runGate } from './run-program.js';

export interface ShownToken {
  readonly id: string;
  readonly principal: string;
  readonly state: string;
  readonly profile?: string;
  readonly tools?: readonly string[];
  readonly parent?: string;
  readonly inheritsActive?: boolean;
  readonly expiresAt?: string;
  readonly lastUsedAt?: string;
}

export interface MadeToken extends ShownToken {
  readonly secret: string;
  readonly revision: number;
}

/** The token commands of the built program, as an operator types them. */
export interface TokenCommands {
  /** `token create --as …`, with whatever else is given. */
  create(principal: string, ...more: readonly string[]): Promise<MadeToken>;
  attenuate(secret: string, ...more: readonly string[]): Promise<MadeToken>;
  rotate(id: string): Promise<MadeToken>;
  revoke(id: string): Promise<void>;
  list(): Promise<readonly ShownToken[]>;
  run(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ran>;
}

interface Answer {
  readonly token: ShownToken;
  readonly secret: string;
  readonly revision: number;
  readonly tokens: readonly ShownToken[];
}

export function tokenCommands(place: Place): TokenCommands {
  const run: TokenCommands['run'] = (args, env = {}) =>
    runGate(place, ['token', ...args], { env: { ...place.env, ...env } });

  async function answerTo(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Answer> {
    const { status, stdout, stderr } = await run([...args, '--json'], env);
    if (status !== 0)
      throw new Error(`token ${args[0] ?? ''} ended with ${String(status)}: ${stdout}${stderr}`);
    return JSON.parse(stdout) as Answer;
  }

  async function made(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<MadeToken> {
    const { token, secret, revision } = await answerTo(args, env);
    return { ...token, secret, revision };
  }

  return {
    run,
    create: (principal, ...more) => made(['create', '--as', principal, ...more]),
    attenuate: (secret, ...more) => made(['attenuate', ...more], { TIDEGATE_TOKEN: secret }),
    rotate: (id) => made(['rotate', id]),
    async revoke(id) {
      await answerTo(['revoke', id]);
    },
    list: async () => (await answerTo(['list'])).tokens,
  };
}
