import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { vector } from '@electric-sql/pglite-pgvector'
import { PGLiteSocketServer } from '@electric-sql/pglite-socket'
import { ProtocolQueue } from './protocol-queue.ts'
import { WatchedPGlite } from './watched-pglite.ts'

/** Time for commands that share the database to finish when its server stops. */
const COMMANDS_MS = 5_000
const POLL_MS = 20

/** PGlite allocates all buffers at start; the default is 128 MB. */
const SETTINGS = ['shared_buffers=24MB']

/** Runs in the worker thread that embedded.ts starts. */
const { directory, socket: path } = workerData as { directory: string; socket: string }
const startParams = [...WatchedPGlite.defaultStartParams, ...SETTINGS.flatMap((setting) => ['-c', setting])]
const database = new WatchedPGlite({ dataDir: directory, extensions: { vector }, startParams })
await database.waitReady
database.watch((reason) => {
  parentPort?.postMessage({ broken: reason })
  // Ends this thread only, and at once: PGlite would call the dead backend again and again.
  process.exit(1)
})
const server = new PGLiteSocketServer({ db: database, path, maxConnections: 64 })
// The queue of pglite-socket mixes up connections: see protocol-queue.ts.
Object.assign(server, { queryQueue: new ProtocolQueue(database) })
await server.start()

parentPort?.once('message', async () => {
  for (let waited = 0; server.getStats().activeConnections > 0 && waited < COMMANDS_MS; waited += POLL_MS) await sleep(POLL_MS)
  await server.stop()
  await database.close()
  parentPort?.close()
})
parentPort?.postMessage('ready')
