import { parseArgs } from 'node:util'
import { prepareApplication, publishPolicy } from './support/admin.ts'
import { chatBodies } from './support/chat-bodies.ts'
import { measure } from './support/measure.ts'
import { MemorySamples } from './support/memory.ts'
import { exitOnSignals } from './support/own-process.ts'
import { FORTY_RULES } from './support/policy.ts'
import { startGateway, startRig } from './support/rig.ts'
import { scoped } from './support/scoped.ts'

/** Many governed chats in a row: does memory stay, does the userRateLimiter? See README.md. Exits with 1 when memory grows. */
const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '1000000' },
    minutes: { type: 'string', default: '60' },
    postgres: { type: 'string' },
  },
})

/** Growth from the second quarter to the last that still counts as flat, percent. */
const FLAT_PERCENT = 5
const SLICES = 100

async function soak(stack: AsyncDisposableStack): Promise<void> {
  const requests = Number(values.requests)
  const deadline = performance.now() + Number(values.minutes) * 60_000
  const rig = await startRig(stack)
  const { gatehouse, target } = await startGateway(stack, rig, 'soak', { postgres: values.postgres })
  await publishPolicy(gatehouse, FORTY_RULES)
  await prepareApplication(gatehouse)

  const bodies = chatBodies(500)
  const slice = { requests: Math.ceil(requests / SLICES), seconds: 120 }
  const samples = new MemorySamples(gatehouse.pid)
  let done = 0
  console.log('requests\tMB\ta second\tCPU ms each\tp99 ms')
  while (done < requests && performance.now() < deadline) {
    const round = await measure(rig.load, target, bodies, slice)
    done += round.answers
    const line = [done, samples.take(done).toFixed(0), round.rate.toFixed(0), round.cpu.toFixed(3), round.p99.toFixed(1)]
    console.log(line.join('\t'))
  }
  const { growthPercent, slopePerMillion, last } = samples
  console.log(`${last.toFixed(0)} MB after ${done} requests; second quarter to last: ${growthPercent.toFixed(1)} %;`)
  console.log(`slope over the second half: ${slopePerMillion.toFixed(1)} MB per million requests`)
  process.exitCode = growthPercent <= FLAT_PERCENT ? 0 : 1
}

exitOnSignals()
await scoped(soak)
