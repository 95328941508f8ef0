import { Type } from 'typebox'
import { checker } from '../lib/schema.ts'
import { diffPolicySets } from '../policy/diff.ts'
import { policySha256 } from '../policy/policy.ts'
import { POLICIES_TOPIC } from '../policy/policy-library.ts'
import { activatePolicySet, activePolicySet, findPolicySet, listPolicySets, publishPolicySet } from '../policy/policy-store.ts'
import type { AdminApp, AdminDeps } from './admin-deps.ts'
import { readYamlBodies } from './bodies.ts'
import { change } from './change.ts'
import { inWorkspace } from './operation.ts'
import { listOf, PAGE, pageOf } from './paging.ts'
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
        'A document with a problem is refused as a whole (`details.errors` has them all), and the version in force stays.',
      query: {},
      body: SourceBody,
      answers: { 201: PolicySetView },
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
    ...one,
    query: {},
    answers: { 200: PolicySetView },
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
    const { workspaceId, operator } = request
    const published = await change(deps, request, async (tx, now) => {
      const document = { name, source, sha256: policySha256(source), publishedBy: operator.id, now }
      const value = await publishPolicySet(tx, workspaceId, document)
      return { value, action: 'policy_set.publish', id: value.id, fields: ['source'], announce: [POLICIES_TOPIC, workspaceId] }
    })
    return reply.status(201).send(policySetView(published))
  })

  app.get('/policy-sets/:id', { schema: docs.get }, async ({ workspaceId, params }) => {
    const set = await findPolicySet(db, workspaceId, params.id)
    if (!set) throw notFound('policy set')
    return { ...policySetView(set), source: set.source, rules: ruleViews(set.source) }
  })

  app.post('/policy-sets/:id/publish', { schema: docs.again }, async (request) => {
    const { workspaceId, params } = request
    const set = await change(deps, request, async (tx) => {
      const value = await findPolicySet(tx, workspaceId, params.id)
      if (!value) throw notFound('policy set')
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
