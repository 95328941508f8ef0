import { type Static, Type } from 'typebox'
import { findWindowedApplications } from '../../../domains/identity/application-store.ts'
import { findActorNames } from '../../../domains/operators/actors.ts'
import { POLICIES_TOPIC } from '../../../domains/policy/active-policies.ts'
import { growingOutput, obstacleText } from '../../../domains/policy/compile.ts'
import { diffPolicySets } from '../../../domains/policy/diff.ts'
import { EVALUATION_LIMIT_ERRORS } from '../../../domains/policy/evaluation-limiter.ts'
import { type PolicySet, policySha256 } from '../../../domains/policy/policy.ts'
import { deleteDraft } from '../../../domains/policy/policy-draft-store.ts'
import {
  activatePolicySet,
  findActivePolicySet,
  findPolicySet,
  findVersionOf,
  listPolicySets,
  lockActivePolicySet,
  type PolicySetVersion,
  publishPolicySet,
} from '../../../domains/policy/policy-store.ts'
import { allTests } from '../../../domains/policy/policy-test-store.ts'
import { runTests } from '../../../domains/policy/run-tests.ts'
import { oneOf } from '../../../platform/lib/fields.ts'
import { checker } from '../../../platform/lib/schema.ts'
import { conflict, notFound, requireFound, valid } from '../../../shared/request-errors.ts'
import { readYamlBodies } from '../../kit/bodies.ts'
import { List, listById, PAGE, pageOf } from '../../kit/paging.ts'
import { handle, type TypedApp } from '../../kit/route.ts'
import type { AdminDeps } from '../admin-deps.ts'
import { change } from '../kit/change.ts'
import { inWorkspace, withContentTypes } from '../kit/operation.ts'
import {
  BASE_VERSION,
  checkBaseVersion,
  chosenPolicyView,
  NOTE_PATTERN,
  PolicyDiffView,
  PolicyDraftDiffView,
  PolicySetView,
  PolicySetWithSourceView,
  PublishBody,
  PublishedPolicySetView,
  parseSource,
  policySetView,
  policyVersionView,
  ruleViews,
  SourceBody,
} from './policy-shapes.ts'
import { testRunView } from './test-shapes.ts'

const UNKNOWN = { 404: 'NOT_FOUND: the policy set, or the Workspace' }
const SUPERSEDED = { 409: 'CONFLICT: another version than `base_version` is active, see `details.active_version`' }
const PUBLISH_CONFLICTS = {
  409: 'CONFLICT: another version than `base_version` is active, see `details.active_version`; or a test failed, see `details.run`',
  ...EVALUATION_LIMIT_ERRORS,
}

const docs = {
  list: inWorkspace('GET /policy-sets', 'listPolicySets', 'List published versions, newest first', {
    scope: 'policies:read',
    query: PAGE,
    answers: { 200: List(PolicySetView) },
  }),
  publish: withContentTypes(
    inWorkspace('POST /policy-sets', 'publishPolicySet', 'Publish a policy document as a new version and activate it', {
      scope: 'policies:write',
      description:
        'A document with errors is refused (all are in `details.errors`), and the active version stays. With `base_version`, publishing the active document again returns it with 200 and creates no version.',
      query: {
        ...BASE_VERSION,
        require_tests: Type.Optional({
          ...oneOf(['true', 'false']),
          description:
            'true: runs the cases of the document and the stored ones first. If one fails or a file is missing, the response is 409 and nothing changes. Default: false.',
        }),
        draft: Type.Optional(
          Type.String({
            maxLength: 100,
            description: 'Id of the draft to delete after publication. A draft with another document stays.',
          }),
        ),
      },
      body: PublishBody,
      answers: { 200: PublishedPolicySetView, 201: PublishedPolicySetView },
      errors: PUBLISH_CONFLICTS,
    }),
    {
      'application/json': { schema: PublishBody },
      'application/yaml': { schema: Type.String({ description: 'The policy document.' }) },
    },
  ),
  get: inWorkspace('GET /policy-sets/:id', 'getPolicySet', 'Get a version and its document', {
    scope: 'policies:read',
    errors: UNKNOWN,
    answers: { 200: PolicySetWithSourceView },
  }),
  activate: inWorkspace('POST /policy-sets/:id/publish', 'republishPolicySet', 'Activate an earlier version', {
    scope: 'policies:write',
    query: BASE_VERSION,
    answers: { 200: PublishedPolicySetView },
    errors: { ...UNKNOWN, ...SUPERSEDED },
  }),
  diff: inWorkspace('GET /policy-sets/:id/diff', 'diffPolicySets', 'Compare two versions, rule by rule', {
    scope: 'policies:read',
    errors: UNKNOWN,
    query: { to: Type.Optional(Type.String({ description: 'Id of the other version. Default: the active version.' })) },
    answers: { 200: PolicyDiffView },
  }),
  diffDraft: inWorkspace('POST /policy-sets/:id/diff', 'diffPolicyDraft', 'Compare a version with a draft, rule by rule', {
    scope: 'policies:read',
    body: SourceBody,
    errors: UNKNOWN,
    answers: { 200: PolicyDraftDiffView },
  }),
}

const checkBody = checker(PublishBody, { [NOTE_PATTERN]: 'must not contain U+0000 or unpaired surrogates' })
const readBody = (body: unknown): Static<typeof PublishBody> =>
  typeof body === 'string' ? { source: body } : valid(checkBody(body ?? null))

async function publishedView(set: PolicySetVersion, source: string, workspaceId: string, deps: AdminDeps) {
  const { needsWhole } = growingOutput(parseSource(source).rules.filter(({ at }) => at.includes('output')))
  const names = needsWhole === undefined ? [] : await findWindowedApplications(deps.db, workspaceId)
  const warning = needsWhole && `“While it arrives” has no effect for ${names.join(', ')}: ${obstacleText(needsWhole)}`
  const actors = await findActorNames(deps.db, [set.publishedBy])
  return { ...policySetView(set, actors), warnings: warning && names.length > 0 ? [warning] : [] }
}

/** Throws CONFLICT if a case of the document or a stored one fails, or if a test file is missing. */
async function requireTests(set: PolicySet, workspaceId: string, { db, evaluationLimiter, testTools }: AdminDeps): Promise<void> {
  const run = await evaluationLimiter.run(async (pause) =>
    runTests(set, { files: {}, stored: await allTests(db, workspaceId) }, testTools, pause),
  )
  if (run.failed + run.missing.length === 0) return
  const failed =
    run.failed > 0
      ? `${run.failed} of ${run.results.length} policy tests failed`
      : `missing test files: ${run.missing.join(', ')}`
  const message = `Nothing was published: ${failed}. Correct the document or its tests, or publish without require_tests.`
  throw conflict(message, { param: 'require_tests', details: { reason: 'tests_failed', run: testRunView(run) } })
}

/** The audit record of a publication names the version, as records of requests do, and has neither document nor note. */
const publicationOf = (set: PolicySetVersion, workspaceId: string) => ({
  action: 'policy_set.publish' as const,
  id: set.id,
  published: policyVersionView(set),
  announce: [POLICIES_TOPIC, workspaceId] as const,
})

export function policySetsRoutes(app: TypedApp, deps: AdminDeps): void {
  const { db } = deps
  readYamlBodies(app)

  handle(app, docs.list, async ({ workspaceId, query }) => {
    const page = await listPolicySets(db, workspaceId, pageOf(query))
    const names = await findActorNames(db, page?.data.map(({ publishedBy }) => publishedBy) ?? [])
    return listById(page, (set) => policySetView(set, names))
  })

  handle(app, docs.publish, async (request, reply) => {
    const { source, note } = readBody(request.body)
    const parsed = parseSource(source)
    const { workspaceId, operator, query } = request
    if (query.require_tests === 'true') await requireTests(parsed, workspaceId, deps)
    const published = await change(deps, request, async (tx, now) => {
      const active = await lockActivePolicySet(tx, workspaceId)
      if (query.draft !== undefined) await deleteDraft(tx, workspaceId, query.draft, source)
      // A repeated request: the document is already active.
      if (query.base_version !== undefined && active?.source === source) return { value: { set: active, repeated: true } }
      checkBaseVersion(query.base_version, active)
      const document = { name: parsed.name, source, sha256: policySha256(source), publishedBy: operator.id, note, now }
      const restores = active?.source === source ? undefined : await findVersionOf(tx, workspaceId, document.sha256)
      const set = await publishPolicySet(tx, workspaceId, { ...document, rolledBack: restores !== undefined })
      const [value, fields] = [{ set, repeated: false }, ['source', ...(note ? ['note'] : [])]]
      return { value, ...publicationOf(set, workspaceId), fields, restores }
    })
    const view = await publishedView(published.set, source, workspaceId, deps)
    return reply.status(published.repeated ? 200 : 201).send(view)
  })

  handle(app, docs.get, async ({ workspaceId, params }) => {
    const set = requireFound(await findPolicySet(db, workspaceId, params.id), 'policy set')
    const names = await findActorNames(db, [set.publishedBy])
    return { ...policySetView(set, names), source: set.source, rules: ruleViews(set.source) }
  })

  versionRoutes(app, deps)
}

function versionRoutes(app: TypedApp, deps: AdminDeps): void {
  const { db } = deps

  handle(app, docs.activate, async (request) => {
    const { workspaceId, operator, params, query } = request
    const set = await change(deps, request, async (tx) => {
      const active = await lockActivePolicySet(tx, workspaceId)
      const value = requireFound(await findPolicySet(tx, workspaceId, params.id), 'policy set')
      if (query.base_version !== undefined && active?.id === value.id) return { value }
      checkBaseVersion(query.base_version, active)
      // An older release accepted the document: check that this release can read it before it is active.
      parseSource(value.source)
      await activatePolicySet(tx, workspaceId, value.id, operator.id)
      const restores = active?.id === value.id ? undefined : { id: value.id, version: value.version }
      return { value, ...publicationOf(value, workspaceId), fields: ['active'], restores }
    })
    return publishedView({ ...set, active: true }, set.source, workspaceId, deps)
  })

  handle(app, docs.diff, async ({ workspaceId, params, query }) => {
    const from = await findPolicySet(db, workspaceId, params.id)
    const to =
      query.to === undefined ? await findActivePolicySet(db, workspaceId) : await findPolicySet(db, workspaceId, query.to)
    if (!from || !to) throw notFound('policy set')
    const changes = diffPolicySets(parseSource(from.source), parseSource(to.source))
    return { object: 'policy_diff', from: policyVersionView(from), to: policyVersionView(to), ...changes }
  })

  handle(app, docs.diffDraft, async ({ workspaceId, params, body: { source } }) => {
    const from = requireFound(await findPolicySet(db, workspaceId, params.id), 'policy set')
    const draft = parseSource(source)
    const to = chosenPolicyView({ id: '', name: draft.name, version: 0, sha256: policySha256(source) })
    return { object: 'policy_diff', from: policyVersionView(from), to, ...diffPolicySets(parseSource(from.source), draft) }
  })
}
