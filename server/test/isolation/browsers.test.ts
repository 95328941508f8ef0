import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { startServer } from '../support/server.ts'

const server = await closeAfterAll(startServer({ GATEHOUSE_PUBLIC_URL: 'https://gatehouse.example.com' }))

const get = (path: string, to = server) => fetch(to.base + path, { redirect: 'manual' })

describe('security headers', () => {
  test.each([
    ['/healthz', 200],
    ['/openapi.json', 200],
    ['/docs/', 200],
    ['/docs/errors', 200],
    ['/docs/none', 404],
    ['/docs/api/', 200],
    ['/docs/api/gateway-messages', 200],
    ['/dashboard', 302],
    ['/v1/models', 401],
    ['/v1/avatars/ann', 200],
    ['/admin/v1/session', 401],
    ['/auth/gatehouse/methods', 200],
    ['/auth/sign-up/email', 404],
    ['/dashboard/assets/none.js', 404],
    ['/nowhere', 404],
    ['/%zz', 404],
  ])('security headers: %s has nosniff and HSTS, with status %i', async (path, status) => {
    const response = await get(path)
    expect(response.status).toBe(status)
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(response.headers.get('strict-transport-security')).toBe('max-age=31536000')
  })

  test('errors: they link to the documents at the public URL [API-ERR-17]', async () => {
    const { error } = (await (await get('/v1/models')).json()) as { readonly error: { readonly doc_url: string } }
    expect(error.doc_url).toBe('https://gatehouse.example.com/docs/troubleshooting#auth_invalid_key')
  })

  test('security headers: HSTS is absent when the public URL is not https', async () => {
    const plain = await startServer()
    const { headers } = await get('/healthz', plain)
    expect([headers.get('x-content-type-options'), headers.get('strict-transport-security')]).toEqual(['nosniff', null])
    await plain.close()
  })

  test('security headers: /docs/api allows only scripts of the server and no frames', async () => {
    const { headers } = await get('/docs/api/')
    const policy = headers.get('content-security-policy')
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toContain('unsafe')
    expect(headers.get('x-frame-options')).toBe('DENY')
  })
})

test('dashboard assets: request gets 404 when the path leads out of the assets folder', async () => {
  for (const path of ['..%5c..%5cpackage.json', '..%2f..%2fpackage.json', '%2e%2e%5cindex.html']) {
    const response = await get(`/dashboard/assets/${path}`)
    expect([path, response.status]).toEqual([path, 404])
  }
  expect(server.logs()).not.toContain('request failed')
})
