import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { EventReader } from '../../../bench/support/event-reader.ts'
import { emit } from '../../src/domains/messaging/events/event.ts'
import { EventHub } from '../../src/domains/messaging/events/event-hub.ts'
import { EventRelay } from '../../src/domains/messaging/events/event-relay.ts'
import type { Database } from '../../src/platform/db/database.ts'
import { closeAfterAll } from '../support/close-after-all.ts'
import { testDatabases } from '../support/database.ts'
import { seedWorkspace } from '../support/seed.ts'

const fail = (error: Error): void => {
  throw error
}

/** Starts a node with its own relay and hub on the shared database. The bearer token is the user's id. */
async function startNode(database: Database, workspaceId: string, heartbeatMs?: number) {
  const relay = new EventRelay({ ...database, onError: fail })
  const hub = new EventHub({ ...database, onError: fail, ...(heartbeatMs !== undefined && { heartbeatMs }) })
  const server: Server = createServer((request, response) => {
    const after = request.headers['last-event-id']
    const opening = {
      member: { workspaceId, user: { id: request.headers.authorization?.slice(7) ?? '' } as never },
      after: after === undefined ? undefined : Number(after),
      isAuthorized: async () => true,
    }
    void hub.open(response, opening, () => response.writeHead(200, { 'content-type': 'text/event-stream' }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    relay,
    listen: (token: string, lastEventId?: number) => EventReader.open({ base: `http://127.0.0.1:${port}`, token, lastEventId }),
    close: async () => {
      hub.close()
      await relay.close()
      server.closeAllConnections()
      server.close()
    },
  }
}

describe.each(testDatabases())('streams of events on $name', async ({ open }) => {
  const database = await closeAfterAll(open())
  const workspaceId = (await seedWorkspace(database.db)).workspaceId
  const node = await closeAfterAll(startNode(database, workspaceId))

  const write = async (ids: readonly string[], audience: readonly string[], filler = ''): Promise<void> => {
    const event = { workspaceId, type: 'message.created', audience } as const
    const events = ids.map((id) => ({ ...event, payload: { id, filler } }))
    await database.db.transaction().execute((tx) => emit(tx, ...events))
    node.relay.wake()
  }
  const idsIn = ({ events }: EventReader): string[] => events.map(({ data }) => JSON.parse(data).id)
  const having = (id: string) => (event: { data: string }) => JSON.parse(event.data).id === id

  test('event streams: reader gets every event once and in order when it resumes during writes', async () => {
    const ids = Array.from({ length: 200 }, (_, i) => `r${i}`)
    const start = await node.listen('ann')
    const readers = [start]
    for (let at = 0; at < ids.length; at += 5) {
      await write(ids.slice(at, at + 5), ['ann'])
      // The reader may be disconnected while it still catches up.
      if (at % 20 === 0) {
        const before = readers.at(-1) as EventReader
        before.close()
        readers.push(await node.listen('ann', before.position))
      }
    }
    await readers.at(-1)?.until(having('r199'))
    expect(readers.flatMap(idsIn)).toEqual(ids)
    for (const reader of readers) reader.close()
  })

  test('event streams: node sends an event to its readers when another node has relayed it', async () => {
    const other = await startNode(database, workspaceId)
    const reader = await other.listen('bob')
    await write(['from afar'], ['bob'])
    await reader.until(having('from afar'))
    await other.close()
  })

  test('event streams: heartbeat moves the position past events for other users', async () => {
    const beating = await startNode(database, workspaceId, 20)
    const [reader, other] = [await beating.listen('ann'), await beating.listen('bob')]
    const from = reader.position as number
    await write(['for bob'], ['bob'])
    await other.until(having('for bob'))
    await expect.poll(() => reader.position).toBe(from + 1)
    expect(reader.events).toEqual([])
    expect(reader.comments).toBeGreaterThan(0)
    await beating.close()
  })

  test('event streams: reader that stops reading is disconnected, delays no other reader, and resumes without loss', {
    timeout: 240_000,
  }, async () => {
    const ids = Array.from({ length: 120 }, (_, i) => `b${i}`)
    const socket = connect(node.port, '127.0.0.1')
    socket.on('error', () => {})
    socket.write('GET / HTTP/1.1\r\nhost: x\r\nauthorization: Bearer sloth\r\n\r\n')
    const from = await new Promise<number>((resolve) => {
      let head = ''
      socket.on('data', function read(bytes) {
        head += bytes
        const place = /^id: (\d+)\n/m.exec(head)?.[1]
        if (place === undefined) return
        socket.off('data', read).pause()
        resolve(Number(place))
      })
    })
    const quick = await node.listen('hare')
    const filler = 'x'.repeat(100_000)
    // Each event is written after the quick reader has the previous one, so that it never falls behind on a slow machine.
    const has = (reader: EventReader, count: number) =>
      expect.poll(() => reader.events.length, { timeout: 60_000, interval: 5 }).toBeGreaterThanOrEqual(count)
    for (const [at, id] of ids.entries()) {
      await write([id], ['sloth', 'hare'], filler)
      await has(quick, at + 1)
    }
    expect(idsIn(quick)).toEqual(ids)
    let received = 0
    socket.on('data', (bytes) => {
      received += bytes.length
    })
    socket.resume()
    await once(socket, 'close')
    expect(received).toBeLessThan(ids.length * filler.length)
    // The resumed reader is slow as well and gets only as much as it reads.
    const again = await node.listen('sloth', from)
    await has(again, ids.length)
    expect(idsIn(again)).toEqual(ids)
    for (const reader of [quick, again]) reader.close()
  })

  test('event streams: other readers get their events when a reader disconnects before its stream starts', async () => {
    const socket = connect(node.port, '127.0.0.1')
    socket.write('GET / HTTP/1.1\r\nhost: x\r\nauthorization: Bearer gone\r\n\r\n')
    socket.destroy()
    await sleep(50)
    const reader = await node.listen('ann')
    await write(['still here'], ['ann', 'gone'])
    await reader.until(having('still here'))
    reader.close()
  })
})
