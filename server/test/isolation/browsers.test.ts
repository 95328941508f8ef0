import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type TestServer } from '../support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer({ GATEHOUSE_PUBLIC_URL: 'https://gatehouse.example.com' })
})
afterAll(() => server.close())

const get = (path: string, to = server) => fetch(to.base + path, { redirect: 'manual' })

describe('what the server says to browsers', () => {
  test.each([
    ['/healthz', 200],
    ['/openapi.json', 200],
    ['/docs/', 200],
    ['/docs/js/scalar.js', 200],
    ['/dashboard', 302],
    ['/v1/models', 401],
    ['/v1/avatars/ann', 200],
    ['/admin/v1/session', 401],
    ['/auth/gatehouse/methods', 200],
    ['/auth/sign-up/email', 404],
    ['/dashboard/assets/none.js', 404],
    ['/nowhere', 404],
    ['/%zz', 404],
  ])('%s is taken for nothing but what it says it is, and comes by https the next time', async (path, status) => {
    const answer = await get(path)
    expect(answer.status).toBe(status)
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    expect(answer.headers.get('strict-transport-security')).toBe('max-age=31536000')
  })

  test('a server without a public https URL demands no https', async () => {
    const plain = await startServer()
    const { headers } = await get('/healthz', plain)
    expect([headers.get('x-content-type-options'), headers.get('strict-transport-security')]).toEqual(['nosniff', null])
    await plain.close()
  })

  test('the reference at /docs runs its own scripts only, and is nobody’s frame', async () => {
    const [first, second] = [await get('/docs/'), await get('/docs/')]
    const policy = first.headers.get('content-security-policy')
    const [, nonce = ''] = /script-src 'nonce-([\w+/=]+)'/.exec(policy ?? '') ?? []
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(first.headers.get('x-frame-options')).toBe('DENY')
    expect((await first.text()).match(/<script[^>]*>/g)).toEqual([
      `<script nonce="${nonce}" src="js/scalar.js">`,
      `<script nonce="${nonce}" type="text/javascript">`,
    ])
    expect(second.headers.get('content-security-policy')).not.toBe(policy)
  })
})

test('a path out of the folder of assets is nobody’s, and no failure of the server’s', async () => {
  for (const path of ['..%5c..%5cpackage.json', '..%2f..%2fpackage.json', '%2e%2e%5cindex.html']) {
    const answer = await get(`/dashboard/assets/${path}`)
    expect([path, answer.status]).toEqual([path, 404])
  }
  expect(server.logs()).not.toContain('request failed')
})
