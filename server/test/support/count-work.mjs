// Loaded into a server with `--import`: writes a line `WORK {…}` to standard output at each signal SIGUSR2 but the first, with the work
// since the signal before: first the bytes that were allocated, then, without that measurement, the objects that were created.
import { createHook } from 'node:async_hooks'
import { Session } from 'node:inspector/promises'
import { isMainThread } from 'node:worker_threads'

const SAMPLING = {
  samplingInterval: 8_192,
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
  let signals = 0
  process.on('SIGUSR2', async () => {
    signals += 1
    if (signals === 1) {
      session.connect()
      await session.post('HeapProfiler.startSampling', SAMPLING)
      print({})
    } else if (signals === 2) {
      const { profile } = await session.post('HeapProfiler.stopSampling')
      session.disconnect()
      countObjects()
      print({ bytes: sizeOf(profile.head) })
    } else {
      print(counts)
      for (const name of Object.keys(counts)) counts[name] = 0
    }
  })
}
