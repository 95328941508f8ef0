import { type AddressInfo, connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { sendEvents } from './event-stream.ts'
import { closeStalledConnections } from './stalled-clients.ts'

const STALL_MS = 300
const LARGE = 'x'.repeat(20_000_000)
let app: FastifyInstance
beforeAll(async () => {
  app = fastify()
  closeStalledConnections(app, STALL_MS)
  app.get('/large', async () => LARGE)
  app.get('/stream', (_, reply) => sendEvents(reply, LARGE.match(/.{1,100000}/g) ?? []))
  app.get('/large-and-late', async () => {
    await sleep(STALL_MS * 3)
    return LARGE
  })
  app.get('/late', async () => {
    await sleep(STALL_MS * 3)
    return 'here it is'
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(() => app.close())

const port = () => (app.server.address() as AddressInfo).port
const connections = (): Promise<number> => new Promise((resolve) => app.server.getConnections((_, count) => resolve(count)))
const request = (path: string): Socket => {
  const socket = connect(port(), '127.0.0.1')
  socket.on('error', () => {})
  socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`)
  return socket
}

describe('stalled clients', () => {
  test.each(['/large', '/large-and-late', '/stream'])('connection is closed when the client stops reading %s', async (path) => {
    const socket = request(path).pause()
    await vi.waitFor(async () => expect(await connections()).toBe(1), 20_000)
    await vi.waitFor(async () => expect(await connections()).toBe(0), { timeout: 20_000, interval: 20 })
    socket.destroy()
  })
  test('connection stays open when the client reads slowly', async () => {
    let bytes = 0
    const socket = request('/large')
    for await (const chunk of socket) {
      bytes += chunk.length
      if (bytes < 3_000_000) await sleep(2)
      if (bytes >= LARGE.length) break
    }
    expect(bytes).toBeGreaterThanOrEqual(LARGE.length)
  })
  test('connection stays open while the response has not started', async () => {
    const response = await fetch(`http://127.0.0.1:${port()}/late`)
    expect(await response.text()).toBe('here it is')
  })
})
