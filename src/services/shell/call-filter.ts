/**
 * A seccomp program for sandboxed commands. It allows only Internet sockets: the sandbox shares the network and most of
 * the disk with the host, so a path or abstract socket of the host would be a way out. Pipes and connected pairs stay
 * allowed, because programs use them to talk to their children.
 *
 * It also refuses three things that the mounts can't prevent. With a new user namespace, a command could leave the
 * mount namespace with our mount points, then rename and remove what is under them. With a file lease, it could keep
 * every other process, the gateway included, from opening the file. The keys of the operator's session are not files.
 */
interface System {
  /** AUDIT_ARCH_* from linux/audit.h. */
  readonly audit: number;
  readonly socket: number;
  readonly socketpair: number;
  /** The old call passes its arguments through a pointer, which a filter can't read. */
  readonly socketcall?: number;
  readonly clone: number;
  readonly unshare: number;
  readonly setns: number;
  readonly fcntl: readonly number[];
  /** add_key, request_key, keyctl. */
  readonly keys: readonly number[];
}

const systems: Readonly<Record<string, readonly System[]>> = {
  x64: [
    {
      audit: 0xc000003e,
      ...{ socket: 41, socketpair: 53, clone: 56, unshare: 272, setns: 308 },
      ...{ fcntl: [72], keys: [248, 249, 250] },
    },
    {
      audit: 0x40000003,
      ...{ socket: 359, socketpair: 360, socketcall: 102, clone: 120, unshare: 310, setns: 346 },
      ...{ fcntl: [55, 221], keys: [286, 287, 288] },
    },
  ],
  arm64: [
    {
      audit: 0xc00000b7,
      ...{ socket: 198, socketpair: 199, clone: 220, unshare: 97, setns: 268 },
      ...{ fcntl: [25], keys: [217, 218, 219] },
    },
    {
      audit: 0x40000028,
      ...{ socket: 281, socketpair: 288, socketcall: 102, clone: 120, unshare: 337, setns: 375 },
      ...{ fcntl: [55, 221], keys: [309, 310, 311] },
    },
  ],
};

const at = { number: 0, system: 4, first: 16, second: 24 } as const;
/**
 * AF_INET, AF_INET6, and AF_NETLINK, which programs use to look up addresses. Others, such as AF_UNIX and AF_VSOCK,
 * lead out of the network namespace.
 */
const families = [2, 10, 16] as const;
/** The only types whose pairs stay connected to each other. For SOCK_RAW, the kernel creates a datagram pair too. */
const typeStream = 1;
const typeSequence = 5;
const typeMask = 0xf;
/** The same number on every system. Its queue opens sockets past every filter. */
const ioUringSetup = 425;
/** The same number on every system. Its flags are behind a pointer; without it, programs fall back to clone. */
const clone3 = 435;
const newUserNamespace = 0x1000_0000;
const setLease = 1024;
const x32 = 0x4000_0000;

const allow = 0x7fff_0000;
const kill = 0x8000_0000;
const notPermitted = 0x0005_0000 | 1;
const notImplemented = 0x0005_0000 | 38;

export interface CallFilterOptions {
  /** Skips the socket rules. */
  readonly hasUnixSockets?: boolean;
  readonly processor?: string;
}

/** Undefined on an unsupported processor. */
export function createCallFilter(options: CallFilterOptions = {}): Buffer | undefined {
  const { hasUnixSockets = false, processor = process.arch } = options;
  const known = systems[processor];
  if (known === undefined) return undefined;
  const blocks = known.map((system) => blockOf(system, processor, hasUnixSockets));
  const program = [...blocks.flat(), give(kill)];
  return Buffer.concat(program);
}

/** The rules of one system; calls of another system jump past them. */
function blockOf(system: System, processor: string, hasUnixSockets: boolean): readonly Buffer[] {
  const rules = [
    load(at.number),
    ...(processor === 'x64' ? [unlessAtLeast(x32, 1), give(notPermitted)] : []),
    ...[system.clone, system.unshare].flatMap(unlessSafeFlags),
    unlessEqual(clone3, 1),
    give(notImplemented),
    ...[system.setns, ...system.keys].flatMap((call) => [unlessEqual(call, 1), give(notPermitted)]),
    ...system.fcntl.flatMap(unlessNoLease),
    ...(hasUnixSockets ? [] : socketRules(system)),
    give(allow),
  ];
  return [load(at.system), unlessEqual(system.audit, rules.length), ...rules];
}

function unlessSafeFlags(call: number): readonly Buffer[] {
  return [
    unlessEqual(call, 4),
    load(at.first),
    unlessAnyOf(newUserNamespace, 1),
    give(notPermitted),
    give(allow),
  ];
}

function unlessNoLease(call: number): readonly Buffer[] {
  return [unlessEqual(call, 4), load(at.second), unlessEqual(setLease, 1), give(notPermitted), give(allow)];
}

function socketRules({ socket, socketpair, socketcall }: System): readonly Buffer[] {
  return [
    unlessEqual(ioUringSetup, 1),
    give(notImplemented),
    ...(socketcall === undefined ? [] : [unlessEqual(socketcall, 1), give(notPermitted)]),
    unlessEqual(socket, families.length * 2 + 2),
    load(at.first),
    ...families.flatMap((family) => [unlessEqual(family, 1), give(allow)]),
    give(notPermitted),
    // socketpair(…): a program can connect a datagram pair to another socket later.
    unlessEqual(socketpair, 7),
    load(at.second),
    mask(typeMask),
    unlessEqual(typeStream, 1),
    give(allow),
    unlessEqual(typeSequence, 1),
    give(allow),
    give(notPermitted),
  ];
}

/** BPF_LD | BPF_W | BPF_ABS */
function load(offset: number): Buffer {
  return instruction(0x20, 0, 0, offset);
}

/** BPF_JMP | BPF_JEQ | BPF_K: skips this many instructions if the value differs. */
function unlessEqual(value: number, skipped: number): Buffer {
  return instruction(0x15, 0, skipped, value);
}

/** BPF_JMP | BPF_JGE | BPF_K */
function unlessAtLeast(value: number, skipped: number): Buffer {
  return instruction(0x35, 0, skipped, value);
}

/** BPF_JMP | BPF_JSET | BPF_K: skips this many instructions if none of the bits is set. */
function unlessAnyOf(bits: number, skipped: number): Buffer {
  return instruction(0x45, 0, skipped, bits);
}

/** BPF_ALU | BPF_AND | BPF_K */
function mask(bits: number): Buffer {
  return instruction(0x54, 0, 0, bits);
}

/** BPF_RET | BPF_K */
function give(answer: number): Buffer {
  return instruction(0x06, 0, 0, answer);
}

function instruction(code: number, whenTrue: number, whenFalse: number, value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16LE(code, 0);
  bytes.writeUInt8(whenTrue, 2);
  bytes.writeUInt8(whenFalse, 3);
  bytes.writeUInt32LE(value >>> 0, 4);
  return bytes;
}
