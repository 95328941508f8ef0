import { parseArgs } from 'node:util'
import { prepareApplication, publishPolicy } from './support/admin.ts'
import { conversation } from './support/chat-bodies.ts'
import { measure } from './support/measure.ts'
import { exitOnSignals } from './support/own-process.ts'
import { FORTY_RULES } from './support/policy.ts'
import { startGateway, startRig } from './support/rig.ts'
import { scoped } from './support/scoped.ts'
import { spread } from './support/statistics.ts'

/** What long conversations cost when all their texts are new, and when only the last message is. See README.md. */
const { values } = parseArgs({ options: { postgres: { type: 'string' }, rounds: { type: 'string', default: '5' } } })

const KILOBYTES = [30, 100, 300, 1_000]
const REQUESTS = 10

async function compare(stack: AsyncDisposableStack): Promise<void> {
  const rig = await startRig(stack)
  const { gatehouse, target } = await startGateway(stack, rig, 'conversations', { postgres: values.postgres })
  // The rule against long prompts would deny these.
  await publishPolicy(gatehouse, FORTY_RULES.replace('request.tokens > 30000', 'request.tokens > 3000000'))
  await prepareApplication(gatehouse)
  let seed = 1_000
  const cpuOf = async (bodies: readonly string[]) =>
    (await measure(rig.load, target, bodies, { requests: bodies.length, seconds: 120 }, 1)).cpu
  console.log('KB\tnew, ms\tlater turn, ms\tratio')
  for (const kilobytes of KILOBYTES) {
    const fresh: number[] = []
    const later: number[] = []
    for (let round = 0; round < Number(values.rounds); round++) {
      const history = seed++
      await cpuOf([conversation(kilobytes, history, seed++)])
      const measures = [
        async () => fresh.push(await cpuOf(Array.from({ length: REQUESTS }, () => conversation(kilobytes, seed++, seed++)))),
        async () => later.push(await cpuOf(Array.from({ length: REQUESTS }, () => conversation(kilobytes, history, seed++)))),
      ]
      // Each goes first in every second round, because V8 has compiled more code for the one that follows.
      for (const run of round % 2 === 0 ? measures : measures.toReversed()) await run()
    }
    const ratios = later.map((ms, round) => ms / (fresh[round] ?? 0))
    console.log(
      [kilobytes, ...[fresh, later].map((list) => spread(list).median.toFixed(1)), spread(ratios).median.toFixed(2)].join('\t'),
    )
  }
}

exitOnSignals()
await scoped(compare)
