import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import pg from 'pg'
import type { Database } from '../../src/platform/db/database.ts'

/** The fate of a packet: it arrives, it is lost, or it arrives and is executed but its response is lost. */
export type PacketOutcome = 'arrives' | 'is lost' | 'response is lost'

/**
 * Opens a pool whose connections pass a relay. The relay calls `decide` for every packet that the client sends, and closes the
 * connection unless the packet arrives.
 */
export async function openFlakyPool(
  database: Database,
  decide: (packet: Buffer) => PacketOutcome,
): Promise<pg.Pool & { close(): Promise<void> }> {
  const { options } = database.pool
  const url = options.connectionString ? new URL(options.connectionString) : undefined
  const target = url
    ? { host: url.hostname, port: Number(url.port || 5432) }
    : { path: join(options.host ?? '', `.s.PGSQL.${options.port}`) }
  const open = new Set<Socket>()
  const relay = createServer((client) => {
    const server = connect(target)
    const cut = () => {
      client.destroy()
      server.destroy()
    }
    let forwardsResponses = true
    for (const socket of [client, server]) {
      open.add(socket)
      socket.on('error', cut).on('close', cut)
    }
    client.on('data', (packet) => {
      const outcome = forwardsResponses ? decide(packet) : 'arrives'
      if (outcome === 'is lost') return cut()
      if (outcome === 'response is lost') forwardsResponses = false
      server.write(packet)
    })
    server.on('data', (packet) => (forwardsResponses ? client.write(packet) : cut()))
  })
  const port = await new Promise<number>((resolve) => {
    relay.listen(0, '127.0.0.1', () => resolve((relay.address() as { port: number }).port))
  })
  const pool = new pg.Pool({
    host: '127.0.0.1',
    port,
    user: url?.username || options.user,
    database: url?.pathname.slice(1) || options.database,
    password: url?.password || undefined,
    types: options.types,
    max: 4,
    connectionTimeoutMillis: 10_000,
  })
  pool.on('error', () => {}).on('connect', (client) => client.on('error', () => {}))
  const close = async () => {
    for (const socket of open) socket.destroy()
    await Promise.all([pool.end(), new Promise((resolve) => relay.close(resolve))])
  }
  return Object.assign(pool, { close })
}
