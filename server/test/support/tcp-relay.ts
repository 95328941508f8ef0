import { connect, createServer, type Socket } from 'node:net'
import { Transform } from 'node:stream'

const NOTIFICATION = 'A'.charCodeAt(0)
/** Type and length of a message. */
const HEAD_BYTES = 5

/** Removes notifications from the messages of a PostgreSQL server while `isActive`, without any other trace. */
function notificationFilter(isActive: () => boolean): Transform {
  let rest: Buffer = Buffer.alloc(0)
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      rest = Buffer.concat([rest, chunk])
      while (rest.length >= HEAD_BYTES) {
        const length = 1 + rest.readUInt32BE(1)
        if (rest.length < length) break
        if (rest[0] !== NOTIFICATION || !isActive()) this.push(rest.subarray(0, length))
        rest = rest.subarray(length)
      }
      done()
    },
  })
}

/** Timers of the same duration keep their order. */
function sendLate(from: Socket, to: Socket, delayMs: number): void {
  from.on('data', (chunk) => setTimeout(() => to.destroyed || to.write(chunk), delayMs))
}

/**
 * Starts a relay to a local server that can drop all data as a broken network does: sockets stay open, but no data passes. `delayMs`: time
 * that data take in each direction.
 */
export async function startTcpRelay(target: { host: string; port: number }, { delayMs = 0 } = {}) {
  const pairs = new Set<{ client: Socket; server: Socket | undefined }>()
  let isSilent = false
  let dropsNotifications = false
  const relay = createServer((client) => {
    const server = isSilent ? undefined : connect(target)
    const pair = { client, server }
    pairs.add(pair)
    const end = (): void => {
      pairs.delete(pair)
      client.destroy()
      server?.destroy()
    }
    for (const socket of [client, server]) socket?.on('error', end).on('close', end)
    if (!server) return
    if (delayMs === 0) {
      client
        .pipe(server)
        .pipe(notificationFilter(() => dropsNotifications))
        .pipe(client)
      return
    }
    sendLate(client.setNoDelay(true), server.setNoDelay(true), delayMs)
    sendLate(server, client, delayMs)
  })
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve))
  return {
    port: (relay.address() as { port: number }).port,
    /** Drops all data of current and new connections from now on, without closing them. */
    silence: (): void => {
      isSilent = true
      for (const { client, server } of pairs) {
        client.unpipe()
        server?.unpipe()
        client.resume()
        server?.resume()
      }
    },
    /** Drops the notifications of a PostgreSQL server from now on; everything else passes. */
    dropNotifications: (): void => {
      dropsNotifications = true
    },
    /** New connections work again; earlier connections never do. */
    restore: (): void => {
      isSilent = false
    },
    /** Closes all current connections at once, as a firewall that restarts does. */
    reset: (): void => {
      for (const { client, server } of pairs) {
        client.destroy()
        server?.destroy()
      }
    },
    close: async (): Promise<void> => {
      for (const { client, server } of pairs) {
        client.destroy()
        server?.destroy()
      }
      await new Promise((resolve) => relay.close(resolve))
    },
  }
}

/** A relay to a PostgreSQL, and the URL that leads through it. */
export async function startDatabaseRelay(databaseUrl: string) {
  const url = new URL(databaseUrl)
  const relay = await startTcpRelay({ host: url.hostname, port: Number(url.port) })
  url.host = `127.0.0.1:${relay.port}`
  return { ...relay, url: url.href }
}
