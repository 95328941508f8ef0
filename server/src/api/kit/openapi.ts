import swagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import { ErrorEnvelope } from '../../shared/schemas.ts'
import { nameComponents } from './openapi-components.ts'

const DESCRIPTION =
  'The governed gateway between applications and language models. Errors share one envelope (API-ERR-1). Every response carries `x-request-id` (API-HTTP-4), and after stage 2 also `x-audit-id` (GW-PIPE-12). Ids such as GW-PIPE-12 name rules of docs/contract.'

export async function collectOpenApi(app: FastifyInstance, version: string, publicUrl?: string): Promise<void> {
  app.addSchema(ErrorEnvelope)
  await app.register(swagger, {
    refResolver: { buildLocalReference: (schema, _base, _fragment, index) => String(schema.$id ?? `schema-${index}`) },
    transformObject: (document) => nameComponents('openapiObject' in document ? document.openapiObject : {}),
    openapi: {
      openapi: '3.1.0',
      ...(publicUrl !== undefined && { servers: [{ url: publicUrl }] }),
      info: { title: 'Gatehouse', version, description: DESCRIPTION, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
      tags: [
        { name: 'gateway', description: 'The governed gateway: eight endpoints and one pipeline of twelve stages.' },
        { name: 'messaging', description: 'Conversations and messages. Bodies are forms or JSON (MSG-BODY-1).' },
        { name: 'admin', description: 'API for operators at `/admin/v1`, with an admin token or a session.' },
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

export async function serveOpenApi(app: FastifyInstance): Promise<void> {
  let document: string | undefined
  app.get('/openapi.json', { schema: { hide: true } }, async (_request, reply) => {
    document ??= JSON.stringify(app.swagger())
    return reply.type('application/json; charset=utf-8').send(document)
  })
}
