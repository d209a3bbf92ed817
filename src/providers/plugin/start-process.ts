import { messageOf } from '../../lib/error-message.js';
import type { ChildProcess, Processes } from '../../ports/processes.js';
import { createLastWords } from '../../lib/last-words.js';
import { createLineReader } from '../../lib/lines.js';
import type { Log, Redactor } from '../../ports/log.js';
import { handshake } from '../../plugin-protocol/index.js';
import { type Greeting, readGreeting } from './handshake-line.js';
import type { PluginLimits, PluginProgram } from './options.js';

export interface StartParts {
  readonly name: string;
  readonly program: PluginProgram;
  readonly processes: Processes;
  readonly socketFolder: string;
  /** Our certificate in PEM. Without it, the connection is plain text. */
  readonly certificate?: string;
  readonly limits: PluginLimits;
  readonly log: Log;
  readonly redact: Redactor;
  readonly signal: AbortSignal;
}

export interface StartedProcess {
  readonly child: ChildProcess;
  readonly greeting: Greeting;
  /** The last lines on stderr, which often explain why it exited. */
  lastWords(): string;
}

const longestLine = 16 * 1024;
const keptWords = 1024;

/** Starts the program and waits for its handshake line. Throws with the reason and its stderr otherwise. */
export async function startProcess(parts: StartParts): Promise<StartedProcess> {
  const { limits } = parts;
  const child = await parts.processes.start({
    owner: `plugin ${parts.name}`,
    ...parts.program,
    // Old libraries always create their socket in the temporary folder, so point that to ours.
    env: { TMPDIR: parts.socketFolder, ...parts.program.env, ...handshakeEnvironment(parts) },
    input: 'none',
    patience: { afterInputMs: 0, afterTermMs: limits.termMs },
  });
  const words = collectWords('plugin stderr', parts.log, parts.redact);
  child.onErrorOutput((chunk) => words.push(chunk));
  try {
    const line = await firstLine(child, parts);
    const greeting = readGreeting(line);
    if (typeof greeting === 'string') throw new Error(flawOf(parts.redact(line)));
    if (parts.certificate !== undefined && greeting.certificate === undefined)
      throw new Error('it sent no TLS certificate, and Tidegate does not connect in plain text');
    return { child, greeting, lastWords: () => words.told() };
  } catch (error) {
    await child.close();
    const reason = messageOf(error);
    const said = words.told();
    throw new Error(said === '' ? reason : `${reason}; stderr: ${said}`);
  }
}

/** Secrets must be redacted from the line before: it is cut here, and half a secret would not be recognized. */
function flawOf(line: string): string {
  const flaw = readGreeting(line);
  const why = typeof flaw === 'string' ? flaw : 'its first line is not a handshake';
  return `${why}: ${line.slice(0, 200)}`;
}

function handshakeEnvironment({ certificate, socketFolder }: StartParts): Readonly<Record<string, string>> {
  return {
    [handshake.cookieName]: handshake.cookie,
    PLUGIN_PROTOCOL_VERSIONS: handshake.appVersion,
    PLUGIN_MIN_PORT: '10000',
    PLUGIN_MAX_PORT: '25000',
    PLUGIN_UNIX_SOCKET_DIR: socketFolder,
    ...(certificate !== undefined && { PLUGIN_CLIENT_CERT: certificate }),
  };
}

/** Lines after the first go to the log, because our own stdout may carry a protocol. */
function firstLine(child: ChildProcess, { limits, log, redact, signal }: StartParts): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = createLineReader(longestLine);
    let isKnown = false;
    const timer = setTimeout(() => {
      reject(new Error(`it sent no handshake within ${limits.handshakeMs / 1000} s`));
    }, limits.handshakeMs);
    const stop = (): void => reject(new Error('it is shutting down'));
    signal.addEventListener('abort', stop, { once: true });
    const settle = (end: () => void): void => {
      isKnown = true;
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      end();
    };
    child.onOutput((chunk) => {
      for (const line of reader.push(chunk)) {
        if (isKnown)
          log('debug', 'plugin output', { text: line.kind === 'line' ? redact(line.text) : line.reason });
        else if (line.kind === 'line') settle(() => resolve(line.text));
        else settle(() => reject(new Error(`its first line cannot be read: ${line.reason}`)));
      }
    });
    child.onExit(({ code, signal: by }) => {
      const how = by === null ? `exited with code ${String(code)}` : `was killed by ${by}`;
      settle(() => reject(new Error(`it ${how} before its handshake`)));
    });
    if (signal.aborted) stop();
  });
}

interface Words {
  push(chunk: Uint8Array): void;
  /** The most relevant lines. */
  told(): string;
}

/** Logs the output of a plugin at debug level, and collects the lines that explain why it exited. */
export function collectWords(what: string, log: Log, redact: Redactor): Words {
  const reader = createLineReader(longestLine);
  const words = createLastWords();
  return {
    push(chunk) {
      for (const line of reader.push(chunk)) {
        if (line.kind !== 'line') continue;
        // Redact before cutting, because half a secret would not be recognized.
        const text = redact(line.text).slice(0, keptWords);
        words.push(text);
        log('debug', what, { text });
      }
    },
    told: () => words.told(),
  };
}
