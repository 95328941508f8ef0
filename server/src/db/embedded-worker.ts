import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { vector } from '@electric-sql/pglite-pgvector'
import { PGLiteSocketServer } from '@electric-sql/pglite-socket'
import { ProtocolQueue } from './protocol-queue.ts'
import { WatchedPGlite } from './watched-pglite.ts'

/** How long the guests of the socket, commands that share the database, get to finish when its owner ends. */
const GUESTS_MS = 5_000
const POLL_MS = 20

/** PGlite keeps all of its buffers in memory from the start; PostgreSQL's default is 128 MB. */
const SETTINGS = ['shared_buffers=32MB']

/** Runs inside the worker thread that embedded.ts starts: one PGlite, one socket; without a socket it only creates the database. */
const { directory, socket } = workerData as { directory: string; socket: string | undefined }
const startParams = [...WatchedPGlite.defaultStartParams, ...SETTINGS.flatMap((setting) => ['-c', setting])]
const database = new WatchedPGlite({ dataDir: directory, extensions: { vector }, startParams })
await database.waitReady
database.watch((reason) => {
  parentPort?.postMessage({ broken: reason })
  // Ends this thread only, in the middle of the call: PGlite would go on calling the dead backend without end.
  process.exit(1)
})
if (socket === undefined) await database.close()
else await serve(socket)

async function serve(path: string): Promise<void> {
  const server = new PGLiteSocketServer({ db: database, path, maxConnections: 64 })
  // Its own queue mixes connections up: see protocol-queue.ts.
  Object.assign(server, { queryQueue: new ProtocolQueue(database) })
  await server.start()

  parentPort?.once('message', async () => {
    for (let waited = 0; server.getStats().activeConnections > 0 && waited < GUESTS_MS; waited += POLL_MS) await sleep(POLL_MS)
    await server.stop()
    await database.close()
    parentPort?.close()
  })
  parentPort?.postMessage('ready')
}
