import { Type } from 'typebox'
import { lockActivePolicySet } from '../../../domains/policy/policy-store.ts'
import { definitionsIn, type NamedDefinition, readDefinition, TEST_LIMITS } from '../../../domains/policy/policy-test-case.ts'
import { readPolicyTests } from '../../../domains/policy/policy-test-reader.ts'
import {
  countTests,
  createTests,
  deleteTest,
  deleteTestsOfFile,
  findTest,
  listTests,
  type NewTest,
  type StoredTest,
  updateTest,
} from '../../../domains/policy/policy-test-store.ts'
import { GatehouseError } from '../../../errors.ts'
import type { Tx } from '../../../platform/db/database.ts'
import { Line, withStorable } from '../../../platform/lib/fields.ts'
import { conflict, invalid } from '../../../shared/request-errors.ts'
import { handle, type TypedApp } from '../../kit/route.ts'
import { type ChangeDeps, change } from '../kit/change.ts'
import { inWorkspace } from '../kit/operation.ts'
import { resource } from '../kit/resource.ts'
import { StoredTestView, storedTestView, TestCreate, TestReplace } from './test-shapes.ts'

const TOO_MANY = { 409: `CONFLICT: the Workspace has ${TEST_LIMITS.cases} policy tests` }

const FileImport = Type.Object(
  {
    file: { ...Line, minLength: 1, description: 'The name under `tests:` of a document.' },
    source: Type.String({ maxLength: 1_048_576, description: 'The test file as YAML.' }),
  },
  { additionalProperties: false },
)

const docs = inWorkspace('POST /policy-tests/import', 'importPolicyTests', 'Store the cases of a test file', {
  scope: 'policies:write',
  description: 'Replaces the stored cases of the file. A file with errors changes nothing.',
  body: FileImport,
  answers: { 200: Type.Object({ object: Type.Literal('policy_test_import'), file: Type.String(), cases: Type.Integer() }) },
  errors: TOO_MANY,
})

export function policyTestsRoutes(app: TypedApp, deps: ChangeDeps): void {
  resource(app, deps, {
    noun: 'policy_test',
    path: '/policy-tests',
    area: 'policies',
    view: StoredTestView,
    show: (rows: readonly StoredTest[]) => rows.map(storedTestView),
    list: { summary: 'List stored policy tests, oldest first', read: listTests },
    get: { summary: 'Get a stored policy test', find: findTest },
    create: {
      summary: 'Store a policy test',
      description:
        'The case runs against every draft, in addition to the cases of its document. It is stored as sent: use invented data.',
      errors: TOO_MANY,
      body: TestCreate,
      write: async (tx, { workspaceId, operator, body: { file = null, ...sent } }, now) => {
        const test = checkDefinition(sent)
        const [created] = await addTests(tx, workspaceId, [{ ...test, file, createdBy: operator.id }], now)
        return created
      },
    },
    update: {
      method: 'PUT',
      operationId: 'replacePolicyTest',
      summary: 'Change a stored policy test',
      body: TestReplace,
      write: (tx, { workspaceId, params, body }, now) => updateTest(tx, workspaceId, params.id, checkDefinition(body), now),
    },
    remove: { summary: 'Delete a stored policy test', remove: deleteTest },
  })

  handle(app, docs, async (request) => {
    const { workspaceId, operator, body } = request
    const definitions = readFile(body.source)
    await change(deps, request, async (tx, now) => {
      await lockActivePolicySet(tx, workspaceId)
      await deleteTestsOfFile(tx, workspaceId, body.file)
      const added = definitions.map((test) => ({ ...test, file: body.file, createdBy: operator.id }))
      await addTests(tx, workspaceId, added, now)
      return { value: undefined, action: 'policy_test.import', id: workspaceId, fields: ['file', 'source'] }
    })
    return { object: 'policy_test_import', file: body.file, cases: definitions.length }
  })
}

/** Locks the policies of the Workspace, so that requests at the same time cannot exceed the limit together. */
async function addTests(tx: Tx, workspaceId: string, added: readonly NewTest[], now: Date) {
  await lockActivePolicySet(tx, workspaceId)
  if ((await countTests(tx, workspaceId)) + added.length > TEST_LIMITS.cases)
    throw conflict(`A Workspace can have ${TEST_LIMITS.cases} policy tests. Delete cases that you no longer need.`)
  return createTests(tx, workspaceId, added, now)
}

function checkDefinition<D extends NamedDefinition>(definition: D): D {
  const storable = withStorable({ ok: true, value: definition }, 'input', (value) => value, TEST_LIMITS.caseLength)
  const problem = storable.ok ? readDefinition(definition).problem : storable.problem
  if (problem) throw invalid(problem)
  return definition
}

function readFile(source: string): readonly NamedDefinition[] {
  const { errors } = readPolicyTests(source)
  const [first] = errors
  if (first) {
    const message = `The test file is not valid. Line ${first.line}: ${first.field} ${first.message}.`
    throw new GatehouseError('VALIDATION_ERROR', { message, param: 'source', details: { errors } })
  }
  return definitionsIn(source).map(checkDefinition)
}
