import { z } from 'zod';
import type { Desktop } from '../../ports/desktop.js';
import { ToolFailure } from '../../core/index.js';
import type { Web } from '../../ports/web.js';
import { defineTool } from '../../tool/index.js';
import { forWorkflows } from './for-workflows.js';
import { fixedHost } from './fixed-host.js';

/** The same timeout as AWF. */
const webhookMs = 10_000;

interface Note {
  readonly title: string;
  readonly message: string;
  readonly priority: 'low' | 'default' | 'high';
}

export default forWorkflows(
  defineTool({
    name: 'workflow_notify_send',
    title: 'Send a notification',
    description:
      'Sends a notification (workflow operation `notify.send`) to the desktop, or to a webhook as JSON.',
    effect: 'execute',
    needs: ['web', 'desktop'],
    input: z.object({
      backend: z.enum(['desktop', 'webhook']).describe('Where the notification goes.'),
      message: z.string().describe('The text.'),
      title: z.string().optional().describe('The title. Default: AWF Workflow.'),
      priority: z.enum(['low', 'default', 'high']).optional().describe('Urgency. Default: default.'),
      webhook_url: z.string().optional().describe('Webhook URL. Required for backend webhook.'),
      ...fixedHost,
    }),
    output: z.object({
      backend: z.string().describe('The backend used.'),
      status: z.int().describe('Status returned by the webhook; 0 for the desktop.'),
      response: z.string().describe('Response of the webhook, or a confirmation.'),
      response_truncated: z.boolean().optional().describe('The response was over 1 MiB and was cut.'),
    }),
    async run(
      { backend, message, title = '', priority = 'default', webhook_url: url = '', ...more },
      context,
    ) {
      const { ports, exchange } = context;
      const note = { title: title.trim() || 'AWF Workflow', message: message.trim(), priority };
      if (backend === 'desktop') return { data: await toDesktop(ports.desktop, note, exchange.signal) };
      if (url.trim() === '')
        throw new ToolFailure('refused', 'Backend webhook requires the input webhook_url.');
      const target = { url: url.trim(), isHostFixed: more.fixed_host };
      return { data: await toWebhook(ports.web, target, note, exchange.signal) };
    },
  }),
);

async function toDesktop(desktop: Desktop, note: Note, signal: AbortSignal) {
  return { backend: 'desktop', status: 0, response: await desktop.show(note, signal) };
}

async function toWebhook(
  web: Web,
  target: { readonly url: string; readonly isHostFixed: boolean },
  note: Note,
  signal: AbortSignal,
) {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify(note);
  const {
    status,
    body: response,
    isCut,
  } = await web.send({ ...target, method: 'POST', headers, body, timeoutMs: webhookMs }, signal);
  if (status < 200 || status > 299)
    throw new ToolFailure('external', `The webhook returned status ${String(status)}.`);
  return { backend: 'webhook', status, response, ...(isCut && { response_truncated: true }) };
}
