import { Type } from 'typebox'
import { findActorNames } from '../../../domains/operators/actors.ts'
import { POLICY_LIMITS } from '../../../domains/policy/policy.ts'
import {
  countDrafts,
  createDraft,
  deleteDraft,
  findDraft,
  listDrafts,
  lockDraft,
  type PolicyDraft,
  type PolicyDraftSummary,
  updateDraft,
} from '../../../domains/policy/policy-draft-store.ts'
import { findPolicySet, lockActivePolicySet } from '../../../domains/policy/policy-store.ts'
import type { Tx } from '../../../platform/db/database.ts'
import { isStorable, Name, Timestamp } from '../../../platform/lib/fields.ts'
import { viewOf } from '../../../platform/lib/view.ts'
import { conflict, invalid, requireFound } from '../../../shared/request-errors.ts'
import { List, listById, PAGE, pageOf } from '../../kit/paging.ts'
import { handle, type TypedApp } from '../../kit/route.ts'
import type { AdminDeps } from '../admin-deps.ts'
import { change } from '../kit/change.ts'
import { inWorkspace } from '../kit/operation.ts'
import { resource } from '../kit/resource.ts'
import { ActorName, type ActorNames, NO_VERSION, Note, Source } from './policy-shapes.ts'

const BASE = `Id of the version that publishing the draft replaces, or \`${NO_VERSION}\`.`
const BaseVersion = Type.String({ maxLength: 100, description: BASE })
const Revision = Type.Integer({ minimum: 1, description: 'Counted from 1 with each change of the draft.' })

const DraftCreate = Type.Object(
  {
    title: { ...Name, description: 'The subject of the draft.' },
    note: Type.Optional({ ...Note, description: 'Suggested as the note of the publication.' }),
    source: Source,
    base_version: Type.Optional({ ...BaseVersion, description: `${BASE} Default: the active version.` }),
  },
  { additionalProperties: false },
)

const DraftPatch = Type.Object(
  {
    revision: {
      ...Revision,
      description: 'The revision that the change is based on. If the draft has another one, the response is 409.',
    },
    title: Type.Optional(Name),
    note: Type.Optional(Note),
    source: Type.Optional(Source),
    base_version: Type.Optional(BaseVersion),
  },
  { additionalProperties: false },
)

const DraftView = Type.Object({
  id: Type.String(),
  object: Type.Literal('policy_draft'),
  title: Type.String(),
  note: Type.String(),
  base_version: BaseVersion,
  author: Type.String({ description: 'Id of the operator or admin token.' }),
  author_name: ActorName,
  edited_by: Type.String({ description: 'Id of the last editor.' }),
  edited_by_name: ActorName,
  revision: Revision,
  created_at: Timestamp,
  updated_at: Timestamp,
})

const DraftWithSourceView = Type.Object(
  { ...DraftView.properties, source: Type.String({ description: 'The document. It may have errors.' }) },
  { title: 'PolicyDraftWithSource' },
)

const computed = (draft: PolicyDraftSummary, names: ActorNames) => ({
  base_version: draft.baseId ?? NO_VERSION,
  author_name: names.get(draft.author) ?? null,
  edited_by_name: names.get(draft.editedBy) ?? null,
})

const MAX_DRAFTS = 200
/** Edits of the text by one operator within this time share an audit record, because editors save after each pause. */
const RECORD_EVERY_MS = 10 * 60_000

const docs = {
  list: inWorkspace('GET /policy-drafts', 'listPolicyDrafts', 'List drafts, newest first', {
    scope: 'policies:read',
    query: PAGE,
    answers: { 200: List(DraftView) },
  }),
  update: inWorkspace('PATCH /policy-drafts/:id', 'updatePolicyDraft', 'Change a draft', {
    scope: 'policies:write',
    description: 'Missing fields stay unchanged. Edits of the text by one operator within ten minutes share an audit record.',
    body: DraftPatch,
    answers: { 200: DraftWithSourceView },
    errors: {
      404: 'NOT_FOUND: the draft, or the Workspace',
      409: 'CONFLICT: the draft has another revision; `details.draft` is the current one with its text',
    },
  }),
}

export function policyDraftsRoutes(app: TypedApp, deps: AdminDeps): void {
  const { db } = deps
  const viewOfDraft = async (draft: PolicyDraft) =>
    viewOf(DraftWithSourceView, draft, computed(draft, await findActorNames(db, [draft.author, draft.editedBy])))

  handle(app, docs.list, async ({ workspaceId, query }) => {
    const page = await listDrafts(db, workspaceId, pageOf(query))
    const names = await findActorNames(db, page?.data.flatMap(({ author, editedBy }) => [author, editedBy]) ?? [])
    return listById(page, (draft) => viewOf(DraftView, draft, computed(draft, names)))
  })

  resource(app, deps, {
    noun: 'policy_draft',
    name: 'draft',
    path: '/policy-drafts',
    area: 'policies',
    view: DraftWithSourceView,
    show: (drafts: readonly PolicyDraft[]) => Promise.all(drafts.map(viewOfDraft)),
    get: { summary: 'Get a draft and its document', find: findDraft },
    create: {
      description: 'All operators who can read policies see it. A draft may have errors, and applies to no request.',
      errors: { 409: `CONFLICT: the Workspace has ${MAX_DRAFTS} drafts` },
      body: DraftCreate,
      write: async (tx, { workspaceId, operator, body: { title, note = '', source, base_version } }, now) => {
        checkSource(source)
        const active = await lockActivePolicySet(tx, workspaceId)
        if ((await countDrafts(tx, workspaceId)) >= MAX_DRAFTS)
          throw conflict(`A Workspace can have ${MAX_DRAFTS} drafts. Publish or delete one first.`)
        const baseId = base_version === undefined ? (active?.id ?? null) : await requireBase(tx, workspaceId, base_version)
        return createDraft(tx, workspaceId, { title, note, source, baseId, author: operator.id }, now)
      },
    },
    remove: { remove: (tx, workspaceId, id) => deleteDraft(tx, workspaceId, id) },
  })

  updateRoute(app, deps, viewOfDraft)
}

function updateRoute(app: TypedApp, deps: AdminDeps, view: (draft: PolicyDraft) => Promise<{ readonly revision: number }>): void {
  handle(app, docs.update, async (request) => {
    const { workspaceId, params, operator, body } = request
    if (body.source !== undefined) checkSource(body.source)
    const { draft, isStale } = await change(deps, request, async (tx, now) => {
      const draft = requireFound(await lockDraft(tx, workspaceId, params.id), 'draft')
      if (draft.revision !== body.revision) return { value: { draft, isStale: true } }
      const { revision: _, base_version, ...edits } = body
      const fields = Object.keys(body).filter((field) => field !== 'revision')
      const isRecorded =
        fields.some((field) => field !== 'source') ||
        draft.editedBy !== operator.id ||
        now.getTime() - draft.recordedAt.getTime() >= RECORD_EVERY_MS
      const changed = {
        ...draft,
        ...edits,
        ...(base_version !== undefined && { baseId: await requireBase(tx, workspaceId, base_version) }),
        editedBy: operator.id,
        revision: draft.revision + 1,
        updatedAt: now,
        ...(isRecorded && { recordedAt: now }),
      }
      await updateDraft(tx, workspaceId, changed)
      const value = { draft: changed, isStale: false }
      return isRecorded ? { value, action: 'policy_draft.update', id: draft.id, fields } : { value }
    })
    const shown = await view(draft)
    if (isStale) throw revised(shown)
    return shown
  })
}

async function requireBase(tx: Tx, workspaceId: string, base: string): Promise<string | null> {
  if (base === NO_VERSION) return null
  if (await findPolicySet(tx, workspaceId, base)) return base
  throw invalid({ param: 'base_version', message: `must be the id of a version of this Workspace, or ${NO_VERSION}` })
}

function checkSource(source: string): void {
  if (!isStorable(source)) throw invalid({ param: 'source', message: 'must not contain U+0000 or unpaired surrogates' })
  if (Buffer.byteLength(source) > POLICY_LIMITS.sourceBytes)
    throw invalid({ param: 'source', message: `must have at most ${POLICY_LIMITS.sourceBytes} bytes` })
}

function revised(draft: { readonly revision: number }) {
  const message = `The draft was changed: its revision is ${draft.revision}. Merge your text with it, then send that revision.`
  return conflict(message, { param: 'revision', details: { reason: 'draft_changed', draft } })
}
