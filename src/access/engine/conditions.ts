import type { Duration, Environment, UnsignedInt } from '@marcbachmann/cel-js/evaluator';
import { matchWithin } from '../../lib/pattern/match-within.js';
import { AccessError, type Problem } from './access-error.js';
import { isInNetwork, type IpAddress, parseIpAddress } from './ip-address.js';
import type { CompiledModel, ConditionModel, ParameterType } from './model.js';
import { toParameter, type ValueMakers } from './parameter-values.js';

export type Context = Readonly<Record<string, unknown>>;

/** A compiled condition. */
export interface Condition {
  readonly name: string;
  /** Throws an AccessError if a parameter is missing or has the wrong type, or if the expression fails. */
  isMet(context: Context): boolean;
  /** The problem with a tuple's values for this condition; undefined if there is none. */
  refuses(context: Context): string | undefined;
}

export type Conditions = ReadonlyMap<string, Condition>;

/** The part of the expression library that we use. Loaded lazily. */
interface Cel {
  readonly Environment: typeof Environment;
  readonly Duration: typeof Duration;
  readonly UnsignedInt: typeof UnsignedInt;
}

/** An IP address value in expressions. */
class CelIpAddress {
  readonly address: IpAddress;
  constructor(address: IpAddress) {
    this.address = address;
  }
}

/** Compiles the conditions of a model. Loads the expression library only if there are any. */
export async function loadConditions({ conditions }: CompiledModel): Promise<Conditions> {
  if (conditions.length === 0) return new Map();
  const cel: Cel = await import('@marcbachmann/cel-js/evaluator');
  const make: ValueMakers = {
    duration: (seconds, nanos) => new cel.Duration(seconds, nanos),
    unsigned: (value) => new cel.UnsignedInt(value),
    address: (value) => new CelIpAddress(value),
  };
  const base = baseEnvironment(cel);
  const problems: Problem[] = [];
  const ready = new Map<string, Condition>();
  for (const condition of conditions) {
    try {
      ready.set(condition.name, createCondition(condition, base, make));
    } catch (error) {
      const message = `condition ${condition.name} is invalid: ${messageOf(error)}`;
      problems.push({ code: 'model.condition', at: condition.name, message });
    }
  }
  if (problems.length > 0)
    throw new AccessError('model.condition', problems.map(({ message }) => message).join('; '), problems);
  return ready;
}

function baseEnvironment(cel: Cel): Environment {
  return new cel.Environment({ homogeneousAggregateLiterals: false })
    .registerType('IPAddress', { ctor: CelIpAddress, fields: {} })
    .registerFunction('ipaddress(string): IPAddress', (text: string) => {
      const address = parseIpAddress(text);
      if (address === undefined) throw new Error(`${JSON.stringify(text)} is not an IP address`);
      return new CelIpAddress(address);
    })
    .registerFunction('IPAddress.in_cidr(string): bool', ({ address }: CelIpAddress, cidr: string) => {
      const isInside = isInNetwork(address, cidr);
      if (isInside === undefined) throw new Error(`${JSON.stringify(cidr)} is not a network`);
      return isInside;
    })
    .registerFunction(`string.${boundedMatches}(string): bool`, matches)
    .registerOperator(
      'IPAddress == IPAddress',
      (one: CelIpAddress, other: CelIpAddress) =>
        one.address.bits === other.address.bits && one.address.value === other.address.value,
    );
}

const boundedMatches = 'matches_within';
/** A string literal (raw or not), a comment, or a call of the built-in `matches`. */
const matchesCall =
  /[bB]?[rR][bB]?(?:"{3}[^]*?"{3}|'{3}[^]*?'{3}|"[^"\n]*"|'[^'\n]*')|"{3}(?:\\[^]|[^\\])*?"{3}|'{3}(?:\\[^]|[^\\])*?'{3}|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\/\/.*|(\.\s*)matches(?=\s*\()/g;

/** The built-in `matches` backtracks without limit and cannot be replaced, so calls are redirected to ours. */
function withBoundedMatches(expression: string): string {
  return expression.replace(matchesCall, (found, dot: string | undefined) =>
    dot === undefined ? found : dot + boundedMatches,
  );
}

/** Throws if there is no answer, because a condition that cannot be evaluated must deny. */
function matches(text: string, pattern: string): boolean {
  const answer = matchWithin(pattern, text);
  if (answer === 'invalid')
    throw new Error(`${JSON.stringify(pattern)} is not a supported regular expression`);
  if (answer === 'too_costly') throw new Error(`matching ${JSON.stringify(pattern)} takes too long`);
  return answer === 'match';
}

function createCondition(model: ConditionModel, base: Environment, make: ValueMakers): Condition {
  const { name, parameters } = model;
  const environment = base.clone();
  for (const parameter of parameters) environment.registerVariable(parameter.name, celType(parameter.type));
  const program = environment.parse(withBoundedMatches(model.expression));
  const { valid, type, error } = program.check();
  if (!valid) throw new Error(firstLine(error?.message ?? 'the expression is invalid'));
  if (type !== 'bool') throw new Error(`the expression returns ${type ?? 'nothing'}, not a bool`);
  return {
    name,
    isMet(context) {
      const values = valuesOf(model, context, make);
      try {
        return program(values) === true;
      } catch (failure) {
        throw new AccessError('condition.failed', `condition ${name} failed: ${messageOf(failure)}`);
      }
    },
    refuses: (context) => refusal(model, context, make),
  };
}

function valuesOf(
  { name, parameters }: ConditionModel,
  context: Context,
  make: ValueMakers,
): Record<string, unknown> {
  // No prototype: a parameter may have any name.
  const values = Object.create(null) as Record<string, unknown>;
  const missing = parameters.filter((parameter) => !Object.hasOwn(context, parameter.name));
  if (missing.length > 0) {
    const names = missing.map((parameter) => parameter.name).join(', ');
    throw new AccessError('condition.missing_parameter', `condition ${name} needs ${names} in the context`);
  }
  for (const parameter of parameters) {
    const value = toParameter(context[parameter.name], parameter.type, make);
    if (value === undefined) throw new AccessError('condition.parameter_type', wrongType(name, parameter));
    values[parameter.name] = value;
  }
  return values;
}

function refusal(
  { name, parameters }: ConditionModel,
  context: Context,
  make: ValueMakers,
): string | undefined {
  const known = new Map(parameters.map((parameter) => [parameter.name, parameter]));
  for (const [key, value] of Object.entries(context)) {
    const parameter = known.get(key);
    if (parameter === undefined) return `condition ${name} has no parameter ${key}`;
    if (toParameter(value, parameter.type, make) === undefined) return wrongType(name, parameter);
  }
  return undefined;
}

function wrongType(name: string, parameter: { readonly name: string; readonly type: ParameterType }): string {
  return `parameter ${parameter.name} of condition ${name} must be of type ${parameter.type.kind}`;
}

function celType({ kind, of }: ParameterType): string {
  const inner = of === undefined ? 'dyn' : celType(of);
  switch (kind) {
    case 'any':
      return 'dyn';
    case 'ipaddress':
      return 'IPAddress';
    case 'duration':
      return 'google.protobuf.Duration';
    case 'timestamp':
      return 'google.protobuf.Timestamp';
    case 'list':
      return `list<${inner}>`;
    case 'map':
      return `map<string, ${inner}>`;
    default:
      return kind;
  }
}

function messageOf(error: unknown): string {
  return firstLine(error instanceof Error ? error.message : String(error));
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
