import fastify from 'fastify'
import { afterAll, expect, test } from 'vitest'
import { handleErrors } from '../kit/error-responses.ts'
import { collectOpenApi, serveOpenApi } from '../kit/openapi.ts'
import { apiReferenceRoutes } from './dashboard-routes.ts'

const app = fastify()
handleErrors(app)
await collectOpenApi(app, '1.2.3')
await app.register(apiReferenceRoutes)
await serveOpenApi(app)
afterAll(() => app.close())

test('/docs/api: serves a page and its script, which reads the OpenAPI document of this server', async () => {
  expect((await app.inject('/docs/api')).headers.location).toBe('/docs/api/')
  const page = await app.inject('/docs/api/')
  expect(page.headers['content-type']).toBe('text/html; charset=utf-8')
  expect(page.body).toContain('/openapi.json')
  const script = await app.inject('/docs/api/js/scalar.js')
  expect(script.headers['content-type']).toContain('javascript')
  expect(script.body.length).toBeGreaterThan(1_000_000)
})

test('/docs/api: never repeats the Host header', async () => {
  for (const host of ['no host', 'evil.example']) {
    const page = await app.inject({ url: '/docs/api/', headers: { host } })
    expect(page.statusCode).toBe(200)
    expect(JSON.stringify(page.headers) + page.body).not.toContain(host)
  }
})

test('/docs/api: unknown paths and methods get the error envelope, and the OpenAPI document does not contain it', async () => {
  expect((await app.inject('/docs/api/other')).json().error.code).toBe('NOT_FOUND')
  expect((await app.inject({ method: 'POST', url: '/docs/api/' })).headers.allow).toBe('GET, HEAD')
  expect(Object.keys((await app.inject('/openapi.json')).json().paths ?? {})).toEqual([])
})
