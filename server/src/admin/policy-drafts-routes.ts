import { Type } from 'typebox'
import { assess } from '../classification/risk.ts'
import { scan } from '../classification/scan.ts'
import { DEFAULT_SETTINGS } from '../domain/principal.ts'
import { type PolicyError, parsePolicySet } from '../policy/parse.ts'
import { type PolicyTest, readPolicyTests, runCases, type TestReport, type TestTools } from '../policy/policy-test.ts'
import type { AdminApp, AdminDeps } from './admin-deps.ts'
import { inWorkspace } from './operation.ts'
import { Source, SourceBody } from './policy-shapes.ts'
import { policySetOf } from './policy-source.ts'
import { nullable } from './shapes.ts'
import { TRIAL_ERRORS } from './trials.ts'

const count = Type.Integer({ minimum: 0 })

const Problem = Type.Object({
  line: Type.Integer({ minimum: 1 }),
  column: Type.Integer({ minimum: 1 }),
  field: Type.String({ description: 'Path of the field; empty for the document as a whole.' }),
  message: Type.String(),
})

const CheckView = Type.Object({
  object: Type.Literal('policy_check'),
  ok: Type.Boolean({ description: 'It can be published.' }),
  name: nullable(Type.String()),
  rules: count,
  tests: { ...count, description: 'Cases that stand in the document.' },
  errors: Type.Array(Problem),
})

const TestBody = Type.Object({
  source: Source,
  files: Type.Optional(
    Type.Record(Type.String({ maxLength: 500 }), Type.String({ maxLength: 1_048_576 }), {
      description: 'Files that the document names under `tests:`, by those names.',
    }),
  ),
})

const file = nullable(Type.String({ description: 'null: the document itself.' }))
const TestRunView = Type.Object({
  object: Type.Literal('policy_test_run'),
  ok: Type.Boolean({ description: 'All passed, nothing is missing, and there was something to run.' }),
  passed: count,
  failed: count,
  results: Type.Array(
    Type.Object({
      file,
      name: Type.String(),
      line: Type.Integer({ minimum: 1 }),
      ok: Type.Boolean(),
      failures: Type.Array(Type.String(), { description: 'One for each expectation that was not met.' }),
    }),
  ),
  missing: Type.Array(Type.String(), { description: 'Files that the document names and nobody has sent.' }),
  errors: Type.Array(Type.Object({ file: Type.String(), ...Problem.properties }), {
    description: 'Of files that cannot be run.',
  }),
})

const docs = {
  check: inWorkspace('checkPolicySet', 'What publishing a document would say', {
    scope: 'policies:read',
    query: {},
    body: SourceBody,
    answers: { 200: CheckView },
  }),
  test: inWorkspace('testPolicySet', 'Run the tests of a document', {
    scope: 'policies:read',
    description: 'Cases under `tests:` run as they stand; files named there are run if they are sent along.',
    query: {},
    body: TestBody,
    answers: { 200: TestRunView },
    errors: TRIAL_ERRORS,
  }),
}

/** A document before it is published: is it valid, and does it do what its tests say? Nothing is stored. */
export function policyDraftsRoutes(app: AdminApp, { detectors, detectorBudgetMs: budgetMs, trials }: AdminDeps): void {
  const tools: TestTools = {
    detect: (text) => scan([text], { detectors, budgetMs }).counts,
    assess: (findings) => assess(findings, { classification: DEFAULT_SETTINGS.default_classification, risk: 'low' }),
  }

  app.post('/policy-sets/check', { schema: docs.check }, async ({ body }) => {
    const parsed = parsePolicySet(body.source)
    if (!parsed.ok) return { object: 'policy_check', ok: false, name: null, rules: 0, tests: 0, errors: [...parsed.errors] }
    const { name, rules, cases } = policySetOf(body.source)
    return { object: 'policy_check', ok: true, name, rules: rules.length, tests: cases.length, errors: [] }
  })

  app.post('/policy-sets/test', { schema: docs.test }, async ({ body: { source, files = {} } }) => {
    const set = policySetOf(source)
    const sent = set.tests.filter((name) => Object.hasOwn(files, name))
    const missing = set.tests.filter((name) => !sent.includes(name))
    const results: ReturnType<typeof resultView>[] = []
    const errors: ({ file: string } & PolicyError)[] = []
    await trials.run(async (pause) => {
      const run = async (from: string | null, tests: readonly PolicyTest[]): Promise<void> => {
        for (const report of runCases(set, tests, tools)) {
          results.push(resultView(from, report))
          await pause()
        }
      }
      await run(null, set.cases)
      for (const name of sent) {
        const read = readPolicyTests(files[name] ?? '')
        errors.push(...read.errors.map((error) => ({ file: name, ...error })))
        await pause()
        if (read.errors.length === 0) await run(name, read.tests)
      }
    })
    const failed = results.filter(({ ok }) => !ok).length
    const ok = failed + missing.length + errors.length === 0 && results.length > 0
    return { object: 'policy_test_run', ok, passed: results.length - failed, failed, results, missing, errors }
  })
}

const resultView = (from: string | null, { name, line, failures }: TestReport) => ({
  file: from,
  name,
  line,
  ok: failures.length === 0,
  failures: [...failures],
})
