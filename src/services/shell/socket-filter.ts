/**
 * A seccomp program that leaves commands of the sandbox only Internet sockets. It shares the network and most of the disk
 * with the host, so a socket of the host, with a path or abstract, would be a way out. Pipes and connected pairs stay:
 * programs talk to their children through those.
 */
interface System {
  /** AUDIT_ARCH_* of linux/audit.h. */
  readonly audit: number;
  readonly socket: number;
  readonly socketpair: number;
  /** The old call that takes its arguments through a pointer, which a filter cannot read. */
  readonly socketcall?: number;
}

const systems: Readonly<Record<string, readonly System[]>> = {
  x64: [
    { audit: 0xc000003e, socket: 41, socketpair: 53 },
    { audit: 0x40000003, socket: 359, socketpair: 360, socketcall: 102 },
  ],
  arm64: [
    { audit: 0xc00000b7, socket: 198, socketpair: 199 },
    { audit: 0x40000028, socket: 281, socketpair: 288, socketcall: 102 },
  ],
};

const at = { number: 0, system: 4, first: 16, second: 24 } as const;
/** AF_INET, AF_INET6, and AF_NETLINK, which programs ask for addresses. Others lead out of the network namespace: AF_UNIX, AF_VSOCK. */
const families = [2, 10, 16] as const;
/** The only pairs that stay with each other. The kernel makes a datagram pair of SOCK_RAW too. */
const typeStream = 1;
const typeSequence = 5;
const typeMask = 0xf;
/** The same number on every system. Its queue opens sockets past every filter. */
const ioUringSetup = 425;
const x32 = 0x4000_0000;

const allow = 0x7fff_0000;
const kill = 0x8000_0000;
const notPermitted = 0x0005_0000 | 1;
const notImplemented = 0x0005_0000 | 38;

/** Undefined on a processor that it is not written for. */
export function createSocketFilter(processor: string = process.arch): Buffer | undefined {
  const known = systems[processor];
  if (known === undefined) return undefined;
  const blocks = known.map((system) => blockOf(system, processor));
  const program = [...blocks.flat(), give(kill)];
  return Buffer.concat(program);
}

/** The rules of one system; a call of another one jumps behind them. */
function blockOf(system: System, processor: string): readonly Buffer[] {
  const rules = [
    load(at.number),
    ...(processor === 'x64' ? [unlessAtLeast(x32, 1), give(notPermitted)] : []),
    unlessEqual(ioUringSetup, 1),
    give(notImplemented),
    ...(system.socketcall === undefined ? [] : [unlessEqual(system.socketcall, 1), give(notPermitted)]),
    unlessEqual(system.socket, families.length * 2 + 2),
    load(at.first),
    ...families.flatMap((family) => [unlessEqual(family, 1), give(allow)]),
    give(notPermitted),
    // socketpair(…): a program can connect a datagram pair to another socket later.
    unlessEqual(system.socketpair, 7),
    load(at.second),
    mask(typeMask),
    unlessEqual(typeStream, 1),
    give(allow),
    unlessEqual(typeSequence, 1),
    give(allow),
    give(notPermitted),
    give(allow),
  ];
  return [load(at.system), unlessEqual(system.audit, rules.length), ...rules];
}

/** BPF_LD | BPF_W | BPF_ABS */
function load(offset: number): Buffer {
  return instruction(0x20, 0, 0, offset);
}

/** BPF_JMP | BPF_JEQ | BPF_K: skips so many instructions when the value is another one. */
function unlessEqual(value: number, skipped: number): Buffer {
  return instruction(0x15, 0, skipped, value);
}

/** BPF_JMP | BPF_JGE | BPF_K */
function unlessAtLeast(value: number, skipped: number): Buffer {
  return instruction(0x35, 0, skipped, value);
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
