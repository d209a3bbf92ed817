import { z } from 'zod';
import { ToolFailure } from '../../core/index.js';
import { defineTool } from '../../tool/index.js';
import { forWorkflows } from './for-workflows.js';
import { fixedHost } from './fixed-host.js';

const usualSeconds = 30;
const outputs = {
  status_code: z.int().describe('Response status.'),
  body: z.string().describe('Response body as UTF-8 text, at most 1 MiB.'),
  headers: z.record(z.string(), z.string()).describe('Response headers, named like Content-Type.'),
  body_truncated: z.boolean().describe('Whether the body was cut.'),
};

export default forWorkflows(
  defineTool({
    name: 'workflow_http_request',
    title: 'Send an HTTP request',
    description:
      'Sends an HTTP request (workflow operation `http.request`). Any status is a success, except those in retryable_status_codes.',
    effect: 'execute',
    needs: ['web'],
    input: z.object({
      url: z.string().min(1).describe('URL, starting with http:// or https://.'),
      method: z.enum(['GET', 'POST', 'PUT', 'DELETE']).describe('HTTP method, in upper or lower case.'),
      headers: z
        .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
        .optional()
        .describe('Headers by name.'),
      body: z.string().optional().describe('Request body, sent unchanged.'),
      timeout: z
        .number()
        .min(0)
        .max(86_400)
        .optional()
        .describe(`Timeout in seconds. Default: ${String(usualSeconds)}; 0 means the default.`),
      retryable_status_codes: z
        .array(z.int())
        .optional()
        .describe('Statuses that fail the step, so that `retry` applies.'),
      ...fixedHost,
    }),
    output: z.object(outputs),
    async run(input, { ports, exchange }) {
      const { url, method, headers = {}, body = '', timeout = 0, retryable_status_codes: codes = [] } = input;
      const answer = await ports.web.send(
        {
          method,
          url,
          headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
          ...(body !== '' && { body }),
          timeoutMs: (timeout > 0 ? timeout : usualSeconds) * 1000,
          isHostFixed: input.fixed_host,
        },
        exchange.signal,
      );
      const data = {
        status_code: answer.status,
        body: answer.body,
        headers: { ...answer.headers },
        body_truncated: answer.isCut,
      };
      if (!codes.includes(answer.status)) return { data };
      const message = `The server answered with status ${String(answer.status)}, which is listed in retryable_status_codes.`;
      throw new ToolFailure('external', message, {
        reason: 'retryable_status',
        details: data,
        retryable: true,
      });
    },
  }),
);
