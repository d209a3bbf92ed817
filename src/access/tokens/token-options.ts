import { formatPrincipal, parsePrincipal } from '../object-ids.js';
import type { TokenRecord } from '../ports/index.js';
import { readExpiry } from './expiry.js';
import { IdentityError } from './identity-error.js';

/** Options for a new token, as given by an operator. */
export interface TokenOptions {
  /** `agent:alice`. */
  readonly principal: string;
  readonly profile?: string;
  readonly tools?: readonly string[];
  /** An absolute path. */
  readonly workspace?: string;
  readonly label?: string;
  /** `30d`, `12h`, or a date. */
  readonly expires?: string;
}

/** Options for a derived token. Defaults come from the parent. */
export interface ChildTokenOptions extends Partial<TokenOptions> {
  readonly inheritsActive?: boolean;
}

export interface OptionsContext {
  readonly now: number;
  /** Names of the existing profiles. Default: any name is accepted. */
  readonly profiles?: readonly string[];
}

export type GivenFields = Pick<
  TokenRecord,
  'principal' | 'profile' | 'tools' | 'workspace' | 'label' | 'expiresAt'
>;

const maxPatterns = 256;
const patternShape = /^!?[A-Za-z0-9_.*?/-]{1,128}$/;
const profileShape = /^[\w.-]{1,64}$/;
const workspaceShape = /^(?:\/|[A-Za-z]:[\\/])[^\p{Cc}\p{Zl}\p{Zp}]{0,4095}$/u;
const labelShape = /^[^\p{Cc}\p{Zl}\p{Zp}]{1,200}$/u;

/** Validates the options and returns the record fields. Throws on the first problem. */
export function readOptions(options: TokenOptions, context: OptionsContext): GivenFields {
  const principal = readPrincipal(options.principal);
  const { profile, tools, workspace, label, expires } = options;
  if (profile !== undefined) refuseBadProfile(profile, context.profiles);
  if (tools !== undefined) refuseBadTools(tools);
  if (workspace !== undefined) refuseBadWorkspace(workspace);
  if (label !== undefined && !labelShape.test(label)) {
    throw new IdentityError('token.bad_label', 'A label can have at most 200 characters on one line.');
  }
  const expiresAt = expires === undefined ? undefined : readEnd(expires, context.now);
  return {
    principal,
    ...(profile !== undefined && { profile }),
    ...(tools !== undefined && { tools: [...new Set(tools)] }),
    ...(workspace !== undefined && { workspace }),
    ...(label !== undefined && { label }),
    ...(expiresAt !== undefined && { expiresAt }),
  };
}

function readPrincipal(text: string): string {
  const name = parsePrincipal(text);
  if (name !== undefined) return formatPrincipal(name);
  const message = `"${short(text)}" is not a valid principal. Use kind:name, such as agent:alice; kinds are user, agent and service.`;
  throw new IdentityError('token.bad_principal', message);
}

function refuseBadProfile(profile: string, known: readonly string[] | undefined): void {
  if (profileShape.test(profile) && known?.includes(profile) !== false) return;
  throw new IdentityError('token.bad_profile', `Unknown profile "${short(profile)}".`);
}

function refuseBadTools(tools: readonly string[]): void {
  if (tools.length > maxPatterns) {
    const message = `Too many tool patterns: ${String(tools.length)}. The maximum is ${String(maxPatterns)}.`;
    throw new IdentityError('token.bad_tools', message);
  }
  const wrong = tools.find((pattern) => !patternShape.test(pattern));
  if (wrong === undefined) return;
  throw new IdentityError('token.bad_tools', `"${short(wrong)}" is not a valid tool name or pattern.`);
}

function refuseBadWorkspace(workspace: string): void {
  if (workspaceShape.test(workspace)) return;
  const message = `"${short(workspace)}" is not a valid workspace. Use the absolute path of a folder.`;
  throw new IdentityError('token.bad_workspace', message);
}

function readEnd(text: string, now: number): number {
  const at = readExpiry(text, now);
  if (at !== undefined) return at;
  const message = `"${short(text)}" is not a valid future time. Use 12h, 30d, 2w, or a date such as 2030-01-31.`;
  throw new IdentityError('token.bad_expiry', message);
}

/** Shortens the text and hides secrets, which a user may have typed in the wrong place. */
function short(text: string): string {
  return text.includes('tgt_') || text.includes('tg_')
    ? '…'
    : text.length > 40
      ? `${text.slice(0, 40)}…`
      : text;
}
