import { chatBodies } from './chat-bodies.ts'
import { measure } from './measure.ts'
import { startRig } from './rig.ts'
import { scoped } from './scoped.ts'

/** CPU time of the bare proxy for a request on the reference machine of the bars, in milliseconds. */
const REFERENCE_PROXY_CPU = 0.05
const SIZE = { requests: 4_000, seconds: 4 }

/** How many times slower this machine is than the reference machine; at least 1. */
export const slowerBy = (proxyCpu: number): number => Math.max(1, proxyCpu / REFERENCE_PROXY_CPU)

/** Measures `slowerBy` with its own proxy and load generator. */
export const slownessNow = (): Promise<number> =>
  scoped(async (stack) => {
    const { load, proxy } = await startRig(stack)
    const bodies = chatBodies(500)
    const target = { pid: proxy.pid, port: proxy.port, headers: {} }
    await measure(load, target, bodies, SIZE)
    return slowerBy((await measure(load, target, bodies, SIZE)).cpu)
  })
