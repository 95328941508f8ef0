import { createServer } from 'node:net'

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
    if (await isFree(port)) return port
  }
  throw new Error(`All ports from ${FIRST} to ${FIRST + COUNT - 1} are in use. End the programs that use them.`)
}

function isFree(port: number): Promise<boolean> {
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
