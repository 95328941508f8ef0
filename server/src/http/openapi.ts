import { randomBytes } from 'node:crypto'
import swagger from '@fastify/swagger'
import fastify, { type FastifyInstance } from 'fastify'
import { ErrorEnvelope } from './schemas.ts'

const DESCRIPTION =
  'The governed gateway between applications and language models. Errors share one envelope; every response carries `x-request-id`, and once a request was let in, `x-audit-id`.'

/** Collects the schemas of all routes that are registered after it. */
export async function collectOpenApi(app: FastifyInstance, version: string, publicUrl?: string): Promise<void> {
  app.addSchema(ErrorEnvelope)
  await app.register(swagger, {
    refResolver: { buildLocalReference: (schema, _base, _fragment, index) => String(schema.$id ?? `schema-${index}`) },
    openapi: {
      openapi: '3.1.0',
      ...(publicUrl !== undefined && { servers: [{ url: publicUrl }] }),
      info: { title: 'Gatehouse', version, description: DESCRIPTION, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
      tags: [
        { name: 'gateway', description: 'The governed gateway: six endpoints, one pipeline of twelve stages.' },
        { name: 'messaging', description: 'Conversations and messages; bodies are forms or JSON.' },
        { name: 'admin', description: 'For operators: `/admin/v1`, with an admin token or a session.' },
        { name: 'server', description: 'Health and metrics.' },
      ],
      components: {
        securitySchemes: {
          applicationKey: { type: 'http', scheme: 'bearer', description: "An Application's API key, `gk_…`." },
          accessToken: {
            type: 'http',
            scheme: 'bearer',
            description: "A user's access token, `gu_…`, or a JWT that the Workspace's keys verify.",
          },
          adminToken: { type: 'http', scheme: 'bearer', description: 'An admin token, `ga_…`.' },
          operatorSession: { type: 'apiKey', in: 'cookie', name: 'gatehouse.session', description: "The dashboard's session." },
        },
      },
    },
  })
}

/** Everything that would call its maker's services is off: the page asks nobody but this server. */
const READER = {
  url: '/openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  showToolbar: 'never',
  showDeveloperTools: 'never',
  hideClientButton: true,
  mcp: { disabled: true },
  agent: { disabled: true },
} as const

const READER_PATHS = ['/docs', '/docs/', '/docs/js/scalar.js']

/** Or browsers ask for one that is not there. */
const NO_ICON = '<link rel="icon" href="data:,">'

/** The page stands on the origin that the dashboard's cookie is for. Its maker's styles are made at run time and carry no nonce. */
const readerHeaders = (nonce: string) => ({
  'content-security-policy': [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    "style-src 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'cache-control': 'no-store',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
})

/** The document at /openapi.json, and a reader for people at /docs; each is made when it is first asked for. */
export async function serveOpenApi(app: FastifyInstance): Promise<void> {
  let document: string | undefined
  app.get('/openapi.json', { schema: { hide: true } }, async (_request, reply) => {
    document ??= JSON.stringify(app.swagger())
    return reply.type('application/json; charset=utf-8').send(document)
  })
  let reader: Promise<FastifyInstance> | undefined
  for (const path of READER_PATHS) {
    app.get(path, { schema: { hide: true } }, async ({ url }, reply) => {
      reader ??= startReader()
      const page = await (await reader).inject(url)
      const { 'content-type': type, location } = page.headers
      if (location !== undefined) return reply.redirect(location, page.statusCode)
      if (page.statusCode !== 200 || type === undefined) throw new Error(`the reader of /docs answered ${page.statusCode}`)
      if (!type.startsWith('text/html')) return reply.type(type).send(page.payload)
      const nonce = randomBytes(16).toString('base64')
      const html = page.payload.replaceAll('<script', `<script nonce="${nonce}"`).replace('<head>', `<head>${NO_ICON}`)
      return reply.headers(readerHeaders(nonce)).type(type).send(html)
    })
  }
}

/** The reader is megabytes of code for a page that most servers are never asked for, so it has a server of its own, without a port. */
async function startReader(): Promise<FastifyInstance> {
  const { default: plugin } = await import('@scalar/fastify-api-reference')
  const app = fastify()
  await app.register(plugin, { routePrefix: '/docs', configuration: READER })
  return app
}
