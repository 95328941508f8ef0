import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { prepareApplication, publishPolicy } from './support/admin.ts'
import { chatBodies } from './support/chat-bodies.ts'
import { type CpuProfile, type SelfTime, selfTimes } from './support/cpu-profile.ts'
import { measure } from './support/measure.ts'
import { exitOnSignals } from './support/own-process.ts'
import { FORTY_RULES } from './support/policy.ts'
import { startGateway, startRig } from './support/rig.ts'
import { scoped } from './support/scoped.ts'

/** Profiles the gateway's CPU time under the load of the benchmark: self time by module and by function for each thread. */
const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '20000' },
    top: { type: 'string', default: '25' },
    postgres: { type: 'string' },
    /** Folder in which the raw profiles are stored, for a viewer. */
    keep: { type: 'string' },
  },
})

const WARM = { requests: 3_000, seconds: 20 }

async function profile(stack: AsyncDisposableStack): Promise<void> {
  const rig = await startRig(stack)
  const folder = values.keep ?? join(rig.folder, 'profiles')
  await mkdir(folder, { recursive: true })
  const nodeArgs = ['--cpu-prof', `--cpu-prof-dir=${folder}`, '--cpu-prof-interval=500']
  const { gatehouse, target } = await startGateway(stack, rig, 'profile', { postgres: values.postgres, nodeArgs })
  await publishPolicy(gatehouse, FORTY_RULES)
  await prepareApplication(gatehouse)

  const bodies = chatBodies(500)
  await measure(rig.load, target, bodies, WARM)
  const from = performance.now()
  const { answers, cpu, mainCpu } = await measure(rig.load, target, bodies, { requests: Number(values.requests), seconds: 120 })
  await gatehouse.stop()
  const lastMs = performance.now() - from

  console.log(`${answers} requests, ${cpu.toFixed(3)} ms CPU each (with the profiler), ${mainCpu.toFixed(3)} on the event loop`)
  for (const file of (await readdir(folder)).filter((name) => name.endsWith('.cpuprofile')).sort()) {
    const { total, owners, modules, functions } = selfTimes(
      JSON.parse(await readFile(join(folder, file), 'utf8')) as CpuProfile,
      lastMs,
    )
    console.log(`\n${file}: ${micros(total, answers)} per request`)
    for (const [name, times] of Object.entries({ owners, modules, functions })) {
      console.log(`  by ${name}\n${list(times, answers)}`)
    }
  }
}

const micros = (ms: number, answers: number): string => `${((ms * 1_000) / answers).toFixed(1).padStart(8)} µs`

const list = (times: readonly SelfTime[], answers: number): string =>
  times
    .slice(0, Number(values.top))
    .map(({ name, ms }) => `${micros(ms, answers)}  ${name}`)
    .join('\n')

exitOnSignals()
await scoped(profile)
