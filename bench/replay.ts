import { monitorEventLoopDelay } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import { compile } from '../server/src/domains/policy/compile.ts'
import { createPause } from '../server/src/domains/policy/evaluation-limiter.ts'
import { parsePolicySet } from '../server/src/domains/policy/parse.ts'
import { replay } from '../server/src/pipeline/replay/run-replay.ts'
import { elapsed, systemClock } from '../server/src/platform/lib/clock.ts'
import { slowness } from '../server/test/support/classification/machine-speed.ts'
import { startAuditRig } from './support/audit-rig.ts'
import { FORTY_RULES } from './support/policy.ts'
import { spread } from './support/statistics.ts'
import { passes, type Row, toMarkdown, writeBetweenMarks } from './support/table.ts'

/** Measures the replay of 10,000 records against a draft: `scripts/run node bench/replay.ts [--postgres URL] [--write]`, see README.md. */
const { values } = parseArgs({ options: { postgres: { type: 'string' }, write: { type: 'boolean', default: false } } })

const RECORDS = 10_000
const ROUNDS = 3
const ROLES = ['engineer', 'lead', 'intern', 'analyst']

/** The rules with changed conditions, so that each is evaluated on the stored values. Three of them have another threshold. */
const DRAFT_RULES = FORTY_RULES.replace('request.tokens > 30000', 'request.tokens >= 29000')
  .replace('request.tokens > 4000', 'request.tokens > 3900 || request.stream')
  .replace('content.findings.pii > 20', 'content.findings.pii > 1 && !user.verified')
  .replaceAll(/when: "((?:[^"\\]|\\.)*)"/g, (rule, when: string) =>
    /content\.text/.test(when) ? rule : `when: "true && (${when})"`,
  )

const started = systemClock.now().getTime() - RECORDS * 10
const special = (index: number) => ({
  role: ROLES[index % ROLES.length] ?? '',
  tokens: index % 100 === 0 ? 29_500 : index % 50 === 2 ? 3_950 : 200,
  emails: index % 40 === 3 ? 2 : index % 10 === 5 ? 1 : 0,
  at: new Date(started + index * 10),
})
const changes = (index: number): boolean => {
  const { role, tokens, emails } = special(index)
  return tokens === 29_500 || (role === 'intern' && tokens === 3_950) || emails === 2
}
const expected = Array.from({ length: RECORDS }, (_, index) => index).filter(changes).length

const parsed = parsePolicySet(DRAFT_RULES)
if (!parsed.ok) throw new Error(JSON.stringify(parsed.errors))
const draft = compile(parsed.set, { id: '', name: 'draft', version: 0, sha256: '' })
const rig = await startAuditRig(values.postgres, FORTY_RULES, RECORDS, special)

const seconds: number[] = []
const work: number[] = []
const pauses = monitorEventLoopDelay({ resolution: 1 })
try {
  for (let round = 0; round < ROUNDS; round++) {
    pauses.enable()
    const before = elapsed()
    const cpu = process.cpuUsage()
    const result = await replay(rig.db, rig.workspaceId, {
      draft,
      last: RECORDS,
      filter: {},
      hasher: rig.hasher,
      pause: createPause(),
    })
    seconds.push((elapsed() - before) / 1_000)
    const { user, system } = process.cpuUsage(cpu)
    work.push((user + system) / 1e6)
    pauses.disable()
    const { records, changed, unchanged, notReplayed } = result
    console.log({ records, changed, unchanged, notReplayed, expected })
    if (changed !== expected || records !== RECORDS || notReplayed > 0)
      throw new Error('the replay did not report the expected differences')
  }
} finally {
  await rig[Symbol.asyncDispose]()
}
const rows: Row[] = [
  { what: `${RECORDS} records against a draft of forty rules`, unit: ' s', digits: 2, bar: 5, measured: spread(seconds) },
  { what: 'processor time of it, without the database', unit: ' s', digits: 2, measured: spread(work) },
  { what: 'the longest that others had to wait', unit: ' ms', digits: 0, measured: pauses.max / 1e6 },
  { what: 'this machine, compared with the one that bars are for', unit: '×', digits: 1, measured: slowness() },
]
const table = toMarkdown({ [values.postgres === undefined ? 'embedded' : 'PostgreSQL']: rows })
console.log(table)
if (values.write) writeBetweenMarks(new URL('./README.md', import.meta.url), 'replay', `\n${table}\n`)
if (!rows.every(passes)) process.exitCode = 1
