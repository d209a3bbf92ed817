/** `servers.<name>.login`. */
export const loginTable = {
  kind: 'record',
  description:
    'OAuth 2.1 settings for a server that requires a login. Most servers need none: `tidegate login` discovers them.',
  fields: {
    client_id: {
      kind: 'text',
      risk: 'access',
      format: 'any',
      description:
        'Client ID that you registered with the authorization server yourself. Without it, Tidegate uses `client_document` or registers a client.',
    },
    client_secret: {
      kind: 'text',
      risk: 'secret',
      format: 'any',
      beside: 'client_id',
      description: 'Client secret. Take it from the environment: `${GITHUB_CLIENT_SECRET}`.',
    },
    client_document: {
      kind: 'text',
      risk: 'access',
      format: 'url',
      description:
        'URL of your client ID metadata document. It is used as the client ID if the authorization server accepts such IDs.',
    },
    issuer: {
      kind: 'text',
      risk: 'sends',
      format: 'url',
      description:
        'The only authorization server to use. Defaults to the one that the server names; with a `client_secret`, to the one that it named first.',
    },
    scopes: {
      kind: 'list',
      risk: 'access',
      description: 'Scopes to request. Defaults to the scopes that the server says it needs.',
      of: { kind: 'text', format: 'header', description: 'One scope.' },
    },
    port: {
      kind: 'integer',
      risk: 'none',
      description:
        'Port on 127.0.0.1 for the redirect from the browser. Set it if your client registration requires a specific port. `0` picks any free port.',
      minimum: 0,
      maximum: 65_535,
      default: 0,
    },
  },
} as const;
