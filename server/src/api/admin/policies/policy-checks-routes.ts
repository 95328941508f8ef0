import { Type } from 'typebox'
import { growingOutput } from '../../../domains/policy/compile.ts'
import { readCookbook } from '../../../domains/policy/cookbook.ts'
import { EVALUATION_LIMIT_ERRORS } from '../../../domains/policy/evaluation-limiter.ts'
import { parsePolicySet } from '../../../domains/policy/parse.ts'
import { allTests } from '../../../domains/policy/policy-test-store.ts'
import { runTests } from '../../../domains/policy/run-tests.ts'
import { viewOf } from '../../../platform/lib/view.ts'
import { nullable } from '../../../shared/schemas.ts'
import { handle, type TypedApp } from '../../kit/route.ts'
import type { AdminDeps } from '../admin-deps.ts'
import { inWorkspace } from '../kit/operation.ts'
import { parseSource, Source, SourceBody, WholeResponseRule } from './policy-shapes.ts'
import { ErrorView, TestRunView, testRunView } from './test-shapes.ts'

const count = Type.Integer({ minimum: 0 })

const CheckView = Type.Object({
  object: Type.Literal('policy_check'),
  ok: Type.Boolean({ description: 'Whether the document can be published.' }),
  name: nullable(Type.String()),
  rules: count,
  tests: { ...count, description: 'Number of test cases in the document.' },
  errors: Type.Array(ErrorView),
  needs_whole_response: WholeResponseRule,
})

const TestBody = Type.Object({
  source: Source,
  files: Type.Optional(
    Type.Record(Type.String({ maxLength: 500 }), Type.String({ maxLength: 1_048_576 }), {
      description: 'Test files by the names in `tests:`.',
    }),
  ),
  stored_tests: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Also runs the stored cases: those of the files in `tests:`, and those without a file.',
    }),
  ),
  test_ids: Type.Optional(
    Type.Array(Type.String({ maxLength: 100 }), { minItems: 1, maxItems: 1_000, description: 'Runs only these stored cases.' }),
  ),
})

const docs = {
  check: inWorkspace('POST /policy-sets/check', 'checkPolicySet', 'Check a document without publishing it', {
    scope: 'policies:read',
    body: SourceBody,
    answers: { 200: CheckView },
  }),
  test: inWorkspace('POST /policy-sets/test', 'testPolicySet', 'Run the tests of a document', {
    scope: 'policies:read',
    description:
      'Runs the cases under `tests:`, the files named there that the request contains, and the stored cases on request.',
    body: TestBody,
    answers: { 200: TestRunView },
    errors: EVALUATION_LIMIT_ERRORS,
  }),
}

export function policyChecksRoutes(app: TypedApp, { db, evaluationLimiter, testTools }: AdminDeps): void {
  handle(app, docs.check, async ({ body }) => {
    const parsed = parsePolicySet(body.source)
    const failed = { name: null, rules: 0, tests: 0, needs_whole_response: null }
    if (!parsed.ok) return { object: 'policy_check', ok: false, ...failed, errors: [...parsed.errors] }
    const { name, rules, cases } = parseSource(body.source)
    const { needsWhole = null } = growingOutput(rules.filter(({ at }) => at.includes('output')))
    const counts = { rules: rules.length, tests: cases.length }
    return { object: 'policy_check', ok: true, name, ...counts, errors: [], needs_whole_response: needsWhole }
  })

  handle(app, docs.test, async ({ workspaceId, body: { source, files = {}, stored_tests = false, test_ids } }) => {
    const set = parseSource(source)
    const only = test_ids && new Set(test_ids)
    const run = await evaluationLimiter.run(async (pause) => {
      // Within the limit, because the stored cases of a Workspace can have 64 MB.
      const stored = stored_tests || only ? await allTests(db, workspaceId) : []
      return runTests(set, { files, stored, only }, testTools, pause)
    })
    return testRunView(run)
  })
}

const TemplateView = Type.Object({
  id: Type.String(),
  object: Type.Literal('policy_template'),
  title: Type.String(),
  category: Type.String(),
  what_it_does: Type.String(),
  when_to_use_it: Type.String(),
  what_users_notice: Type.String(),
  rule_ids: Type.Array(Type.String()),
  tests: Type.Integer({ description: 'Number of test cases in the document.' }),
  source: Type.String({ description: 'A policy document with the rules, their texts and tests.' }),
})

const templatesDocs = inWorkspace('GET /policy-templates', 'listPolicyTemplates', 'List the policy cookbook', {
  scope: 'policies:read',
  description: 'The rules of docs/policy-cookbook.md. The list is the same for all Workspaces and has one page.',
  answers: { 200: Type.Object({ object: Type.Literal('policy_cookbook'), templates: Type.Array(TemplateView) }) },
})

export function policyTemplatesRoutes(app: TypedApp): void {
  handle(app, templatesDocs, async () => ({
    object: 'policy_cookbook',
    templates: readCookbook().map((template) => viewOf(TemplateView, template)),
  }))
}
