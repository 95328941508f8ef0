import fastify, { type FastifyServerOptions } from 'fastify'
import { Type } from 'typebox'
import { describe, expect, test } from 'vitest'
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

  test('a route with a schema for its requests and nothing to check them with stops the start', async () => {
    const app = fastify({ schemaController: { compilersFactory: SCHEMA_COMPILERS } })
    app.get('/', { schema: { querystring: Type.Object({}) } }, async () => 'unchecked')
    await expect(app.ready()).rejects.toThrow('needs a validator compiler')
  })
})
