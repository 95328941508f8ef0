import { Type } from 'typebox'
import type { StoredTest } from '../../../domains/policy/policy-test-store.ts'
import type { TestRun } from '../../../domains/policy/run-tests.ts'
import { Line, Name, oneOf, Timestamp } from '../../../platform/lib/fields.ts'
import { viewOf } from '../../../platform/lib/view.ts'
import { POLICY_POINTS, type PolicyPoint } from '../../../shared/decision.ts'
import { nullable } from '../../../shared/schemas.ts'

const count = Type.Integer({ minimum: 0 })

export const ErrorView = Type.Object({
  line: Type.Integer({ minimum: 1 }),
  column: Type.Integer({ minimum: 1 }),
  field: Type.String({ description: 'Path of the field. Empty for the whole document.' }),
  rule: Type.Optional(Type.String({ description: 'Id of the rule that has the error.' })),
  message: Type.String(),
})

export const TestRunView = Type.Object({
  object: Type.Literal('policy_test_run'),
  ok: Type.Boolean({ description: 'Whether there were cases, no file is missing and all cases passed.' }),
  passed: count,
  failed: count,
  results: Type.Array(
    Type.Object({
      id: nullable(Type.String({ description: 'Id of a stored case. null: a case of the document or of a sent file.' })),
      file: nullable(Type.String({ description: 'null: the document, or a stored case that belongs to no file.' })),
      name: Type.String(),
      line: nullable(Type.Integer({ minimum: 1, description: 'Line in the document or file. null: a stored case.' })),
      ok: Type.Boolean(),
      failures: Type.Array(Type.String(), { description: 'One entry for each failed expectation.' }),
    }),
  ),
  missing: Type.Array(Type.String(), {
    description: 'Files that the document names, and that are neither stored nor in the request.',
  }),
  errors: Type.Array(Type.Object({ file: Type.String(), ...ErrorView.properties }), {
    description: 'Errors of files that cannot be run.',
  }),
})

export const testRunView = ({ results, missing, errors, ...counts }: TestRun) => ({
  object: 'policy_test_run' as const,
  ...counts,
  results: results.map((result) => ({ ...result, failures: [...result.failures] })),
  missing: [...missing],
  errors: [...errors],
})

const values = Type.Record(Type.String(), Type.Unknown())
const definition = {
  name: { ...Name, description: 'The statement that the case shows: "a pasted key is refused".' },
  at: oneOf(POLICY_POINTS, 'PolicyPoint'),
  input: Type.Optional({
    ...values,
    description: 'Values by the names of conditions: `{"user": {"role": "guest"}}`. Default: neutral values.',
  }),
  expect: {
    ...values,
    description:
      'Expected `verdict`, `risk`, `classification`, `transforms`, `directives` and `rules`; at least one. Others are not compared.',
  },
}

export const TestCreate = Type.Object(
  {
    ...definition,
    file: Type.Optional({ ...Line, description: 'The name under `tests:` that the case belongs to. Default: every document.' }),
  },
  { additionalProperties: false },
)

export const TestReplace = Type.Object(definition, { additionalProperties: false })

export const StoredTestView = Type.Object({
  id: Type.String(),
  object: Type.Literal('policy_test'),
  ...definition,
  input: values,
  file: nullable(Type.String()),
  created_by: Type.String(),
  created_at: Timestamp,
  updated_at: Timestamp,
})

export const storedTestView = (test: StoredTest) =>
  viewOf(StoredTestView, test, { at: test.at as PolicyPoint, input: test.input ?? {} })
