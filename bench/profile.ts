import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { publishPolicy, raiseLimits } from './support/admin.ts'
import { chatBodies } from './support/chat-bodies.ts'
import { type CpuProfile, type SelfTime, selfTimes } from './support/cpu-profile.ts'
import { measure } from './support/measure.ts'
import { exitOnSignals } from './support/own-process.ts'
import { FORTY_RULES } from './support/policy.ts'
import { startGateway, startRig } from './support/rig.ts'

/** Where the gateway's CPU goes under the benchmark's load: self time by module and by function, each thread apart. */
const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '20000' },
    top: { type: 'string', default: '25' },
    postgres: { type: 'string' },
    /** Keeps the raw profiles there, for a viewer. */
    keep: { type: 'string' },
  },
})

const WARM = { requests: 3_000, seconds: 20 }

exitOnSignals()
await using rig = await startRig()
const folder = values.keep ?? join(rig.folder, 'profiles')
await mkdir(folder, { recursive: true })
const nodeArgs = ['--cpu-prof', `--cpu-prof-dir=${folder}`, '--cpu-prof-interval=500']
await using gateway = await startGateway(rig, 'profile', { postgres: values.postgres, nodeArgs })
await publishPolicy(gateway.gatehouse, FORTY_RULES)
await raiseLimits(gateway.gatehouse)

const bodies = chatBodies(500)
await measure(rig.load, gateway.target, bodies, WARM)
const from = performance.now()
const round = await measure(rig.load, gateway.target, bodies, { requests: Number(values.requests), seconds: 120 })
await gateway.gatehouse.stop()
const lastMs = performance.now() - from
console.log(
  `${round.answers} requests, ${round.cpu.toFixed(3)} ms CPU each (with the profiler), ${round.mainCpu.toFixed(3)} on the event loop`,
)

const show = (times: readonly SelfTime[]) => {
  for (const { name, ms } of times.slice(0, Number(values.top))) {
    console.log(`${((ms * 1_000) / round.answers).toFixed(1).padStart(8)} µs  ${name}`)
  }
}
for (const file of (await readdir(folder)).filter((name) => name.endsWith('.cpuprofile')).sort()) {
  const profile = JSON.parse(await readFile(join(folder, file), 'utf8')) as CpuProfile
  const { total, modules, functions } = selfTimes(profile, { lastMs })
  console.log(`\n${file}: ${((total * 1_000) / round.answers).toFixed(1)} µs per request\n  by module`)
  show(modules)
  console.log('  by function')
  show(functions)
}
