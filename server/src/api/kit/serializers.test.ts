import fastify, { type FastifyServerOptions, type RouteOptions } from 'fastify'
import { Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import { ErrorEnvelope } from '../../shared/schemas.ts'
import { operation as adminOperation } from '../admin/kit/operation.ts'
import { GATEWAY } from '../gateway/gateway-schemas.ts'
import { operation as messagingOperation } from '../messaging/operation.ts'
import { route } from './route.ts'
import { SCHEMA_COMPILERS } from './serializers.ts'

const Shared = Type.Object({ name: Type.String() }, { $id: 'Shared' })

const answers = async (options: FastifyServerOptions): Promise<string[]> => {
  const app = fastify(options)
  app.addSchema(Shared)
  app.get('/', { schema: { response: { 200: Type.Object({ n: Type.Integer() }) } } }, async () => ({ n: '7', secret: 'no' }))
  await app.register(async (scope) => {
    scope.get('/shared', { schema: { response: { '2xx': { $ref: 'Shared#' } } } }, async () => ({ name: 'a', secret: 'no' }))
  })
  const bodies: string[] = []
  for (const url of ['/', '/shared', '/']) bodies.push((await app.inject(url)).body)
  await app.close()
  return bodies
}

describe('compiled at the first answer', () => {
  test("an answer is what Fastify's own serializer makes of it: nothing leaves that its schema does not name", async () => {
    const bodies = await answers({ schemaController: { compilersFactory: SCHEMA_COMPILERS } })
    expect(bodies).toEqual(['{"n":7}', '{"name":"a"}', '{"n":7}'])
    expect(bodies).toEqual(await answers({}))
  })

  const docs = { summary: '', answers: { 200: Type.Object({ n: Type.Integer() }) } }
  test.each([
    ['gateway', route(GATEWAY, 'GET /', { operationId: undefined, ...docs })],
    ['messaging', messagingOperation('GET /', 'getN', docs)],
    ['admin', adminOperation('GET /', 'getN', '', { scope: null, ...docs })],
  ])('%s API: a field that the schema of the response does not name is not sent', async (_name, described) => {
    const app = fastify({ schemaController: { compilersFactory: SCHEMA_COMPILERS } })
    app.addSchema(ErrorEnvelope)
    app.route({ ...(described as Omit<RouteOptions, 'handler'>), handler: async () => ({ n: 7, secret: 'no' }) })
    expect((await app.inject('/')).body).toBe('{"n":7}')
    await app.close()
  })

  test('a route with a schema for its requests and nothing to check them with stops the start', async () => {
    const app = fastify({ schemaController: { compilersFactory: SCHEMA_COMPILERS } })
    app.get('/', { schema: { querystring: Type.Object({}) } }, async () => 'unchecked')
    await expect(app.ready()).rejects.toThrow('needs a validator compiler')
  })
})
