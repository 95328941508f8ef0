import { connect, type Socket } from 'node:net'
import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { CHAT, expectError, expectSuccess } from '../support/gateway-client.ts'
import { startGoverned } from '../support/governed.ts'
import { parseResponse } from '../support/raw-http.ts'
import { word } from '../support/scripted-provider.ts'

/** The limit in flight allows two bodies of this size. */
const LONGEST = 2_000_000
const sockets: Socket[] = []
const governed = await startGoverned({
  GATEHOUSE_MAX_BODY_BYTES: String(LONGEST),
  GATEHOUSE_MAX_BODY_BYTES_IN_FLIGHT: String(2.25 * LONGEST),
})
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
})
afterAll(() => governed.close())

/** Starts a request and never ends it; `received` returns the bytes received so far. */
function startStalledRequest(headers: readonly string[]): { readonly received: () => Buffer } {
  const { hostname, port } = new URL(governed.base)
  const socket = connect(Number(port), hostname)
  const chunks: Buffer[] = []
  sockets.push(socket)
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  socket.on('error', () => {})
  socket.write(`POST ${CHAT} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n${headers.join('\r\n')}\r\n\r\n`)
  return { received: () => Buffer.concat(chunks) }
}

const large = () => governed.chat(`${word()} ${'All is quiet. '.repeat(60_000)}`)

test.each([
  ['no key', []],
  ['an unknown key', [`authorization: Bearer gk_${'x'.repeat(43)}`]],
  ['an admin token', ['authorization: Bearer ga_1']],
])(
  'slow upload: request with %s gets 401 before its body arrives and does not count as a body in flight',
  async (_, authorization) => {
    const lengths = [`content-length: ${LONGEST}`, 'transfer-encoding: chunked']
    const open = Array.from({ length: 10 }, (_, at) => startStalledRequest([...authorization, lengths[at % 2] ?? '']))
    await vi.waitFor(() => {
      for (const { received } of open) expect(parseResponse(received())).toMatchObject({ status: 401 })
    }, 20_000)
    expect(parseResponse(open[0]?.received() ?? Buffer.of())?.body).toMatchObject({ error: { code: 'AUTH_INVALID_KEY' } })
    expectSuccess(await large())
  },
)

test('slow upload: request with a key counts as a body in flight until it ends [GW-LIM-5]', async () => {
  const key = `authorization: Bearer ${governed.key()}`
  const length = `content-length: ${LONGEST}`
  const open = [length, 'transfer-encoding: chunked', length, length].map((header) => startStalledRequest([key, header]))
  const places = () => open.filter(({ received }) => received().length === 0).length
  await vi.waitFor(() => expect(places()).toBe(2), 20_000)
  const full = await large()
  expectError(full, 'UNAVAILABLE')
  expect(full.headers.get('retry-after')).toMatch(/^\d+$/)
  for (const socket of sockets.splice(0)) socket.destroy()
  await vi.waitFor(async () => void expectSuccess(await large()), 20_000)
})
