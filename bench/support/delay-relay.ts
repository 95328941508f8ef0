import { startTcpRelay } from '../../server/test/support/tcp-relay.ts'
import { serveHelper } from './helper-process.ts'

/** A network in which data to the server at this address take a millisecond in each direction, in a process of its own. */
const { hostname, port } = new URL(process.argv[2] ?? '')
const relay = await startTcpRelay({ host: hostname, port: Number(port || 5432) }, { delayMs: 1 })
serveHelper(relay.port)
