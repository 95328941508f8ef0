// Loaded into a server with `--import`: writes a line `WORK {…}` to standard output at each signal SIGUSR2. After the first signal it measures the
// bytes that are allocated between two signals, and after the third one, without that measurement, the objects that are created between them.
import { createHook } from 'node:async_hooks'
import { Session } from 'node:inspector/promises'
import { isMainThread } from 'node:worker_threads'

const SAMPLING = {
  // With 8,192 the bytes of a chat differed by a twentieth from run to run.
  samplingInterval: 512,
  includeObjectsCollectedByMajorGC: true,
  includeObjectsCollectedByMinorGC: true,
}

const counts = { promises: 0, timers: 0, controllers: 0, listeners: 0 }

function countObjects() {
  createHook({
    init(_id, type) {
      if (type === 'PROMISE') counts.promises++
      else if (type === 'Timeout') counts.timers++
    },
  }).enable()
  globalThis.AbortController = class extends AbortController {
    constructor() {
      super()
      counts.controllers++
    }
  }
  const { addEventListener } = EventTarget.prototype
  EventTarget.prototype.addEventListener = function (...parameters) {
    counts.listeners++
    return addEventListener.apply(this, parameters)
  }
}

const sizeOf = ({ selfSize, children }) => children.reduce((sum, child) => sum + sizeOf(child), selfSize)

const print = (work) => process.stdout.write(`WORK ${JSON.stringify(work)}\n`)

if (isMainThread) {
  const session = new Session()
  session.connect()
  let signals = 0
  process.on('SIGUSR2', async () => {
    signals += 1
    if (signals > 3) {
      print(counts)
      for (const name of Object.keys(counts)) counts[name] = 0
      return
    }
    const profile = signals > 1 ? (await session.post('HeapProfiler.stopSampling')).profile : undefined
    if (signals < 3) await session.post('HeapProfiler.startSampling', SAMPLING)
    else countObjects()
    print({ bytes: profile && sizeOf(profile.head) })
  })
}
