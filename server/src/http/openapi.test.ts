import fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { answerErrors } from './error-replies.ts'
import { collectOpenApi, serveOpenApi } from './openapi.ts'

let app: FastifyInstance
beforeAll(async () => {
  app = fastify()
  answerErrors(app)
  await collectOpenApi(app, '1.2.3')
  await serveOpenApi(app)
})
afterAll(() => app.close())

describe('the reader at /docs', () => {
  test('is a page and its script, and reads the document of this server', async () => {
    expect((await app.inject('/docs')).headers.location).toBe('/docs/')
    const page = await app.inject('/docs/')
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(page.body).toContain('/openapi.json')
    const script = await app.inject('/docs/js/scalar.js')
    expect(script.headers['content-type']).toContain('javascript')
    expect(script.body.length).toBeGreaterThan(1_000_000)
  })

  test('answers what is wrong in the envelope, and is in nobody’s document', async () => {
    for (const host of ['no host', 'evil.example']) {
      const page = await app.inject({ url: '/docs/', headers: { host } })
      expect(page.statusCode).toBe(200)
      expect(JSON.stringify(page.headers) + page.body).not.toContain(host)
    }
    expect((await app.inject('/docs/other')).json().error.code).toBe('NOT_FOUND')
    expect((await app.inject({ method: 'POST', url: '/docs/' })).headers.allow).toBe('GET, HEAD')
    expect(Object.keys((await app.inject('/openapi.json')).json().paths ?? {})).toEqual([])
  })
})
