import { chatBodies } from './chat-bodies.ts'
import { measure } from './measure.ts'
import { type Rig, startRig } from './rig.ts'
import { scoped } from './scoped.ts'

/** What the bare proxy takes of the CPU for a request on the machine that bars in milliseconds are for, in milliseconds. */
const PROXY_THERE = 0.05
const SIZE = { requests: 4_000, seconds: 4 }

/** How many times slower this machine is than that one, for work of this kind; 1 when it is not. */
export const slowerBy = (proxyCpu: number): number => Math.max(1, proxyCpu / PROXY_THERE)

/** As `slowerBy`, measured now. */
export async function slowness({ load, proxy }: Pick<Rig, 'load' | 'proxy'>): Promise<number> {
  const bodies = chatBodies(500)
  const target = { pid: proxy.pid, port: proxy.port, headers: {} }
  await measure(load, target, bodies, SIZE)
  return slowerBy((await measure(load, target, bodies, SIZE)).cpu)
}

/** For those who have nothing else to measure by load. */
export const slownessNow = (): Promise<number> => scoped(async (stack) => slowness(await startRig(stack)))
