import { Type } from 'typebox'
import { inWorkspace } from '../../admin/kit/operation.ts'
import { handle, type TypedApp } from '../../http/route.ts'
import { nullable } from '../../http/schemas.ts'
import { EVALUATION_LIMIT_ERRORS, type EvaluationLimiter } from '../evaluation-limiter.ts'
import { type PolicyError, parsePolicySet } from '../parse.ts'
import { type PolicyTest, readPolicyTests, runCases, type TestReport, type TestTools } from '../policy-test.ts'
import { parseSource } from './parse-source.ts'
import { Source, SourceBody } from './policy-shapes.ts'

const count = Type.Integer({ minimum: 0 })

const Problem = Type.Object({
  line: Type.Integer({ minimum: 1 }),
  column: Type.Integer({ minimum: 1 }),
  field: Type.String({ description: 'Path of the field. Empty for the whole document.' }),
  message: Type.String(),
})

const CheckView = Type.Object({
  object: Type.Literal('policy_check'),
  ok: Type.Boolean({ description: 'Whether the document can be published.' }),
  name: nullable(Type.String()),
  rules: count,
  tests: { ...count, description: 'Number of test cases in the document.' },
  errors: Type.Array(Problem),
})

const TestBody = Type.Object({
  source: Source,
  files: Type.Optional(
    Type.Record(Type.String({ maxLength: 500 }), Type.String({ maxLength: 1_048_576 }), {
      description: 'Test files by the names in `tests:`.',
    }),
  ),
})

const file = nullable(Type.String({ description: 'null: the document.' }))
const TestRunView = Type.Object({
  object: Type.Literal('policy_test_run'),
  ok: Type.Boolean({ description: 'Whether there were cases, no file is missing and all cases passed.' }),
  passed: count,
  failed: count,
  results: Type.Array(
    Type.Object({
      file,
      name: Type.String(),
      line: Type.Integer({ minimum: 1 }),
      ok: Type.Boolean(),
      failures: Type.Array(Type.String(), { description: 'One entry for each failed expectation.' }),
    }),
  ),
  missing: Type.Array(Type.String(), { description: 'Files that the document names and the request does not contain.' }),
  errors: Type.Array(Type.Object({ file: Type.String(), ...Problem.properties }), {
    description: 'Errors of files that cannot be run.',
  }),
})

const docs = {
  check: inWorkspace('POST /policy-sets/check', 'checkPolicySet', 'Check a document without publishing it', {
    scope: 'policies:read',
    body: SourceBody,
    answers: { 200: CheckView },
  }),
  test: inWorkspace('POST /policy-sets/test', 'testPolicySet', 'Run the tests of a document', {
    scope: 'policies:read',
    description: 'Runs the cases under `tests:`, and the files named there that the request contains.',
    body: TestBody,
    answers: { 200: TestRunView },
    errors: EVALUATION_LIMIT_ERRORS,
  }),
}

interface Deps {
  readonly evaluationLimiter: EvaluationLimiter
  readonly testTools: TestTools
}

/** Checks and tests a policy document before publication. Nothing is stored. */
export function policyDraftsRoutes(app: TypedApp, { evaluationLimiter, testTools }: Deps): void {
  handle(app, docs.check, async ({ body }) => {
    const parsed = parsePolicySet(body.source)
    if (!parsed.ok) return { object: 'policy_check', ok: false, name: null, rules: 0, tests: 0, errors: [...parsed.errors] }
    const { name, rules, cases } = parseSource(body.source)
    return { object: 'policy_check', ok: true, name, rules: rules.length, tests: cases.length, errors: [] }
  })

  handle(app, docs.test, async ({ body: { source, files = {} } }) => {
    const set = parseSource(source)
    const sent = set.tests.filter((name) => Object.hasOwn(files, name))
    const missing = set.tests.filter((name) => !sent.includes(name))
    const results: ReturnType<typeof resultView>[] = []
    const errors: ({ file: string } & PolicyError)[] = []
    await evaluationLimiter.run(async (pause) => {
      const run = async (from: string | null, tests: readonly PolicyTest[]): Promise<void> => {
        for (const report of runCases(set, tests, testTools)) {
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
