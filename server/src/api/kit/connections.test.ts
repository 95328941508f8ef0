import { type AddressInfo, connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { watchConnections } from './connections.ts'
import { finishEvents, sendEvents, startEvents } from './event-stream.ts'

const STALL_MS = 300
const LARGE = 'x'.repeat(20_000_000)
let app: FastifyInstance
beforeAll(async () => {
  app = await listen(STALL_MS)
})
afterAll(() => app.close())

async function listen(stallMs: number): Promise<FastifyInstance> {
  const app = fastify()
  watchConnections(app, stallMs)
  app.get('/large', async () => LARGE)
  app.get('/stream', (_, reply) => sendEvents(reply, LARGE.match(/.{1,100000}/g) ?? []))
  app.get('/paused-stream', async (_, reply) => {
    const raw = startEvents(reply)
    raw.write('the beginning, ')
    await sleep(STALL_MS * 3)
    await finishEvents(raw, ['and the end'])
  })
  app.get('/large-and-late', async () => {
    await sleep(STALL_MS * 3)
    return LARGE
  })
  app.get('/late', async () => {
    await sleep(STALL_MS * 3)
    return 'here it is'
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  return app
}

const connections = (): Promise<number> => new Promise((resolve) => app.server.getConnections((_, count) => resolve(count)))
const request = (path: string, { server } = app): Socket => {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
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
    const stallMs = 1_500
    const slow = await listen(stallMs)
    const startedAt = performance.now()
    let bytes = 0
    for await (const chunk of request('/large', slow)) {
      bytes += chunk.length
      if (performance.now() - startedAt < 1.5 * stallMs) await sleep(10)
      if (bytes >= LARGE.length) break
    }
    expect(bytes).toBeGreaterThanOrEqual(LARGE.length)
    expect(performance.now() - startedAt).toBeGreaterThan(stallMs)
    await slow.close()
  })
  test('connection stays open while a stream has begun and the client has read all of it [GW-WIN-1]', async () => {
    const response = await fetch(`http://127.0.0.1:${(app.server.address() as AddressInfo).port}/paused-stream`)
    expect(await response.text()).toBe('the beginning, and the end')
  })
  test('connection stays open while the response has not started', async () => {
    const response = await fetch(`http://127.0.0.1:${(app.server.address() as AddressInfo).port}/late`)
    expect(await response.text()).toBe('here it is')
  })
})
