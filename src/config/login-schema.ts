/** `servers.<name>.login`. */
export const loginTable = {
  kind: 'record',
  description:
    'How to log in to a server that wants it (OAuth 2.1). Most servers need nothing of this: what to do is found out, and `tidegate login` does it.',
  fields: {
    client_id: {
      kind: 'text',
      format: 'any',
      description:
        'The id of a client that was registered with the authorization server by hand. Without it the gate uses `client_document`, or registers itself.',
    },
    client_secret: {
      kind: 'text',
      format: 'any',
      beside: 'client_id',
      description: 'The secret of that client. Take it from the environment: `${GITHUB_CLIENT_SECRET}`.',
    },
    client_document: {
      kind: 'text',
      format: 'url',
      description:
        'Address of a client id metadata document of yours, which is then the client id where the authorization server takes such ids.',
    },
    issuer: {
      kind: 'text',
      format: 'url',
      description:
        'The only authorization server that is asked. Without it: the one that the server names, and with a `client_secret` the one that it named first.',
    },
    scopes: {
      kind: 'list',
      description: 'What to ask for. Without it: what the server says that it needs.',
      of: { kind: 'text', format: 'header', description: 'One scope.' },
    },
    port: {
      kind: 'integer',
      description:
        'The port on 127.0.0.1 that the browser comes back to, for clients whose registration names one. `0` takes any free one.',
      minimum: 0,
      maximum: 65_535,
      default: 0,
    },
  },
} as const;
