import { connect, createServer, type Socket } from 'node:net'

/** A relay before a server on this machine that can fall silent as a network does: sockets stay open, and nothing comes through. */
export async function startTcpRelay(target: { host: string; port: number }) {
  const pairs = new Set<{ client: Socket; server: Socket | undefined }>()
  let isSilent = false
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
    if (server) client.pipe(server).pipe(client)
  })
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve))
  return {
    port: (relay.address() as { port: number }).port,
    /** From now on nothing comes through, on old connections or new ones; nobody is told. */
    silence: (): void => {
      isSilent = true
      for (const { client, server } of pairs) {
        client.unpipe()
        server?.unpipe()
        client.resume()
        server?.resume()
      }
    },
    /** New connections work again; those from before stay silent for ever. */
    restore: (): void => {
      isSilent = false
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
