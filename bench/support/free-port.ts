import { createServer } from 'node:net'
import { platform } from 'node:os'

/**
 * Below the ports that systems assign by themselves, on Linux from 32,768: those may be assigned again before a process listens.
 * Above 10080, which `fetch` refuses.
 */
const FIRST = 11_000
const COUNT = 21_000
/** Processes that run at the same time begin at different ports. */
let tried = process.pid * 101

/** A port of 127.0.0.1 on which nothing listens. Each call returns another one. Throws if all are in use. */
export async function freePort(): Promise<number> {
  for (let left = COUNT; left > 0; left--) {
    const port = FIRST + (tried++ % COUNT)
    if (await takePort(port)) return port
  }
  throw new Error(`All ports from ${FIRST} to ${FIRST + COUNT - 1} are in use. End the programs that use them.`)
}

/**
 * Takes a port until this process ends, so that no other process gets it from `freePort` before a server listens on it. Returns false if
 * another process has taken it or listens on it. Taken ports are known on Linux only.
 */
export async function takePort(port: number): Promise<boolean> {
  // The kernel removes an abstract socket with its process.
  if (platform() === 'linux' && !(await listens(`\0gatehouse-port-${port}`))) return false
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}

function listens(path: string): Promise<boolean> {
  const server = createServer().unref()
  return new Promise((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(path, () => resolve(true))
  })
}
