import { Type } from 'typebox'
import { checker } from '../lib/schema.ts'
import { diffPolicySets } from '../policy/diff.ts'
import { policySha256 } from '../policy/policy.ts'
import { POLICIES_TOPIC } from '../policy/policy-library.ts'
import {
  activatePolicySet,
  activePolicySet,
  findPolicySet,
  listPolicySets,
  lockActivePolicySet,
  publishPolicySet,
} from '../policy/policy-store.ts'
import type { AdminApp, AdminDeps } from './admin-deps.ts'
import { readYamlBodies } from './bodies.ts'
import { change } from './change.ts'
import { inWorkspace } from './operation.ts'
import { listOf, PAGE, pageOf } from './paging.ts'
import { BASE_VERSION, checkBaseVersion } from './policy-base.ts'
import {
  PolicyDiffView,
  PolicySetView,
  PolicySetWithSourceView,
  policySetView,
  policyVersion,
  ruleViews,
  SourceBody,
} from './policy-shapes.ts'
import { policySetOf } from './policy-source.ts'
import { notFound, valid } from './refusals.ts'
import { List, pathOf } from './shapes.ts'

const UNKNOWN = { 404: 'NOT_FOUND: the policy set, or the Workspace' }
const MOVED = { 409: 'CONFLICT: another version than `base_version` is in force; `details.active_version` names it' }
const one = { params: pathOf('id'), errors: UNKNOWN }

const docs = {
  list: inWorkspace('listPolicySets', 'Published versions, newest first', {
    scope: 'policies:read',
    query: PAGE,
    answers: { 200: List(PolicySetView) },
  }),
  publish: {
    ...inWorkspace('publishPolicySet', 'Publish a policy document as a new version, and put it in force', {
      scope: 'policies:write',
      description:
        'A document with a problem is refused as a whole (`details.errors` has them all), and the version in force stays. With `base_version` a document that is in force already makes no second version: it is answered with 200.',
      query: BASE_VERSION,
      body: SourceBody,
      answers: { 200: PolicySetView, 201: PolicySetView },
      errors: MOVED,
    }),
    body: {
      content: {
        'application/json': { schema: SourceBody },
        'application/yaml': { schema: Type.String({ description: 'The document itself.' }) },
      },
    },
  },
  get: inWorkspace('getPolicySet', 'One version, with its document', {
    scope: 'policies:read',
    ...one,
    query: {},
    answers: { 200: PolicySetWithSourceView },
  }),
  again: inWorkspace('republishPolicySet', 'Put an earlier version in force again', {
    scope: 'policies:write',
    params: pathOf('id'),
    query: BASE_VERSION,
    answers: { 200: PolicySetView },
    errors: { ...UNKNOWN, ...MOVED },
  }),
  diff: inWorkspace('diffPolicySets', 'What changes, rule by rule, from this version to another', {
    scope: 'policies:read',
    ...one,
    query: { to: Type.Optional(Type.String({ description: 'Id of the other version. Default: the one in force.' })) },
    answers: { 200: PolicyDiffView },
  }),
}

const checkBody = checker(SourceBody)
/** The document itself, or JSON that holds it. */
const sourceIn = (body: unknown): string => (typeof body === 'string' ? body : valid(checkBody(body ?? null)).source)

export function policySetsRoutes(app: AdminApp, deps: AdminDeps): void {
  const { db } = deps
  readYamlBodies(app)

  app.get('/policy-sets', { schema: docs.list }, async ({ workspaceId, query }) => {
    const page = await listPolicySets(db, workspaceId, pageOf(query))
    return listOf(page && { data: page.items, hasMore: page.nextCursor !== null }, policySetView, ({ id }) => id)
  })

  app.post('/policy-sets', { schema: docs.publish }, async (request, reply) => {
    const source = sourceIn(request.body)
    const { name } = policySetOf(source)
    const { workspaceId, operator, query } = request
    const published = await change(deps, request, async (tx, now) => {
      const active = await lockActivePolicySet(tx, workspaceId)
      // A repeated click or a repeated request: what it asks for is in force.
      if (query.base_version !== undefined && active?.source === source) return { value: { set: active, repeated: true } }
      checkBaseVersion(query.base_version, active)
      const document = { name, source, sha256: policySha256(source), publishedBy: operator.id, now }
      const set = await publishPolicySet(tx, workspaceId, document)
      const value = { set, repeated: false }
      return { value, action: 'policy_set.publish', id: set.id, fields: ['source'], announce: [POLICIES_TOPIC, workspaceId] }
    })
    return reply.status(published.repeated ? 200 : 201).send(policySetView(published.set))
  })

  app.get('/policy-sets/:id', { schema: docs.get }, async ({ workspaceId, params }) => {
    const set = await findPolicySet(db, workspaceId, params.id)
    if (!set) throw notFound('policy set')
    return { ...policySetView(set), source: set.source, rules: ruleViews(set.source) }
  })

  app.post('/policy-sets/:id/publish', { schema: docs.again }, async (request) => {
    const { workspaceId, params, query } = request
    const set = await change(deps, request, async (tx) => {
      const active = await lockActivePolicySet(tx, workspaceId)
      const value = await findPolicySet(tx, workspaceId, params.id)
      if (!value) throw notFound('policy set')
      if (query.base_version !== undefined && active?.id === value.id) return { value }
      checkBaseVersion(query.base_version, active)
      // An older release has let it in; whether this one can read it is seen before it decides anything.
      policySetOf(value.source)
      await activatePolicySet(tx, workspaceId, value.id)
      return { value, action: 'policy_set.publish', id: value.id, fields: ['active'], announce: [POLICIES_TOPIC, workspaceId] }
    })
    return policySetView({ ...set, active: true })
  })

  app.get('/policy-sets/:id/diff', { schema: docs.diff }, async ({ workspaceId, params, query }) => {
    const from = await findPolicySet(db, workspaceId, params.id)
    const to = query.to === undefined ? await activePolicySet(db, workspaceId) : await findPolicySet(db, workspaceId, query.to)
    if (!from || !to) throw notFound('policy set')
    const changes = diffPolicySets(policySetOf(from.source), policySetOf(to.source))
    return { object: 'policy_diff', from: policyVersion(from), to: policyVersion(to), ...changes }
  })
}
