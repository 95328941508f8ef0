import { parseArgs } from 'node:util'
import { CelScalar, celEnv, celFunc, parse, plan } from '@bufbuild/cel'
import { RE2JS } from '@bufbuild/re2'
import { countFindings } from '../server/src/domain/finding.ts'
import { ANONYMOUS_USER, DEFAULT_SETTINGS } from '../server/src/domain/principal.ts'
import { elapsed, systemClock } from '../server/src/lib/clock.ts'
import { type CompiledPolicy, compile } from '../server/src/policy/compile.ts'
import { rankOf } from '../server/src/policy/condition/rank.ts'
import { evaluate } from '../server/src/policy/evaluate.ts'
import type { PolicyInput } from '../server/src/policy/input.ts'
import { parsePolicySet } from '../server/src/policy/parse.ts'
import type { PolicySet } from '../server/src/policy/policy.ts'
import { FORTY_RULES } from './support/policy.ts'
import { type Spread, spread } from './support/statistics.ts'
import { passes, type Row, toMarkdown, writeBetweenMarks } from './support/table.ts'

/** Measures the CPU time of forty rules: `scripts/run node bench/policies.ts [--write]`, see README.md. Exits with 1 when a bar is missed. */
const { values } = parseArgs({ options: { write: { type: 'boolean', default: false } } })

const ROUNDS = 9
const ROUND_MS = 150
const SENTENCE = 'Please look into the quarterly report and tell me what Jane thinks about moving our goods to Berlin.'

/** Measures the duration of a call in microseconds, after a warm-up. The spread is over rounds. */
function microseconds(call: () => unknown): Spread {
  const round = (): number => {
    const started = elapsed()
    let calls = 0
    for (; elapsed() - started < ROUND_MS; calls++) call()
    return ((elapsed() - started) / calls) * 1_000
  }
  round()
  return spread(Array.from({ length: ROUNDS }, round))
}

/** Moves all forty rules to the point output, where every name in their conditions is known. */
function atOnePoint(set: PolicySet): PolicySet {
  return { ...set, rules: set.rules.map((rule) => ({ ...rule, at: ['output'] as const })) }
}

const compiled = (set: PolicySet): CompiledPolicy => compile(set, { id: 'pol_bench', name: set.name, version: 1, sha256: '' })

/** A policy input as for a new request, so that nothing is cached. */
const input = (text: string): PolicyInput => ({
  user: { ...ANONYMOUS_USER, id: 'u1', role: 'analyst', department: 'research', attributes: { projects: ['atlas'] } },
  application: { id: 'app_1', name: 'assistant', settings: DEFAULT_SETTINGS },
  request: {
    endpoint: 'chat',
    model: 'small',
    sessionId: '',
    stream: false,
    dryRun: false,
    messageCount: 3,
    tokens: 75,
    maxTokens: 0,
  },
  content: { text, classification: 'internal', riskLevel: 'low', findings: countFindings([]) },
  response: { model: 'small', provider: 'own', finishReason: 'stop', tokens: 20 },
  now: systemClock.now(),
})

/** Measures the same conditions with the CEL library alone. Regular expressions are compiled once. */
function measureLibrary(set: PolicySet, text: string): Spread {
  const patterns = new Map<string, RE2JS>()
  const pattern = (source: string): RE2JS => {
    const known = patterns.get(source) ?? RE2JS.compile(source)
    patterns.set(source, known)
    return known
  }
  const rank = celFunc('rank', [CelScalar.STRING], CelScalar.INT, (word) => BigInt(rankOf(word)))
  const cel = celEnv({ funcs: [rank], re2: { compile: pattern } })
  const plans = set.rules.map(({ when }) => plan(cel, parse(when)))
  const { user, application, request, response } = input(text)
  const findings = new Map(Object.entries(countFindings([])).map(([name, count]) => [name, BigInt(count)]))
  const now = plan(cel, parse('timestamp(text)'))({ text: systemClock.now().toISOString() })
  const bindings = {
    user,
    application,
    now,
    request: { ...request, tokens: BigInt(request.tokens), message_count: BigInt(request.messageCount), max_tokens: 0n },
    content: { text, findings, classification: 'internal', risk_level: 'low' },
    response: { ...response, finish_reason: 'stop', tokens: 20n },
  }
  return microseconds(() => {
    for (const evaluatePlan of plans) evaluatePlan(bindings as unknown as Parameters<typeof evaluatePlan>[0])
  })
}

const parsed = parsePolicySet(FORTY_RULES)
if (!parsed.ok) throw new Error('the forty rules are not valid')
const set = atOnePoint(parsed.set)
const policy = compiled(set)
const text = (length: number): string => SENTENCE.repeat(Math.ceil(length / SENTENCE.length)).slice(0, length)
const measureGatehouse = (length: number): Spread => {
  const content = text(length)
  return microseconds(() => evaluate(policy, 'output', input(content)))
}

const µs = { unit: ' µs', digits: 1 }
const rows: Row[] = [
  { what: '40 rules over 100 characters', ...µs, bar: 100, aim: 30, measured: measureGatehouse(100) },
  { what: '40 rules over 1,000 characters', ...µs, bar: 100, aim: 30, measured: measureGatehouse(1_000) },
  { what: '40 rules over 1,000,000 characters', ...µs, measured: measureGatehouse(1_000_000) },
  { what: 'the same conditions by the CEL library alone, 100 characters', ...µs, measured: measureLibrary(set, text(100)) },
  { what: 'the same, 1,000 characters', ...µs, measured: measureLibrary(set, text(1_000)) },
  { what: 'reading, checking and compiling the document', ...µs, measured: microseconds(() => parsePolicySet(FORTY_RULES)) },
]
const table = toMarkdown(rows)
console.log(table)
if (values.write) writeBetweenMarks(new URL('./README.md', import.meta.url), 'policies', `\n${table}\n`)
if (!rows.every(passes)) process.exitCode = 1
