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
  updateTest,
} from '../../../domains/policy/policy-test-store.ts'
import { GatehouseError } from '../../../errors.ts'
import type { Tx } from '../../../platform/db/database.ts'
import { Line, withStorable } from '../../../platform/lib/fields.ts'
import { invalid, notFound, requireFound } from '../../../shared/refusals.ts'
import { List, listOf, PAGE, pageOf } from '../../kit/paging.ts'
import { handle, type TypedApp } from '../../kit/route.ts'
import { type ChangeDeps, change } from '../kit/change.ts'
import { inWorkspace } from '../kit/operation.ts'
import { StoredTestView, storedTestView, TestCreate, TestReplace } from './test-shapes.ts'

const UNKNOWN = { 404: 'NOT_FOUND: the policy test, or the Workspace' }
const TOO_MANY = { 409: `CONFLICT: the Workspace has ${TEST_LIMITS.cases} policy tests` }

const FileImport = Type.Object(
  {
    file: { ...Line, minLength: 1, description: 'The name under `tests:` of a document.' },
    source: Type.String({ maxLength: 1_048_576, description: 'The test file as YAML.' }),
  },
  { additionalProperties: false },
)

const docs = {
  list: inWorkspace('GET /policy-tests', 'listPolicyTests', 'List stored policy tests, oldest first', {
    scope: 'policies:read',
    query: PAGE,
    answers: { 200: List(StoredTestView) },
  }),
  create: inWorkspace('POST /policy-tests', 'createPolicyTest', 'Store a policy test', {
    scope: 'policies:write',
    description:
      'The case runs against every draft, in addition to the cases of its document. It is stored as sent: use invented data.',
    body: TestCreate,
    answers: { 201: StoredTestView },
    errors: TOO_MANY,
  }),
  get: inWorkspace('GET /policy-tests/:id', 'getPolicyTest', 'Get a stored policy test', {
    scope: 'policies:read',
    answers: { 200: StoredTestView },
    errors: UNKNOWN,
  }),
  replace: inWorkspace('PUT /policy-tests/:id', 'replacePolicyTest', 'Change a stored policy test', {
    scope: 'policies:write',
    body: TestReplace,
    answers: { 200: StoredTestView },
    errors: UNKNOWN,
  }),
  remove: inWorkspace('DELETE /policy-tests/:id', 'deletePolicyTest', 'Delete a stored policy test', {
    scope: 'policies:write',
    answers: { 204: null },
    errors: UNKNOWN,
  }),
  importFile: inWorkspace('POST /policy-tests/import', 'importPolicyTests', 'Store the cases of a test file', {
    scope: 'policies:write',
    description: 'Replaces the stored cases of the file. A file with errors changes nothing.',
    body: FileImport,
    answers: { 200: Type.Object({ object: Type.Literal('policy_test_import'), file: Type.String(), cases: Type.Integer() }) },
    errors: TOO_MANY,
  }),
}

export function policyTestsRoutes(app: TypedApp, deps: ChangeDeps): void {
  const { db } = deps

  handle(app, docs.list, async ({ workspaceId, query }) =>
    listOf(await listTests(db, workspaceId, pageOf(query)), storedTestView, ({ id }) => id),
  )

  handle(app, docs.get, async ({ workspaceId, params }) =>
    storedTestView(requireFound(await findTest(db, workspaceId, params.id), 'policy test')),
  )

  handle(app, docs.create, async (request, reply) => {
    const { workspaceId, operator, body } = request
    const { file = null, ...sent } = body
    const test = checkDefinition(sent)
    const created = await change(deps, request, async (tx, now) => {
      const [value] = await addTests(tx, workspaceId, [{ ...test, file, createdBy: operator.id }], now)
      if (!value) throw new Error('no policy test was stored')
      return { value, action: 'policy_test.create', id: value.id, fields: Object.keys(body) }
    })
    return reply.status(201).send(storedTestView(created))
  })

  handle(app, docs.replace, async (request) => {
    const { workspaceId, params, body } = request
    const test = checkDefinition(body)
    const replaced = await change(deps, request, async (tx, now) => {
      const value = requireFound(await updateTest(tx, workspaceId, params.id, test, now), 'policy test')
      return { value, action: 'policy_test.update', id: value.id, fields: Object.keys(body) }
    })
    return storedTestView(replaced)
  })

  handle(app, docs.remove, async (request, reply) => {
    const { workspaceId, params } = request
    await change(deps, request, async (tx) => {
      if (!(await deleteTest(tx, workspaceId, params.id))) throw notFound('policy test')
      return { value: undefined, action: 'policy_test.delete', id: params.id }
    })
    return reply.status(204).send()
  })

  handle(app, docs.importFile, async (request) => {
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
  if ((await countTests(tx, workspaceId)) + added.length > TEST_LIMITS.cases) {
    throw new GatehouseError('CONFLICT', {
      message: `A Workspace can have ${TEST_LIMITS.cases} policy tests. Delete cases that you no longer need.`,
    })
  }
  return await createTests(tx, workspaceId, added, now)
}

/** Throws a 400 that names the field. */
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
