import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AgentOrder, type AgentSocket, type Verdict, watchGateway } from '../../agents/index.js';
import { makeSocketFolder, type SocketFolder } from '../../providers/plugin/socket-folder.js';
import type { SocketGuest, SocketServer } from '../../gateway/index.js';
import { socketHome } from '../socket-home.js';
import { shimFile } from '../program-file.js';
import { newServerName } from './server-name.js';
import type { Tidegate } from '../tidegate.js';

export interface AgentSockets {
  open(order: AgentOrder, verdict: Verdict): Promise<AgentSocket>;
  close(): Promise<void>;
}

interface Opened {
  readonly folder: SocketFolder;
  readonly address: string;
  readonly server: SocketServer;
}

/** Agent socket for launched agents: one socket for all, one ticket for each. */
export function openAgentSockets(tidegate: Tidegate, nameServer = newServerName): AgentSockets {
  const guests = new Map<string, SocketGuest>();
  const admit = (ticket: string): SocketGuest | undefined => {
    const guest = guests.get(ticket);
    guests.delete(ticket);
    return guest;
  };
  let opening: Promise<Opened> | undefined;

  async function open(): Promise<Opened> {
    const folder = makeSocketFolder(socketHome(tidegate.stateDirectory));
    const address =
      process.platform === 'win32'
        ? `\\\\.\\pipe\\tidegate-${randomBytes(16).toString('hex')}`
        : join(folder.path, 'gate');
    return { folder, address, server: await tidegate.serveSocket(address, admit) };
  }

  return {
    async open(order, verdict) {
      if (verdict.kind === 'isolated') {
        const learned = verdict.growsList ? 'list' : 'call_tool';
        tidegate.exposure.exposure.prefer(order.session, { learned });
      }
      opening ??= open();
      const { folder, address } = await opening;
      const ticket = randomBytes(32).toString('base64url');
      const name = nameServer();
      // All launches of a run share the server name, so file names are random.
      const file = join(folder.path, `${randomBytes(4).toString('hex')}.json`);
      const { gateway, calls } = watchGateway(order);
      let leave = (): void => undefined;
      const onEnter = (put: () => void): void => {
        leave = put;
      };
      guests.set(ticket, { gateway, session: order.session, onEnter });
      writeFileSync(file, JSON.stringify({ address, ticket }), { mode: 0o600, flag: 'wx' });
      return {
        name,
        gatewayCommand: { command: process.execPath, args: [shimFile, '--config', file] },
        entered: () => (guests.has(ticket) ? 0 : 1),
        calls,
        close() {
          guests.delete(ticket);
          // Disconnect the client that used this ticket, even if the agent's process cannot be found.
          leave();
          rmSync(file, { force: true });
          return Promise.resolve();
        },
      };
    },
    async close() {
      const opened = await opening?.catch(() => undefined);
      await opened?.server.close();
      await opened?.folder.remove();
    },
  };
}
